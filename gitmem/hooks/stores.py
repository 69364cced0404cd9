"""The stores that a session's hook works on, and the time it may take for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from gitmem.features.opening import USER, open_workspace
from gitmem.features.workspace import Workspace
from gitmem.hooks.budget import end_after
from gitmem.hooks.main import Call
from gitmem.model.errors import NotAStore


def each_store(call: Call, seconds: float, work: Callable[[Workspace], object]) -> None:
    """Do it for the project's store, then for the user's; the process ends after `seconds`.

    A store that isn't there is no problem; one that fails doesn't keep the other waiting.
    """
    end_after(call.event, seconds, call.environ)
    for store in ("project", USER):
        try:
            workspace = open_workspace(
                Path(call.cwd),
                call.environ,
                time.time,
                store=store,
                timezone=(time.localtime().tm_gmtoff or 0) // 60 * 60,
                actor=f"hook:{call.event}",
                session=call.session or None,
                source="tool",
            )
        except NotAStore:
            continue
        except Exception as error:  # noqa: BLE001 - the other store has its turn (I8)
            call.problems.append(error)
            continue
        _work(call, workspace, work)


def _work(call: Call, workspace: Workspace, work: Callable[[Workspace], object]) -> None:
    try:
        with workspace.store:
            config = workspace.snapshot().config
            if config.writable:
                work(workspace)
    except Exception as error:  # noqa: BLE001 - the other store has its turn (I8)
        call.problems.append(error)
