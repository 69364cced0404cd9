"""Durable creates and updates by library call against `git add` and `git commit`; fsyncs.

git with its own settings syncs nothing for such a commit; the last row has it sync all.
"""

from __future__ import annotations

import itertools
import random
import re
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gitmem.features.workspace import Workspace
from gitmem.features.write.draft import Draft, draft_from_json
from gitmem.features.write.pipeline import Edit, NewEntry, create, update
from gitmem.store.store import Store

from benchmarks.measure import Result, in_turns, run, shown
from benchmarks.stores import Place, entry, text, workspace

GOALS = {1_000: 3.0, 10_000: 8.0, 100_000: 40.0}
SYNCED_GOAL = 3.0
FSYNCS = 5
_SYNC_ALL = ("-c", "core.fsync=all", "-c", "core.fsyncMethod=fsync")
_GIT_TURNS = {100_000: 8}
_MARK = b"gitmem-bench-write"
_SYNC = re.compile(r" (?:fsync|fdatasync|sync_file_range)\(")


def measure(place: Place) -> Iterator[Result]:
    """A row for each size, one with git syncing, and the number of fsyncs."""
    for size in place.scale.entries:
        yield from _against_git(place, size, (), GOALS.get(size))
    small = place.scale.entries[0]
    goal = SYNCED_GOAL if small in GOALS else None
    yield from _against_git(place, small, _SYNC_ALL, goal)
    yield _fsyncs(place, small)


def _against_git(
    place: Place, size: int, options: tuple[str, ...], goal: float | None
) -> Iterator[Result]:
    folder, twin = place.store(size), place.twin(size)
    turns = min(place.scale.writes, _GIT_TURNS.get(size, place.scale.writes))
    with Store.open(folder, place.environ) as store:
        ours = workspace(store, place.environ)
        for what, job in (("create", creates(ours)), ("update", updates(ours))):
            mine, theirs = in_turns(turns, job, _git_commits(place, twin, options, what))
            yield Result(
                f"{what} at {size:,}{', git syncing all' if options else ''}",
                theirs / mine,
                goal,
                f"{shown(mine)}, git {shown(theirs)}",
                at_least=True,
            )


def creates(ours: Workspace) -> Callable[[], object]:
    """A job that makes one entry."""
    chance, numbers = random.Random(), itertools.count(10_000_000)

    def job() -> object:
        given = entry(chance, next(numbers))
        return create(ours, NewEntry(given["category"], draft_from_json(given)))

    return job


def updates(ours: Workspace) -> Callable[[], object]:
    """A job that changes the body of one of the store's notes."""
    chance = random.Random()
    notes = [one.id for one in ours.snapshot().entries(("register",), category="note", newest=200)]

    def job() -> object:
        patch = Draft({"content": {"body": text(chance, 120)}})
        return update(ours, Edit(chance.choice(notes), patch=patch))

    return job


def _git_commits(
    place: Place, twin: Path, options: tuple[str, ...], what: str
) -> Callable[[], object]:
    chance, numbers = random.Random(), itertools.count()
    notes = sorted((twin / "register" / "notes").rglob("*.md"))[:200]

    def job() -> None:
        path = chance.choice(notes)
        if what == "create":
            path = path.with_name(f"new-{random.getrandbits(64):x}-{next(numbers)}.md")
        path.write_text(f"---\ntitle: a note\n---\n\n{text(chance, 120)}\n", "utf-8")
        run(["git", *options, "add", str(path.relative_to(twin))], twin, place.environ)
        run(["git", *options, "commit", "-q", "-m", f"{what}: a note"], twin, place.environ)

    return job


def _fsyncs(place: Place, size: int) -> Result:
    counts = _traced(place, size)
    return Result(
        "fsyncs of a create",
        statistics.median(counts),
        FSYNCS,
        f"{min(counts)} to {max(counts)} in {len(counts)} creates (a fold of packs included)",
        unit="",
    )


def _traced(place: Place, size: int) -> list[int]:
    """How often each create of a process of its own syncs, as the kernel saw it."""
    folder = place.store(size)
    log = place.folder / "trace"
    child = [sys.executable, "-m", "benchmarks.write", str(folder), str(place.scale.writes)]
    trace = ["strace", "-f", "-o", str(log), "-e", "trace=fsync,fdatasync,sync_file_range,write"]
    try:
        environ = {**place.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        run([*trace, *child], place.folder, environ)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return _wrapped(place, folder)
    counts = [0]
    for line in log.read_text("utf-8", "replace").splitlines():
        if _MARK.decode() in line:
            counts.append(0)
        elif _SYNC.search(line):
            counts[-1] += 1
    return counts[1:-1]


def _wrapped(place: Place, folder: Path) -> list[int]:
    """The same where nothing can be traced: every fsync of Python goes through one function."""
    import os

    plain, counts = os.fsync, [0]

    def counted(fd: Any) -> None:
        counts[-1] += 1
        plain(fd)

    with Store.open(folder, place.environ) as store:
        job = creates(workspace(store, place.environ))
        os.fsync = counted
        try:
            for _ in range(place.scale.writes):
                job()
                counts.append(0)
        finally:
            os.fsync = plain
    return counts[:-1]


def _child(folder: Path, times: int) -> None:
    import os

    with Store.open(folder, dict(os.environ)) as store:
        job = creates(workspace(store, dict(os.environ)))
        job()
        for _ in range(times):
            os.write(2, _MARK)
            job()
        os.write(2, _MARK)


if __name__ == "__main__":
    _child(Path(sys.argv[1]), int(sys.argv[2]))
