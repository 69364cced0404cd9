"""gitmem supersede."""

from __future__ import annotations

from gitmem.cli.context import Run
from gitmem.cli.each import change_one
from gitmem.cli.options import command, expect_option, reason_option, ref_argument


@command("supersede")
@ref_argument("old")
@ref_argument("new", required=False)
@reason_option()
@expect_option()
def supersede_command(run: Run, old: str, new: str | None, reason: str, expect: str | None) -> None:
    """Say that an entry holds no longer, and which one does.

    Only OLD is changed: it names NEW as its successor, or none.

    \b
    Examples:
      gitmem supersede old-cache use-postgres --reason "the database caches for us"
      gitmem supersede old-cache
    """
    from gitmem.features.lifecycle import Request, supersede

    change_one(run, lambda workspace: supersede(workspace, Request(old, reason, expect), new))
