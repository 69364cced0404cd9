"""gitmem candidate."""

from __future__ import annotations

import click

from gitmem.cli.context import Run
from gitmem.cli.options import command

EVENTS = ("resolved", "removed", "reversed", "superseded", "deprecated")


@command("candidate")
@click.option("--category", required=True, metavar="NAME", help="Where to look.")
@click.option("--new-info", required=True, metavar="TEXT", help="What is new; - reads it.")
@click.option("--lifecycle-event", type=click.Choice(EVENTS), help="What became of the old.")
def candidate_command(run: Run, category: str, new_info: str, lifecycle_event: str | None) -> None:
    """Name the entry that new information is about, and what may be done with it.

    Always answers JSON; `gitmem resolve` takes it.

    \b
    Examples:
      gitmem candidate --category decision --new-info "PostgreSQL 17 for the database"
      gitmem candidate --category tech_debt --new-info "two parsers" --lifecycle-event resolved
    """
    from gitmem.features.capture.selecting import candidate, without_store
    from gitmem.model.errors import NotAStore

    run.output.json = True
    text = run.text_of(new_info)
    try:
        answer = run.read(lambda workspace: candidate(workspace, category, text, lifecycle_event))
    except NotAStore:
        answer = without_store(category, text, lifecycle_event)
    run.output.answer(answer)
