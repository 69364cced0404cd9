"""gitmem unpin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitmem.cli.context import Run
from gitmem.cli.each import change_each
from gitmem.cli.options import command, expect_option, reason_option, refs_argument

if TYPE_CHECKING:
    from gitmem.features.answers import Answer
    from gitmem.features.workspace import Workspace


@command("unpin")
@refs_argument()
@reason_option()
@expect_option()
def unpin_command(run: Run, refs: tuple[str, ...], reason: str, expect: str | None) -> None:
    """Let upkeep consider entries again.

    The opposite of pin.

    \b
    Examples:
      gitmem unpin deploy-on-fridays
    """
    from gitmem.features.lifecycle import Request, pin

    def change(workspace: Workspace, ref: str) -> Answer:
        return pin(workspace, Request(ref, reason, expect), pinned=False)

    change_each(run, refs, change)
