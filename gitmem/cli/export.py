"""gitmem export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gitmem.cli.context import Run
from gitmem.cli.options import at_option, command
from gitmem.model.errors import InputError, UsageError

if TYPE_CHECKING:
    from gitmem.features.workspace import Workspace

FORMATS = ("gitmem", "markdown")


@command("export")
@click.argument("target", default="-", metavar="[FILE|DIR|-]")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="gitmem",
    show_default=True,
    help="gitmem: one JSON entry a line. markdown: a folder of files.",
)
@at_option()
def export_command(run: Run, target: str, form: str, at: str | None) -> None:
    """Write all entries to a file, a folder or standard output.

    `gitmem import` reads the lines back. A file that exists is never overwritten.

    \b
    Examples:
      gitmem export
      gitmem export memories-2026.jsonl --at today
      gitmem export --format markdown memories
    """
    if form == "markdown":
        _folder(run, target, at)
    elif target == "-":
        _stream(run, at)
    else:
        _file(run, run.path(target), at)


def _folder(run: Run, target: str, at: str | None) -> None:
    from gitmem.features.export import export_folder

    if target == "-":
        raise UsageError("markdown goes into a folder", fix="name one: --format markdown DIR")
    folder = run.path(target)
    count = run.read(lambda workspace: export_folder(workspace, folder, at=at))
    _tell(run, "markdown", folder, count)


def _stream(run: Run, at: str | None) -> None:
    import json

    lines = run.read(lambda workspace: _lines(workspace, at))
    if run.output.json:
        items = [json.loads(line) for line in lines]
        run.output.answer(
            {"status": "exported", "format": "gitmem", "entries": len(items), "items": items}
        )
    else:
        run.output.raw("".join(lines).encode())


def _lines(workspace: Workspace, at: str | None) -> list[str]:
    from gitmem.features.export import export_jsonl

    return [line if line.endswith("\n") else f"{line}\n" for line in export_jsonl(workspace, at=at)]


def _file(run: Run, path: Path, at: str | None) -> None:
    lines = run.read(lambda workspace: _lines(workspace, at))
    try:
        with path.open("xb") as file:
            file.writelines(line.encode() for line in lines)
    except FileExistsError:
        raise InputError(f"{path} exists already", got=str(path), fix="name another file") from None
    _tell(run, "gitmem", path, len(lines))


def _tell(run: Run, form: str, path: Path, count: int) -> None:
    run.output.answer(
        {"status": "exported", "format": form, "path": str(path), "entries": count},
        [f"exported {count} entries to {path}"],
    )
