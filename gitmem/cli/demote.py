"""gitmem demote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitmem.cli.context import Run
from gitmem.cli.each import change_each
from gitmem.cli.options import command, expect_option, reason_option, refs_argument

if TYPE_CHECKING:
    from gitmem.features.answers import Answer
    from gitmem.features.workspace import Workspace


@command("demote")
@refs_argument()
@reason_option()
@expect_option()
def demote_command(run: Run, refs: tuple[str, ...], reason: str, expect: str | None) -> None:
    """Move entries from working memory to the register.

    The register is recalled when it is relevant.

    \b
    Examples:
      gitmem demote deploy-on-fridays --reason "not needed in every session"
    """
    from gitmem.features.lifecycle import Request, move

    def change(workspace: Workspace, ref: str) -> Answer:
        return move(workspace, "demote", Request(ref, reason, expect))

    change_each(run, refs, change)
