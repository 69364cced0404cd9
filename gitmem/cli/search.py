"""gitmem search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gitmem.cli.context import Run
from gitmem.cli.options import at_option, command
from gitmem.cli.output import clean, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST = 1000
STRATEGIES = ("ranked", "title_tags", "keywords")


@command("search")
@click.argument("words", nargs=-1, required=True, metavar="QUERY")
@click.option("--limit", type=click.IntRange(1, MOST), default=10, show_default=True, metavar="N",
              help="Show at most so many.")  # fmt: skip
@click.option("--category", metavar="NAME", help="Only this category.")
@click.option("--include-retired", is_flag=True, help="Retired entries too.")
@click.option("--archived", is_flag=True, help="Archived entries too.")
@click.option("--strategy", type=click.Choice(STRATEGIES), help="How to look; else as configured.")
@click.option("--content", is_flag=True, help="The strategy keywords looks at whole entries.")
@click.option("--branch", is_flag=True, help="Leave out what was learned on unmerged branches.")
@click.option("--explain", is_flag=True, help="Say why each entry stands where it does.")
@at_option()
def search_command(
    run: Run,
    words: tuple[str, ...],
    limit: int,
    category: str | None,
    include_retired: bool,
    archived: bool,
    strategy: str | None,
    content: bool,
    branch: bool,
    explain: bool,
    at: str | None,
) -> None:
    """Find the entries that fit a question, best first.

    \b
    Examples:
      gitmem search "which database do the services use"
      gitmem search --explain --limit 3 src/db.py
      gitmem search --include-retired --archived plan
      gitmem search --at yesterday --json database
    """
    from gitmem.features.searching import search

    query = run.text_of(words[0]) if len(words) == 1 else " ".join(words)
    found = run.read(
        lambda workspace: search(
            workspace,
            query,
            limit=limit,
            strategy=strategy,
            content=content or None,
            category=category,
            include_retired=include_retired,
            archived=archived,
            branch=branch,
            explain=explain,
            at=at,
        )
    )
    answer = {"commit": found.commit, "hits": found.hits}
    run.output.answer(answer, _lines(run, query, found.hits))
    if not found.hits and not run.output.json:
        run.output.hint("nothing fits; --include-retired and --archived look further")


def _lines(run: Run, query: str, hits: Sequence[dict[str, Any]]) -> Iterator[str]:
    if not hits:
        return
    from gitmem.features.snippets import marked, words_of

    words = words_of(query)
    for hit in hits:
        title = marked(hit["title"], words)
        name = run.output.styled(hit["id"], "cyan")
        yield f"{name}  {hit['target']}  {_shown(run, title.text, title.matches)}"
        if hit["snippet"]:
            yield f"  {_shown(run, hit['snippet'], hit['matches'])}"
        yield from (f"    {one_line(reason)}" for reason in hit.get("why", ()))


def _shown(run: Run, text: str, matches: Sequence[Sequence[int]]) -> str:
    """The text with its matches in a colour, where colours are wanted."""
    parts: list[str] = []
    at = 0
    for start, end in matches:
        parts += (clean(text[at:start]), run.output.styled(clean(text[start:end]), "yellow"))
        at = end
    return "".join((*parts, clean(text[at:])))
