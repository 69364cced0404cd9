"""gitmem blame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitmem.cli.context import Run
from gitmem.cli.options import at_option, command, ref_argument
from gitmem.cli.output import SHORT, columns, one_line, short

if TYPE_CHECKING:
    from gitmem.features.reading import BlamedField


@command("blame")
@ref_argument()
@at_option()
def blame_command(run: Run, ref: str, at: str | None) -> None:
    """Show which commit gave each field its value.

    \b
    Examples:
      gitmem blame use-postgres
      gitmem blame use-postgres --at today --json
    """
    from gitmem.features.reading import blame
    from gitmem.model.times import format_time

    commit, fields = run.read(lambda workspace: blame(workspace, ref, at))
    values = [
        {
            "field": one.field,
            "value": one.value,
            "commit": one.commit.sha,
            "time": format_time(one.commit.time),
            "actor": one.commit.actor,
            "op": one.commit.op,
        }
        for one in fields
    ]
    run.output.answer({"commit": commit, "fields": values}, _lines(run, fields))


def _lines(run: Run, fields: list[BlamedField]) -> list[str]:
    from gitmem.model.times import format_time

    rows = [
        (
            one.commit.sha[:SHORT],
            format_time(one.commit.time)[:10],
            one_line(one.commit.actor or ""),
            one.field,
            short(one.value),
        )
        for one in fields
    ]
    return ["".join([run.output.styled(first, "yellow"), *rest]) for first, *rest in columns(rows)]
