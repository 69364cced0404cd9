"""gitmem index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gitmem.cli.context import Run
from gitmem.cli.options import command
from gitmem.cli.output import SHORT
from gitmem.model.errors import UsageError

if TYPE_CHECKING:
    from gitmem.features.workspace import Workspace
    from gitmem.index.db import Index
    from gitmem.store.catchup import Progress


@command("index")
@click.option("--rebuild", is_flag=True, help="Throw the index away and build it from the branch.")
@click.option("--validate", is_flag=True, help="Compare the index with the branch.")
def index_command(run: Run, rebuild: bool, validate: bool) -> None:
    """Rebuild or check the index.

    The index is derived from the branch: rebuilding loses nothing, and is hardly ever needed.
    With faults found the exit code is 1.

    \b
    Examples:
      gitmem index --validate
      gitmem index --rebuild
    """
    if rebuild == validate:
        raise UsageError("say what to do with the index", fix="use --rebuild or --validate")
    if rebuild:
        with run.output.progress("index") as progress:
            answer = run.write(lambda workspace: _rebuild(workspace, progress))
        text = f"rebuilt the index: {answer['entries']} entries at {answer['commit'][:SHORT]}"
        run.output.answer(answer, [text])
        return
    answer = run.write(_validate)
    run.output.answer(answer, _told(answer))
    if answer["status"] != "valid":
        click.get_current_context().exit(1)


def _rebuild(workspace: Workspace, progress: Progress | None) -> dict[str, Any]:
    workspace.store.rebuild_index(progress)
    snapshot = workspace.store.snapshot()
    return {
        "status": "rebuilt",
        "commit": snapshot.commit,
        "entries": len(_entries(snapshot.record)),
    }


def _validate(workspace: Workspace) -> dict[str, Any]:
    """The index against one that is built from the branch alone."""
    from gitmem.index.db import memory_index
    from gitmem.index.queries import problems
    from gitmem.store.catchup import catch_up

    snapshot = workspace.store.snapshot()
    snapshot.record.check()
    right = memory_index()
    with right.writing():
        catch_up(right, workspace.store.objects, snapshot.commit)
    held, real = _entries(snapshot.record), _entries(right)
    wrong = {
        "missing": sorted(set(real) - set(held)),
        "stale": sorted(set(held) - set(real)),
        "different": sorted(path for path in set(held) & set(real) if held[path] != real[path]),
        "commits_missing": sorted(_commits(right) - _commits(snapshot.record)),
        "commits_stale": sorted(_commits(snapshot.record) - _commits(right)),
    }
    return {
        "status": "invalid" if any(wrong.values()) else "valid",
        "commit": snapshot.commit,
        "entries": len(real),
        **wrong,
        "problems": [
            {"path": one.path, "why": one.why, "line": one.line} for one in problems(right)
        ],
    }


def _entries(index: Index) -> dict[str, object]:
    from gitmem.index.queries import entries_in
    from gitmem.model.categories import TIERS

    return {row.path: row for row in entries_in(index, TIERS)}


def _commits(index: Index) -> set[str]:
    from gitmem.index.queries import log

    return {one.sha for one in log(index)}


def _told(answer: dict[str, Any]) -> list[str]:
    lines = [
        f"{name.replace('_', ' ')}: {one}"
        for name in ("missing", "stale", "different", "commits_missing", "commits_stale")
        for one in answer[name]
    ]
    lines += [f"not an entry: {one['path']}: {one['why']}" for one in answer["problems"]]
    if answer["status"] == "valid":
        return [*lines, f"the index holds what the branch does: {answer['entries']} entries"]
    return [*lines, "the index is wrong: run `gitmem index --rebuild`"]
