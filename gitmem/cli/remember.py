"""gitmem remember."""

from __future__ import annotations

import click

from gitmem.cli.context import Run
from gitmem.cli.each import change_one
from gitmem.cli.options import command


@command("remember")
@click.argument("text", nargs=-1, required=True, metavar="TEXT…")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag; may be given again.")
def remember_command(run: Run, text: tuple[str, ...], tags: tuple[str, ...]) -> None:
    """Keep a text as a note in working memory.

    The first line is the title. `-` reads the text from standard input. What an agent remembers
    (GITMEM_SOURCE=agent) lands in the register, unless the config key working.agents allows more.

    \b
    Examples:
      gitmem remember "Run the migrations before the tests"
      gitmem remember Ask Mara about the billing export --tag billing
    """
    from gitmem.features.write.pipeline import remember

    whole = run.text_of(" ".join(text))
    change_one(run, lambda workspace: remember(workspace, whole, tags=tags))
