"""gitmem health."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gitmem.cli.context import Run
from gitmem.cli.options import command
from gitmem.cli.output import columns, one_line


@command("health")
def health_command(run: Run) -> None:
    """Judge the state of the memory.

    \b
    Examples:
      gitmem health
      gitmem health --json
    """
    from gitmem.features.status import health

    answer = run.read(health)
    run.output.answer(answer, _lines(run, answer))


def _lines(run: Run, answer: dict[str, Any]) -> Iterator[str]:
    style = "yellow" if answer["issues"] else "green"
    yield run.output.styled(answer["summary"], style)
    yield from (f"  {one_line(issue)}" for issue in answer["issues"])
    rows = [
        (name, *(f"{count} {state}" for state, count in counts.items()))
        for name, counts in answer["entries"].items()
    ]
    yield from _section("entries", ("".join(row) for row in columns(rows)))
    often = answer["heavily_updated"]
    yield from _section(
        "often updated", (f"{one['target']}  {one['times_updated']} times" for one in often)
    )
    gone = answer["recent_retirements"]
    yield from _section(
        "retired lately", (f"{one['target']}  {one_line(one['reason'])}" for one in gone)
    )


def _section(title: str, lines: Iterator[str]) -> Iterator[str]:
    shown = [f"  {line}" for line in lines]
    if shown:
        yield from ("", title, *shown)
