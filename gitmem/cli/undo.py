"""gitmem undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gitmem.cli.context import Run
from gitmem.cli.options import command, reason_option
from gitmem.cli.output import SHORT
from gitmem.model.errors import UsageError

if TYPE_CHECKING:
    from gitmem.features.answers import Undone


@command("undo")
@click.argument("commit", required=False, metavar="[COMMIT]")
@click.option("--session", metavar="ID", help="Take back all that this session changed.")
@reason_option()
def undo_command(run: Run, commit: str | None, session: str | None, reason: str) -> None:
    """Take back one change, or all changes of a session.

    An undo is a change of its own: nothing leaves the history, and it can be undone in turn. It is
    refused where a later change touched the same entry.

    \b
    Examples:
      gitmem undo 4f1c2ab
      gitmem undo --session 3f9c
    """
    from gitmem.features.undo import undo_commit, undo_session

    if bool(commit) == bool(session):
        raise UsageError(
            "name a commit or a session", fix="`gitmem log` shows both: gitmem undo COMMIT"
        )
    if session:
        answer = run.write(lambda workspace: undo_session(workspace, session, reason))
        value = {"status": "undone", "undoes": answer.undoes, "commits": answer.commits}
    else:
        answer = run.write(lambda workspace: undo_commit(workspace, commit or "", reason))
        value = {"status": "undone", "undoes": answer.undoes[0], "commit": answer.commits[0]}
    run.output.warn(answer.warnings)
    run.output.answer({**value, "ids": answer.ids, "warnings": answer.warnings}, _told(run, answer))


def _told(run: Run, answer: Undone) -> list[str]:
    done = run.output.styled("undone", "green")
    return [
        f"{done} {undone[:SHORT]}  commit {commit[:SHORT]}"
        for undone, commit in zip(answer.undoes, answer.commits, strict=True)
    ]
