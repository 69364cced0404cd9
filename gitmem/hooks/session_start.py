"""A session starts: sessions that never ended are told of, and a lost context may be refilled.

Prints nothing (yet): what a session is given at its start is another matter.
"""

from __future__ import annotations

from gitmem.features.recall.staleness import is_current
from gitmem.features.usage import flush
from gitmem.features.workspace import Workspace
from gitmem.hooks.background import start
from gitmem.hooks.budget import allowed
from gitmem.hooks.main import Call
from gitmem.hooks.stores import each_store
from gitmem.index.state import state_file
from gitmem.model.times import DAY

SECONDS = 5.0
REFRESH_SECONDS = 1.5
"""What the code's history says is waited for so long; a large one goes on beside the session."""
LOST_CONTEXT = frozenset({"resume", "clear", "compact"})
"""What was shown before isn't, or may not be, in the model's context any more."""
KEPT_DAYS = 90


def answer(call: Call) -> str:
    """Nothing is said to the model."""
    each_store(call, SECONDS, lambda workspace: _start(workspace, call))
    return ""


def _start(workspace: Workspace, call: Call) -> None:
    session = call.session
    if state_file(workspace.store.folder).exists():
        with workspace.store.state.sessions() as sessions:
            if session and call.text("source") in LOST_CONTEXT:
                sessions.forget_shown(session)
            sessions.drop_before(workspace.now - KEPT_DAYS * DAY)
    flush(workspace, besides=session or None)
    if not is_current(workspace):
        location = workspace.store.location
        root = str(location.work_tree or location.common_dir)
        start(root, call.environ, allowed(REFRESH_SECONDS, call.environ))
