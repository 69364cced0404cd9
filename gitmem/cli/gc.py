"""gitmem gc."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gitmem.cli.context import Run
from gitmem.cli.options import command
from gitmem.cli.output import SHORT

if TYPE_CHECKING:
    from gitmem.features.answers import Collected


@command("gc")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
def gc_command(run: Run, dry_run: bool) -> None:
    """Take away what was retired long enough ago.

    Entries leave the tree, one commit each; the history keeps them, and `gitmem undo` brings them
    back. The grace period is the config key delete.grace_period_days. The memory's own packs are
    folded into one.

    \b
    Examples:
      gitmem gc --dry-run
      gitmem gc
    """
    from gitmem.features.upkeep.collect import gc

    answer = run.write(lambda workspace: gc(workspace, dry_run=dry_run))
    run.output.warn(answer.warnings)
    run.output.answer(answer.to_json(), _told(answer))


def _told(answer: Collected) -> list[str]:
    word = "would remove" if answer.dry_run else "removed"
    lines = [
        f"{word} {one['target']}  {one['id']}"
        + (f"  commit {one['commit'][:SHORT]}" if one["commit"] else "")
        for one in answer.removed
    ]
    lines += [f"kept {one['target']}: {one['why']}" for one in answer.skipped]
    return lines or ["nothing to collect"]
