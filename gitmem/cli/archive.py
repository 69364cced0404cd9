"""gitmem archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitmem.cli.context import Run
from gitmem.cli.each import change_each
from gitmem.cli.options import command, expect_option, reason_option, refs_argument

if TYPE_CHECKING:
    from gitmem.features.answers import Answer
    from gitmem.features.workspace import Workspace


@command("archive")
@refs_argument()
@reason_option()
@expect_option()
def archive_command(run: Run, refs: tuple[str, ...], reason: str, expect: str | None) -> None:
    """Move entries to the archive: found on request, never loaded.

    Archived entries are kept for good.

    \b
    Examples:
      gitmem archive old-cache --reason "only of historical interest"
    """
    from gitmem.features.lifecycle import Request, move

    def change(workspace: Workspace, ref: str) -> Answer:
        return move(workspace, "archive", Request(ref, reason, expect))

    change_each(run, refs, change)
