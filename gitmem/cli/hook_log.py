"""gitmem hook-log."""

from __future__ import annotations

import click

from gitmem.cli.context import Run
from gitmem.cli.options import command
from gitmem.cli.output import clean


@command("hook-log")
@click.option("--limit", type=click.IntRange(min=1), default=200, metavar="N", help="Last lines.")
def hook_log_command(run: Run, limit: int) -> None:
    """Print the last lines of the log of hooks that failed.

    \b
    Examples:
      gitmem hook-log
      gitmem hook-log --limit 50
    """
    from gitmem.hooks.log import read_log

    lines = clean(read_log(run.environ)).splitlines()[-limit:]
    run.output.answer({"lines": lines}, lines or ["no hook of yours has failed"])
