"""gitmem receipts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from gitmem.cli.context import Run
from gitmem.cli.options import command
from gitmem.cli.output import SHORT, one_line


@command("receipts")
@click.argument("session", required=False, metavar="[SESSION]")
def receipts_command(run: Run, session: str | None) -> None:
    """Show what each prompt of a session was shown from memory.

    Told are the entries, the commit they were read at, and the characters of context they took.
    SESSION is the id of a session or the beginning of it. Receipts are kept on this machine for
    90 days.

    \b
    Examples:
      gitmem receipts
      gitmem receipts --json
    """
    from gitmem.features.recall.ledger import receipts

    found = run.read(lambda workspace: receipts(workspace, session))
    run.output.answer({"receipts": found}, _lines(found))


def _lines(found: Sequence[dict[str, Any]]) -> Iterator[str]:
    if not found:
        yield "no prompt was shown anything yet"
    for one in found:
        yield (
            f"{one['time'][:16].replace('T', ' ')}  session {one_line(one['session'])[:SHORT]}"
            f" prompt {one['prompt']}  commit {one['commit'][:SHORT]}"
            f"  {one['characters']} characters"
        )
        for entry in one["entries"]:
            yield f"  {entry['id']}  {one_line(entry['title'] or '(no longer there)')}"
