"""Usage reaches the branch: one commit per used session, made when the session is over.

Counters wait in `state.db` meanwhile, so that a prompt costs no commit. A session that goes on
after it was told (a resumed one) and recalls more leaves another commit, with all that it used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gitmem.features.workspace import Workspace
from gitmem.index.sessions import Pending
from gitmem.index.state import state_file
from gitmem.store.ops.usage import tell
from gitmem.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Told:
    """A session whose usage the branch holds now, and the commit that says it."""

    session: str
    ids: tuple[str, ...]
    commit: str


def flush(
    workspace: Workspace, *, only: str | None = None, besides: str | None = None
) -> tuple[Told, ...]:
    """Commit what no commit holds yet: of one session, or of all others than one."""
    # Not made for this: a store whose hook never ran has nothing to tell.
    if not workspace.store.branch.local or not state_file(workspace.store.folder).exists():
        return ()
    with workspace.store.state.sessions() as sessions:
        waiting = [
            one
            for one in sessions.pending()
            if only in (None, one.session) and one.session != besides
        ]
    if not waiting:
        return ()
    told, _ = workspace.write(lambda txn: _tell(txn, waiting, workspace))
    with workspace.store.state.sessions() as sessions:
        sessions.mark_told(waiting)
    return told


def _tell(txn: Transaction, waiting: Sequence[Pending], workspace: Workspace) -> tuple[Told, ...]:
    told = []
    for one in waiting:
        change = tell(txn, one.session, one.ids)
        if change is not None:
            # What a session was shown is no claim that rests on anybody.
            origin = replace(workspace.origin(), session=one.session, source=None)
            made = txn.apply(change, origin)
            told.append(Told(one.session, tuple(used[0] for used in change.used), made.commit))
    return tuple(told)
