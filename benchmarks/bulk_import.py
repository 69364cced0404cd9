"""An import, one commit an entry, against `git fast-import` of the very same history."""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Callable, Iterator

from gitmem.features.importers.gitmem import import_jsonl
from gitmem.store.store import Store

from benchmarks.measure import Result, run, shown
from benchmarks.stores import Place, lines, new_store, workspace

GOAL = 1.0
TURNS = 3


def measure(place: Place) -> Iterator[Result]:
    """The import with everything: reading, checks, objects, index, fsyncs."""
    count, environ = place.scale.imported, place.environ
    ours, theirs, stream = (place.folder / name for name in ("ours", "theirs.git", "stream"))
    given = list(lines(count))

    def mine() -> None:
        with Store.open(ours, environ) as store:
            done = import_jsonl(workspace(store, environ), given)
        if done.created != count:
            raise RuntimeError(
                f"{done.created} of {count} entries were imported: {done.failed[:3]}"
            )

    def git() -> None:
        run(["git", "fast-import", "--quiet"], theirs, environ, stdin=stream)

    def fresh() -> None:
        for path in (ours, theirs):
            shutil.rmtree(path, ignore_errors=True)
        new_store(ours, environ)
        theirs.mkdir()
        run(["git", "init", "-q", "--bare"], theirs, environ)

    fresh()
    mine()
    run(["git", "fast-export", "memory"], ours, environ, stdout=stream)
    turns: list[tuple[float, float]] = []
    for _ in range(TURNS):
        fresh()
        turns.append((_seconds(mine), _seconds(git)))
    mine_time, git_time = (statistics.median(times) for times in zip(*turns, strict=True))
    yield Result(
        f"import of {count:,} entries",
        mine_time / git_time,
        GOAL,
        f"{shown(mine_time)} ({mine_time / count * 1e6:.0f} us an entry), "
        f"git fast-import {shown(git_time)}",
    )


def _seconds(job: Callable[[], None]) -> float:
    start = time.perf_counter()
    job()
    return time.perf_counter() - start
