"""gitmem list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gitmem.cli.context import Run
from gitmem.cli.options import at_option, command
from gitmem.cli.output import columns, one_line
from gitmem.model.categories import TIERS

if TYPE_CHECKING:
    from collections.abc import Sequence


@command("list")
@click.option("--tier", type=click.Choice([*TIERS, "all"]), help="Working and register if absent.")
@click.option("--category", metavar="NAME", help="Only this category.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only entries that have it.")
@click.option("--pinned", is_flag=True, help="Only pinned entries.")
@at_option()
def list_command(
    run: Run,
    tier: str | None,
    category: str | None,
    tags: tuple[str, ...],
    pinned: bool,
    at: str | None,
) -> None:
    """List entries.

    \b
    Examples:
      gitmem list
      gitmem list --tier all --category decision
      gitmem list --tag database --at "3 days ago" --json
    """
    from gitmem.features.reading import list_entries

    found = run.read(
        lambda workspace: list_entries(
            workspace, tier=tier, category=category, tags=tags, pinned=pinned or None, at=at
        )
    )
    if run.output.json:
        run.output.answer({"commit": found.commit, "entries": found.entries})
    else:
        run.output.answer(None, _lines(run, found.entries, int(run.clock())))


def _lines(run: Run, entries: Sequence[dict[str, Any]], now: int) -> list[str]:
    from gitmem.model.times import format_time

    today = format_time(now)
    rows = [(one["id"], one["address"], one_line(one["title"])) for one in entries]
    lines = []
    for (name, address, title), one in zip(columns(rows), entries, strict=True):
        marks = _marks(one, today)
        shown = f"  {run.output.styled(marks, 'yellow')}" if marks else ""
        lines.append(f"{run.output.styled(name, 'cyan')}{address}{title}{shown}")
    return lines


def _marks(one: dict[str, Any], now: str) -> str:
    """What is special about an entry, in brackets."""
    snoozed = one["snoozed_until"]
    marks = {
        "pinned": one["pinned"],
        "snoozed": snoozed is not None and snoozed > now,
        "superseded": one["superseded_by"] is not None,
    }
    said = ", ".join(name for name, holds in marks.items() if holds)
    return f"[{said}]" if said else ""
