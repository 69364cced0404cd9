"""gitmem pin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitmem.cli.context import Run
from gitmem.cli.each import change_each
from gitmem.cli.options import command, expect_option, reason_option, refs_argument

if TYPE_CHECKING:
    from gitmem.features.answers import Answer
    from gitmem.features.workspace import Workspace


@command("pin")
@refs_argument()
@reason_option()
@expect_option()
def pin_command(run: Run, refs: tuple[str, ...], reason: str, expect: str | None) -> None:
    """Protect entries from upkeep.

    What is pinned is never demoted, evicted or forgotten by itself.

    \b
    Examples:
      gitmem pin use-postgres --reason "everybody asks"
    """
    from gitmem.features.lifecycle import Request, pin

    def change(workspace: Workspace, ref: str) -> Answer:
        return pin(workspace, Request(ref, reason, expect))

    change_each(run, refs, change)
