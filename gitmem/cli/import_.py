"""gitmem import."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import click

from gitmem.cli.context import Run
from gitmem.cli.options import command
from gitmem.cli.output import SHORT, one_line
from gitmem.model.errors import InputError

FORMATS = ("gitmem",)


@command("import")
@click.argument("file", metavar="FILE|-")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="gitmem",
    show_default=True,
    help="gitmem: one JSON entry a line.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
def import_command(run: Run, file: str, form: str, dry_run: bool) -> None:
    """Read entries from a file, one commit each.

    The file is what `gitmem export` writes: one JSON entry a line. What the store already has is
    skipped, so a second run does nothing. A line that is refused doesn't stop the others; the exit
    code is 1 then.

    \b
    Examples:
      gitmem import memories.jsonl --dry-run
      gitmem import --format gitmem memories.jsonl
    """
    from gitmem.features.importers.gitmem import import_jsonl

    with _opened(run, file) as lines, run.output.progress("import") as progress:
        answer = run.write(
            lambda workspace: import_jsonl(workspace, lines, dry_run=dry_run, progress=progress)
        )
    run.output.warn(answer.warnings)
    value = answer.to_json()
    run.output.answer(value, _told(value))
    if value["failed"]:
        click.get_current_context().exit(1)


@contextmanager
def _opened(run: Run, name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield run.stdin
        return
    try:
        file = run.path(name).open("rb")
    except OSError as error:
        raise InputError(f"{name} can't be read: {error.strerror}", fix="check the path") from error
    with file:
        yield file


def _told(value: dict[str, Any]) -> list[str]:
    word = "would create" if value["status"] == "planned" else "created"
    head = (
        f"{word} {value['created']}, skipped {value['skipped']}  commit {value['commit'][:SHORT]}"
    )
    return [head, *(f"line {one['line']}: {one_line(one['error'])}" for one in value["failed"])]
