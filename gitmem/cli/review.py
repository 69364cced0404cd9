"""gitmem review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitmem.cli.context import Run
from gitmem.cli.each import change_each
from gitmem.cli.options import command, expect_option, reason_option, refs_argument

if TYPE_CHECKING:
    from gitmem.features.answers import Answer
    from gitmem.features.workspace import Workspace


@command("review")
@refs_argument()
@reason_option()
@expect_option()
def review_command(run: Run, refs: tuple[str, ...], reason: str, expect: str | None) -> None:
    """Say that entries were looked at and still hold.

    Upkeep asks about what nobody has looked at for long; this answers it.

    \b
    Examples:
      gitmem review use-postgres old-cache
    """
    from gitmem.features.lifecycle import Request, review

    def change(workspace: Workspace, ref: str) -> Answer:
        return review(workspace, Request(ref, reason, expect))

    change_each(run, refs, change)
