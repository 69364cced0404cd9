"""gitmem stats."""

from __future__ import annotations

import click

from gitmem.cli.context import Run
from gitmem.cli.options import command
from gitmem.cli.output import facts


@command("stats")
@click.option("--injected", is_flag=True, help="What recall put into contexts (the default).")
@click.option("--session", metavar="ID", help="Only of this session.")
def stats_command(run: Run, injected: bool, session: str | None) -> None:
    """Count what recall has put into contexts on this machine.

    \b
    Examples:
      gitmem stats --injected
      gitmem stats --injected --json
    """
    from gitmem.features.recall.ledger import injected as count

    found = run.read(lambda workspace: count(workspace, session)).to_json()
    told = {
        "sessions": f"{found['sessions']} with {found['prompts']} prompts",
        "answered": f"{found['answered']} prompts",
        "shown": f"{found['shown']} times, {found['entries']} different entries",
        "characters": f"{found['characters']} of context",
    }
    run.output.answer({"injected": found}, facts(told))
