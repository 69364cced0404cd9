"""gitmem appreciate."""

from __future__ import annotations

import click

from gitmem.cli.context import Run
from gitmem.cli.each import change_one
from gitmem.cli.options import command, expect_option, reason_option, ref_argument


@command("appreciate")
@ref_argument()
@click.argument("amount", type=int, default=1, metavar="[N]")
@reason_option()
@expect_option()
def appreciate_command(run: Run, ref: str, amount: int, reason: str, expect: str | None) -> None:
    """Raise the bonus that keeps an entry from being forgotten.

    By 1, or by N.

    \b
    Examples:
      gitmem appreciate use-postgres
      gitmem appreciate use-postgres 3 --reason "it saved an afternoon"
    """
    from gitmem.features.lifecycle import Request, appreciate

    change_one(run, lambda workspace: appreciate(workspace, Request(ref, reason, expect), amount))
