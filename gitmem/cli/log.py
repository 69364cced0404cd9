"""gitmem log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gitmem.cli.context import Run
from gitmem.cli.options import at_option, command, ref_argument
from gitmem.cli.output import SHORT, clean, one_line

if TYPE_CHECKING:
    from gitmem.features.reading import Logged
    from gitmem.features.workspace import Workspace


@command("log")
@ref_argument(required=False)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most so many commits.")
@click.option("--session", metavar="ID", help="Only what this session did.")
@click.option("--patch", is_flag=True, help="Show what each commit changed.")
@at_option()
def log_command(
    run: Run,
    ref: str | None,
    limit: int | None,
    session: str | None,
    patch: bool,
    at: str | None,
) -> None:
    """List the commits of the memory or of one entry.

    The newest comes first. An entry is followed through all its tiers and names, also when it is
    no longer there.

    \b
    Examples:
      gitmem log --limit 5
      gitmem log use-postgres --patch
      gitmem log --session 3f9c --json
    """
    from gitmem.features.reading import log

    def ask(workspace: Workspace) -> tuple[object, list[str]]:
        commit, found = log(workspace, ref, limit=limit, session=session, at=at)
        if run.output.json:
            return {"commit": commit, "commits": _values(workspace, found, patch)}, []
        return None, _lines(run, workspace, found, patch)

    run.output.answer(*run.read(ask))


def _values(workspace: Workspace, found: list[Logged], patch: bool) -> list[dict[str, Any]]:
    from gitmem.features.reading import logged_json

    values = [logged_json(workspace, one) for one in found]
    if patch:
        for value in values:
            value["patch"] = _patch(workspace, value["commit"])
    return values


def _lines(run: Run, workspace: Workspace, found: list[Logged], patch: bool) -> list[str]:
    from gitmem.model.times import format_time

    lines: list[str] = []
    for one in found:
        commit = one.commit
        when = format_time(commit.time)[:16].replace("T", " ")
        sha = run.output.styled(commit.sha[:SHORT], "yellow")
        op = f"{commit.op}({commit.category})" if commit.category else commit.op
        who = f"  [{one_line(commit.actor)}]" if commit.actor not in (None, "cli") else ""
        lines.append(
            f"{sha} {when}  {one_line(f'{op}: {commit.title}' if op else commit.title)}{who}"
        )
        if patch:
            lines += [f"    {line}" for line in clean(commit.reason).splitlines()]
            lines += ["", clean(_patch(workspace, commit.sha))]
    return lines


def _patch(workspace: Workspace, commit: str) -> str:
    from gitmem.features.reading import patch

    parents = workspace.store.objects.commit(commit).parents
    return patch(workspace, parents[0] if parents else None, commit)
