"""gitmem retire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitmem.cli.context import Run
from gitmem.cli.each import change_each
from gitmem.cli.options import command, expect_option, reason_option, refs_argument

if TYPE_CHECKING:
    from gitmem.features.answers import Answer
    from gitmem.features.workspace import Workspace


@command("retire")
@refs_argument()
@reason_option()
@expect_option()
def retire_command(run: Run, refs: tuple[str, ...], reason: str, expect: str | None) -> None:
    """Take entries out of use; they can be restored.

    A retired entry is neither loaded nor recalled. After the grace period gc takes it out of the
    tree; the branch's history keeps it even then.

    \b
    Examples:
      gitmem retire old-cache --reason "the cache is gone"
      gitmem retire old-cache use-postgres --json
    """
    from gitmem.features.lifecycle import Request, move

    def change(workspace: Workspace, ref: str) -> Answer:
        return move(workspace, "retire", Request(ref, reason, expect))

    change_each(run, refs, change)
