"""gitmem update."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gitmem.cli.context import Run
from gitmem.cli.each import change_one
from gitmem.cli.options import command, expect_option, reason_option, ref_argument
from gitmem.model.errors import UsageError

if TYPE_CHECKING:
    from gitmem.features.answers import Answer
    from gitmem.features.workspace import Workspace
    from gitmem.features.write.draft import Draft


@command("update")
@ref_argument()
@click.option("--input", "source", metavar="FILE", help="The entry as JSON; - is standard input.")
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="NAME=VALUE",
    help="A field to change; a list takes several, an empty value takes the field away.",
)
@click.option("--title", metavar="TEXT", help="A new title.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag to add.")
@click.option("--body", metavar="TEXT", help="A new text; - reads it.")
@reason_option()
@expect_option()
def update_command(
    run: Run,
    ref: str,
    source: str | None,
    fields: tuple[str, ...],
    title: str | None,
    tags: tuple[str, ...],
    body: str | None,
    reason: str,
    expect: str | None,
) -> None:
    """Change an entry: the whole of it, or single fields.

    --input is the whole entry: a field of its content that is absent is removed. The other options
    change what they name. Tags and related files only grow. With --expect nobody's change is
    overwritten: use the commit that `gitmem show` printed.

    \b
    Examples:
      gitmem update use-postgres --field status=deprecated --reason "we are moving"
      gitmem update use-postgres --tag storage --expect 4f1c2ab
      gitmem update use-postgres --input changed.json
    """
    from gitmem.features.write.pipeline import Edit, update

    patch = {"title": title, "body": None if body is None else run.text_of(body)}
    given = {name: value for name, value in patch.items() if value is not None}
    if source is None and not (fields or tags or given):
        raise UsageError("nothing to change is named", fix="use --field name=value or --input FILE")
    document = None if source is None else _document(run, source)

    def change(workspace: Workspace) -> Answer:
        return update(
            workspace,
            Edit(ref, document, fields, _patch(given), tags, reason=reason, expect=expect),
        )

    change_one(run, change)


def _document(run: Run, source: str) -> Draft:
    from gitmem.features.write.draft import draft_from_json

    return draft_from_json(run.json_object(source))


def _patch(given: dict[str, Any]) -> Draft | None:
    from gitmem.features.write.draft import Draft

    return Draft(given) if given else None
