"""gitmem unarchive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitmem.cli.context import Run
from gitmem.cli.each import change_each
from gitmem.cli.options import command, expect_option, reason_option, refs_argument

if TYPE_CHECKING:
    from gitmem.features.answers import Answer
    from gitmem.features.workspace import Workspace


@command("unarchive")
@refs_argument()
@reason_option()
@expect_option()
def unarchive_command(run: Run, refs: tuple[str, ...], reason: str, expect: str | None) -> None:
    """Bring archived entries back.

    They return to the tier that they left.

    \b
    Examples:
      gitmem unarchive archived-plan
    """
    from gitmem.features.lifecycle import Request, move

    def change(workspace: Workspace, ref: str) -> Answer:
        return move(workspace, "unarchive", Request(ref, reason, expect))

    change_each(run, refs, change)
