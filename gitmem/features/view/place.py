"""Where a work tree has its view, and the one process at a time that may change it.

A view exists where it was set up, which `state.db` knows; each linked work tree has its own. A
path that leads out of the work tree through a symbolic link is refused.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gitmem.features.workspace import Workspace
from gitmem.git.platform import FileLock
from gitmem.index.state import State, state_file
from gitmem.model.errors import PreconditionError

LOCK_SECONDS = 10.0
_LOCK_FILE = "view.lock"


@dataclass(frozen=True, slots=True)
class Place:
    """The root of a view, and how the work tree's root names it."""

    root: Path
    prefix: str
    """`.claude/memory/`."""


def place_of(workspace: Workspace) -> Place:
    """Where the view of this work tree lies, set up or not."""
    tree = workspace.work_tree
    if tree is None:
        raise PreconditionError(
            "a bare repository has no view: there is no work tree to put it into",
            fix="read it with `gitmem show` and `gitmem list`, or copy it out with `gitmem export`",
        )
    memory_root = str(workspace.store.snapshot().config.get("memory_root"))
    root = tree / memory_root
    if not Path(os.path.realpath(root)).is_relative_to(os.path.realpath(tree)):
        raise PreconditionError(
            f"{root} leads out of the work tree through a symbolic link",
            fix="replace the link by a folder, or choose another one with"
            " `gitmem config set memory_root PATH`",
            path=str(root),
        )
    return Place(root, f"{memory_root}/")


def has_state(workspace: Workspace) -> bool:
    """Was any view of this repository ever set up? Answered without opening anything."""
    return state_file(workspace.store.folder).exists()


@contextlib.contextmanager
def locked_state(workspace: Workspace) -> Iterator[State]:
    """The state, for the only process that changes views now."""
    folder = workspace.store.folder
    folder.mkdir(parents=True, exist_ok=True)
    # Two that write one view at once could leave an older text in it, which would then look like
    # an edit that takes the newer one back.
    lock = FileLock(folder / _LOCK_FILE)
    lock.acquire(LOCK_SECONDS)
    try:
        yield workspace.store.state
    finally:
        lock.release()
