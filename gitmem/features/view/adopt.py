"""adopt: takes direct edits of a view over, one commit each, with every protection of a write.

What can't be taken over is set aside under another name and the file restored, so that the view is
in line afterwards and nothing that a person wrote is lost. A deleted file comes back: deleting in
the view is no retire. Identity, category, dates and marks stay as they are: they have commands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gitmem.features.answers import Answer
from gitmem.features.view.bring import View
from gitmem.features.view.edits import Edit, Found, find_edits
from gitmem.features.view.place import locked_state, place_of
from gitmem.features.view.takeover import NothingNew, take_over
from gitmem.features.workspace import Workspace
from gitmem.model.errors import GitmemError, PreconditionError
from gitmem.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Adopted:
    """What became of the direct edits."""

    adopted: tuple[dict[str, Any], ...]
    invalid: tuple[dict[str, Any], ...]
    restored: tuple[str, ...]
    """Deleted files that are back."""
    unchanged: int
    commit: str
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "status": "adopted" if self.adopted else "unchanged",
            "adopted": list(self.adopted),
            "invalid": list(self.invalid),
            "restored": list(self.restored),
            "unchanged": self.unchanged,
            "commit": self.commit,
            "warnings": list(self.warnings),
        }


@dataclass(slots=True)
class _Outcome:
    """What a run of the plan decided; a run after a lost race starts with a new one."""

    answers: list[tuple[Edit, Answer]] = field(default_factory=list)
    refused: list[tuple[Edit, GitmemError]] = field(default_factory=list)
    same: list[Edit] = field(default_factory=list)
    """Edits of spacing alone: the file is written again as it was."""


def adopt(workspace: Workspace, paths: Sequence[Path] = ()) -> Adopted:
    """Take over the direct edits of these files of the view, or of all."""
    place = place_of(workspace)
    with locked_state(workspace) as state:
        if state.view_commit(place.root) is None:
            raise PreconditionError(
                f"there is no view in {place.root}", fix="run `gitmem view` to make one"
            )
        view = View(workspace, state, place)
        brought = view.follow()
        here = workspace.work_tree or place.root
        found = find_edits(view, workspace.store.objects, paths, here)
        outcome, warnings = _taken_over(workspace, found)
        invalid = [_set_aside(workspace, view, edit, error) for edit, error in outcome.refused]
        after = View(workspace, state, place)
        settled = {edit.path: edit.data for edit, _ in outcome.answers}
        settled |= {edit.path: edit.data for edit in outcome.same}
        done = after.follow(settled)
        gone = [edit.path for edit in found.edits if edit.kind == "deleted"]
        after.restore([*gone, *(edit.path for edit, _ in outcome.refused)])
    told = [*state.warnings, *found.warnings, *warnings, *brought.blocked, *done.warnings()]
    told += [f"{path} was deleted in the view and is back: use `gitmem retire`" for path in gone]
    return Adopted(
        tuple(_shown(edit, answer) for edit, answer in outcome.answers),
        tuple(invalid),
        tuple(gone),
        found.unchanged + len(outcome.same),
        after.snapshot.commit,
        tuple(dict.fromkeys(told)),
    )


def _taken_over(workspace: Workspace, found: Found) -> tuple[_Outcome, list[str]]:
    edits = [edit for edit in found.edits if edit.kind != "deleted"]
    if not edits:
        return _Outcome(), []

    def plan(txn: Transaction) -> _Outcome:
        outcome = _Outcome()
        for edit in edits:
            _decide(workspace, txn, edit, outcome)
        return outcome

    # Not `workspace.write`: the view is brought along here, where it is known what was adopted.
    outcome, written = workspace.store.write(plan, workspace.origin())
    warnings = [
        f"{edit.path}: {text}" for edit, answer in outcome.answers for text in answer.warnings
    ]
    return outcome, [*warnings, *written.warnings]


def _decide(workspace: Workspace, txn: Transaction, edit: Edit, outcome: _Outcome) -> None:
    try:
        outcome.answers.append((edit, take_over(workspace, txn, edit)))
    except NothingNew:
        outcome.same.append(edit)
    except GitmemError as error:
        outcome.refused.append((edit, error))


def _set_aside(workspace: Workspace, view: View, edit: Edit, error: GitmemError) -> dict[str, Any]:
    told = {
        "path": edit.path,
        "kept_as": None if edit.kind == "unknown" else _renamed(workspace, view, edit),
        "code": error.code,
        "why": f"{error.field}: {error.message}" if error.field else error.message,
        "line": error.details.get("line"),
        "fix": error.fix,
    }
    return {key: value for key, value in told.items() if value is not None or key == "kept_as"}


def _renamed(workspace: Workspace, view: View, edit: Edit) -> str:
    return view.files.set_aside(edit.path, workspace.now)


def _shown(edit: Edit, answer: Answer) -> dict[str, Any]:
    return {
        "path": edit.path,
        "id": answer.id,
        "target": answer.target,
        "title": answer.title,
        "status": answer.status,
        "commit": answer.commit,
    }
