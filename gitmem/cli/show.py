"""gitmem show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gitmem.cli.context import Run
from gitmem.cli.options import at_option, command, ref_argument
from gitmem.cli.output import SHORT, clean

if TYPE_CHECKING:
    from gitmem.features.workspace import Workspace


@command("show")
@ref_argument()
@at_option()
@click.option("--raw", is_flag=True, help="Print the bytes of its file.")
def show_command(run: Run, ref: str, at: str | None, raw: bool) -> None:
    """Print an entry.

    The first line names its address and the commit that --expect takes.

    \b
    Examples:
      gitmem show use-postgres
      gitmem show register/decisions/use-postgres --at today
      gitmem show use-postgres --json
    """
    if run.output.json:
        from gitmem.features.reading import show

        run.output.answer(run.read(lambda workspace: show(workspace, ref, at)))
    elif raw:
        run.output.raw(run.read(lambda workspace: _bytes(workspace, ref, at)))
    else:
        run.output.text(run.read(lambda workspace: _text(run, workspace, ref, at)))


def _bytes(workspace: Workspace, ref: str, at: str | None) -> bytes:
    snapshot = workspace.snapshot(at)
    return snapshot.read_blob(snapshot.find(ref).blob)


def _text(run: Run, workspace: Workspace, ref: str, at: str | None) -> str:
    from gitmem.document.codec import encode
    from gitmem.model.times import format_time

    snapshot = workspace.snapshot(at)
    one = snapshot.find(ref)
    entry = one.entry()
    rows = snapshot.history(one.id)
    updated = format_time(rows[-1].commit.time) if rows else entry.created
    head = f"{one.address}  commit {snapshot.commit[:SHORT]}  updated {updated}"
    return f"{run.output.styled(head, 'dim')}\n\n{clean(encode(entry).decode())}"
