"""A prompt was typed: says what memory knows of it, each memory once per session."""

from __future__ import annotations

import os
import time

from gitmem.features.recall.injection import Asked, inject
from gitmem.hooks.budget import allowed, end_after

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitmem.hooks.main import Call

CATCH_UP_SECONDS = 1.5
SECONDS = 6.0
"""Far more than it takes; the client gives 10 s where it is wired as the documentation says."""


def answer(call: Call) -> str:
    """The block for the model's context; "" where there is nothing to say."""
    end_after(call.event, SECONDS, call.environ)
    asked = Asked(
        prompt=call.text("prompt", "user_prompt"),
        session=call.session,
        cwd=call.cwd,
        now=time.time(),
        user_store=user_store(call.environ),
        environ=call.environ,
        catch_up=lambda root, wait: _catch_up(root, wait, call.environ),
    )
    injected = inject(asked)
    call.problems += injected.problems
    return injected.text


def user_store(environ: Mapping[str, str]) -> str:
    """The personal store, if there is one; `features/starting.user_store` says where."""
    base = environ.get("XDG_DATA_HOME", "")
    if not base.startswith("/"):
        base = os.path.expanduser("~/.local/share")  # noqa: PTH111 - no pathlib here
    path = f"{base}/gitmem/memory.git"
    return path if os.path.exists(f"{path}/HEAD") else ""  # noqa: PTH110


def _catch_up(root: str, wait: bool, environ: Mapping[str, str]) -> None:
    """Have another process bring the store along; it goes on when we no longer wait."""
    from gitmem.hooks.background import start

    start(root, environ, allowed(CATCH_UP_SECONDS, environ) if wait else 0.0)
