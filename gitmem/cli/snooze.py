"""gitmem snooze."""

from __future__ import annotations

import click

from gitmem.cli.context import Run
from gitmem.cli.each import change_each
from gitmem.cli.options import command, expect_option, reason_option, refs_argument
from gitmem.model.errors import UsageError

MOST_DAYS = 36_500


@command("snooze")
@refs_argument()
@click.option("--until", metavar="WHEN", help="A day or time: 2027-01-31, `in 2 weeks`.")
@click.option("--days", type=click.IntRange(1, MOST_DAYS), metavar="N", help="So many days.")
@reason_option()
@expect_option()
def snooze_command(
    run: Run,
    refs: tuple[str, ...],
    until: str | None,
    days: int | None,
    reason: str,
    expect: str | None,
) -> None:
    """Leave entries alone for a while.

    Upkeep doesn't ask about them until then; 30 days unless told otherwise.

    \b
    Examples:
      gitmem snooze use-postgres --days 14
      gitmem snooze old-cache --until 2030-01-31
    """
    from gitmem.features.lifecycle import Request, snooze

    moment = _moment(run, until, days)
    change_each(
        run, refs, lambda workspace, ref: snooze(workspace, Request(ref, reason, expect), moment)
    )


def _moment(run: Run, until: str | None, days: int | None) -> int | None:
    from gitmem.model.times import DAY, parse_moment

    now = int(run.clock())
    if until and days:
        raise UsageError("--until and --days are two ways to say one thing", fix="use one of them")
    if days:
        return now + days * DAY
    if not until:
        return None
    try:
        return parse_moment(until, now)
    except ValueError as error:
        raise UsageError(
            str(error), field="until", got=until, fix="for instance --days 30"
        ) from error
