"""gitmem diff."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gitmem.cli.context import Run
from gitmem.cli.options import command
from gitmem.cli.output import clean, one_line, short
from gitmem.model.errors import UsageError

if TYPE_CHECKING:
    from gitmem.features.reading import Difference, EntryDifference
    from gitmem.features.workspace import Workspace


@command("diff")
@click.argument("old", metavar="OLD")
@click.argument("new", required=False, metavar="[NEW]")
@click.option("--at", metavar="WHEN", help="The same as NEW.")
@click.option("--patch", is_flag=True, help="Show the lines that differ.")
def diff_command(run: Run, old: str, new: str | None, at: str | None, patch: bool) -> None:
    """Show what differs between two commits or dates.

    NEW is the present unless named.

    \b
    Examples:
      gitmem diff 4f1c2ab
      gitmem diff "1 week ago" today --patch
    """
    from gitmem.features.reading import diff
    from gitmem.features.reading import patch as patch_of

    if new and at:
        raise UsageError("NEW and --at name one thing twice", fix="use one of them")

    def ask(workspace: Workspace) -> tuple[Difference, str | None]:
        found = diff(workspace, old, new or at)
        return found, patch_of(workspace, found.old, found.new) if patch else None

    found, text = run.read(ask)
    if run.output.json:
        run.output.answer(_value(found, text))
    elif text is not None:
        run.output.text(clean(text))
    else:
        run.output.answer(None, _lines(run, found))


def _value(found: Difference, text: str | None) -> dict[str, Any]:
    value = {
        "commit": found.new,
        "old": found.old,
        "new": found.new,
        "entries": [_entry(one) for one in found.entries],
    }
    return value if text is None else {**value, "patch": text}


def _entry(one: EntryDifference) -> dict[str, Any]:
    return {
        "id": one.id,
        "title": one.title,
        "status": one.status,
        "old_path": one.old_path,
        "new_path": one.new_path,
        "changes": [
            {"field": change.field, "old": change.old, "new": change.new} for change in one.changes
        ],
    }


def _lines(run: Run, found: Difference) -> list[str]:
    colours = {"added": "green", "removed": "red", "changed": "yellow"}
    lines: list[str] = []
    for one in found.entries:
        status = run.output.styled(one.status, colours[one.status])
        lines.append(f"{status} {one.new_path or one.old_path}  {one.id}  {one_line(one.title)}")
        for change in one.changes:
            lines.append(f"    {change.field}: {short(change.old)} -> {short(change.new)}")
    return lines or ["no difference"]
