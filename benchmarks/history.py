"""The history of one entry among many commits: the index against `git log -- path`."""

from __future__ import annotations

from collections.abc import Iterator

from gitmem.store.store import Store

from benchmarks.measure import Result, in_turns, run, shown
from benchmarks.stores import Place

GOAL = 500.0
PROMISED_AT = 100_000
TURNS = 3


def measure(place: Place) -> Iterator[Result]:
    """One entry from the middle of the history."""
    count = place.scale.entries[-1]
    folder = place.store(count)
    with Store.open(folder, place.environ) as store:
        snapshot = store.snapshot()
        one = sorted(snapshot.entries(("register",)), key=lambda found: found.id)[count // 2]

        def ours() -> None:
            if not store.snapshot().history(one.id):
                raise RuntimeError(f"no history of {one.id}")

        def git() -> None:
            if not run(
                ["git", "log", "--format=%H", "memory", "--", one.path], folder, place.environ
            ):
                raise RuntimeError(f"git log finds nothing at {one.path}")

        mine, theirs = in_turns(TURNS, ours, git)
    yield Result(
        f"history of one entry among {count:,} commits",
        theirs / mine,
        GOAL if count >= PROMISED_AT else None,
        f"{shown(mine)}, git log {shown(theirs)}",
        at_least=True,
    )
