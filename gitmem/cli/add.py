"""gitmem add."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from gitmem.cli.context import Run
from gitmem.cli.each import change_one
from gitmem.cli.options import command, reason_option
from gitmem.model.errors import UsageError, ValidationError

if TYPE_CHECKING:
    from gitmem.features.answers import Answer
    from gitmem.features.workspace import Workspace
    from gitmem.features.write.draft import Draft
    from gitmem.model.categories import Tier

TIERS = ("working", "register", "archive")
"""Where a new entry may land; retired is a state that it comes to later."""


@dataclass(frozen=True, slots=True)
class Flags:
    """The fields of an entry as options."""

    title: str | None
    tags: tuple[str, ...]
    fields: tuple[str, ...]
    body: str | None
    files: tuple[str, ...]
    when: str | None
    keywords: tuple[str, ...]
    confidence: float | None

    def given(self) -> dict[str, Any]:
        """The top-level fields that were named."""
        values = {
            "title": self.title,
            "tags": list(self.tags),
            "body": self.body,
            "related_files": list(self.files),
            "when": self.when,
            "keywords": list(self.keywords),
            "confidence": self.confidence,
        }
        return {name: value for name, value in values.items() if value not in (None, [])}


@command("add")
@click.argument("category")
@click.option("--input", "source", metavar="FILE", help="The entry as JSON; - is standard input.")
@click.option("--title", metavar="TEXT", help="At most 120 characters.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="May be given again.")
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="NAME=VALUE",
    help="A field of the category; a list takes several. `gitmem schema CATEGORY` shows them.",
)
@click.option("--body", metavar="TEXT", help="The text of a category without fields; - reads it.")
@click.option("--file", "files", multiple=True, metavar="PATH", help="A file that it is about.")
@click.option("--when", metavar="TEXT", help="When it should be recalled.")
@click.option("--keyword", "keywords", multiple=True, metavar="WORD", help="A word to find it by.")
@click.option("--confidence", type=float, metavar="0…1", help="How sure it is.")
@click.option("--slug", metavar="SLUG", help="The name of its file; made from the title if absent.")
@click.option("--tier", type=click.Choice(TIERS), help="Where it goes; register if absent.")
@reason_option()
def add_command(
    run: Run,
    category: str,
    source: str | None,
    slug: str | None,
    tier: Tier | None,
    reason: str,
    **flags: Any,
) -> None:
    """Add an entry.

    The entry comes from a JSON file or from options. Values are tidied, checked against the
    category and searched for secrets; what can't be kept is refused with the field and a remedy.

    \b
    Examples:
      gitmem add note --title "Deploys need two reviews" --body "Ask Mara or Ben." --tag deploy
      gitmem add decision --title "Use SQLite for tests" --tag database \\
        --field status=accepted --field context="Tests were slow." \\
        --field decision="Tests run on SQLite." --field rationale="It starts at once."
      gitmem add decision --input draft.json --reason "agreed in the weekly"
    """
    from gitmem.features.write.pipeline import NewEntry, create

    body = flags["body"]
    asked = Flags(**{**flags, "body": None if body is None else run.text_of(body)})
    given = None if source is None else _document(run, source, category, asked)

    def change(workspace: Workspace) -> Answer:
        draft = given or _of_flags(workspace, category, asked)
        return create(workspace, NewEntry(category, draft, tier, slug, reason))

    change_one(run, change)


def _document(run: Run, source: str, category: str, asked: Flags) -> Draft:
    from gitmem.features.write.draft import draft_from_json

    if asked.given() or asked.fields:
        raise UsageError(
            "--input holds the whole entry", fix="put the other fields into it, or leave it out"
        )
    data = run.json_object(source)
    said = data.get("category", category)
    if said != category:
        raise ValidationError(
            f"the input is of another category: {said}",
            field="category",
            expected=category,
            got=said,
            fix=f"use `gitmem add {said}`, or correct the input",
        )
    return draft_from_json(data)


def _of_flags(workspace: Workspace, category: str, asked: Flags) -> Draft:
    from gitmem.features.write.draft import Draft
    from gitmem.features.write.flags import fields_from_flags

    given: dict[str, Any] = {"tags": [], "content": {}}
    known = workspace.store.snapshot().config.category(category)
    # An unknown category has no fields; the pipeline says so.
    if known is not None:
        given |= fields_from_flags(known, asked.fields).given
    return Draft({**given, **asked.given()})
