"""A create in the largest store against one in the smallest: cost must not follow size."""

from __future__ import annotations

from collections.abc import Iterator

from gitmem.store.store import Store

from benchmarks.measure import Result, in_turns, shown
from benchmarks.stores import Place, workspace
from benchmarks.write import creates, updates

GOAL = 1.5


def measure(place: Place) -> Iterator[Result]:
    """One row for creates, one for updates."""
    small, large = place.scale.entries[0], place.scale.entries[-1]
    environ = place.environ
    with (
        Store.open(place.store(small), environ) as one,
        Store.open(place.store(large), environ) as other,
    ):
        for what, job in (("create", creates), ("update", updates)):
            few, many = in_turns(
                place.scale.writes, job(workspace(one, environ)), job(workspace(other, environ))
            )
            yield Result(
                f"{what} at {large:,} against {small:,}",
                many / few,
                GOAL,
                f"{shown(many)}, {shown(few)}",
            )
