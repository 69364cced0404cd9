"""The view: a plain directory that shows the memory, brought along with every write.

Set up once per work tree (`set_up`), then each write brings it from the commit it holds to the tip
in O(changes) (`refresh`). Derived from the branch alone (I1); a file that somebody edited is never
overwritten or deleted.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitmem.features.view.bring import Brought, View
from gitmem.features.view.place import Place, has_state, locked_state, place_of
from gitmem.features.workspace import Workspace
from gitmem.index.state import State
from gitmem.model.errors import GitmemError, WriteError
from gitmem.store.store import Written


@dataclass(frozen=True, slots=True)
class CheckedOut:
    """What `gitmem view` did."""

    path: Path
    commit: str
    written: int
    removed: int
    edited: tuple[str, ...]
    """Files that somebody edited, which were left alone."""
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "status": "checked_out",
            "path": str(self.path),
            "commit": self.commit,
            "written": self.written,
            "removed": self.removed,
            "edited": list(self.edited),
            "warnings": list(self.warnings),
        }


def set_up(workspace: Workspace) -> list[str]:
    """Start the view of this work tree, or look at all of it again; notes for the user."""
    try:
        done = checkout(workspace)
    except (GitmemError, OSError) as error:
        return [f"there is no view yet: {_told(error)}"]
    return [f"the view is in {done.path}", *done.warnings]


def refresh(workspace: Workspace, written: Written) -> tuple[str, ...]:
    """Bring the view along after a write; warnings, never an error: the write happened."""
    try:
        if workspace.work_tree is None or not has_state(workspace):
            return ()
        place = place_of(workspace)
        with locked_state(workspace) as state:
            if state.view_commit(place.root) is None:
                return (*state.warnings, *_elsewhere(state, place, workspace.work_tree))
            done = View(workspace, state, place).follow()
            return (*state.warnings, *done.warnings())
    except (GitmemError, OSError) as error:
        return (f"the view isn't up to date: {_told(error)}; then run `gitmem view`",)


def checkout(workspace: Workspace) -> CheckedOut:
    """Bring the view fully in line with the tip; set it up where there is none."""
    place = place_of(workspace)
    try:
        _exclude(workspace, place)
        with locked_state(workspace) as state:
            view = View(workspace, state, place)
            done = view.check_out()
            return _checked_out(view, done, state)
    except OSError as error:
        raise WriteError(
            f"the view in {place.root} can't be written: {error.strerror or error}",
            fix="check who owns the folder, then run `gitmem view`",
            path=str(place.root),
        ) from error


def _checked_out(view: View, done: Brought, state: State) -> CheckedOut:
    return CheckedOut(
        view.place.root,
        view.snapshot.commit,
        len(done.written),
        len(done.removed),
        tuple(done.edited),
        (*state.warnings, *done.warnings()),
    )


def _elsewhere(state: State, place: Place, tree: Path) -> tuple[str, ...]:
    """The view lies where `memory_root` doesn't point any more."""
    return tuple(
        f"the view in {old} isn't kept current any more: memory_root is {place.prefix[:-1]} now;"
        " run `gitmem view`"
        for old in state.views()
        if old.is_relative_to(tree) and old.is_dir()
    )


def _exclude(workspace: Workspace, place: Place) -> None:
    """Keep the view out of the code's `git status`, once."""
    line = f"/{_escaped(place.prefix)}".encode()
    path = workspace.store.location.common_dir / "info" / "exclude"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        old = path.read_bytes()
    except FileNotFoundError:
        old = b""
    if line in old.splitlines():
        return
    with path.open("ab") as file:
        file.write((b"" if not old or old.endswith(b"\n") else b"\n") + line + b"\n")


def _escaped(path: str) -> str:
    """A path as a pattern that means just this path."""
    return "".join(f"\\{char}" if char in "\\*?[" else char for char in path)


def _told(error: GitmemError | OSError) -> str:
    if isinstance(error, GitmemError):
        return f"{error.message} ({error.fix})" if error.fix else error.message
    return f"{error.filename}: {error.strerror}" if error.filename else str(error)
