"""index.md: the active entries, one line each, by category and title."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.features.view.contents import Touched
from gitmem.features.view.pages.lines import COUNTED, MOST, index_line, left_out
from gitmem.features.view.templates import fill
from gitmem.index import overview
from gitmem.model.categories import ACTIVE
from gitmem.store.snapshot import Snapshot

FILE = "index.md"


def files(snapshot: Snapshot, touched: Sequence[Touched] | None) -> Iterable[str]:
    """Any change of an active entry may alter the page."""
    if touched is None or any(one.address.tier in ACTIVE for one in touched):
        yield FILE


def render(snapshot: Snapshot, file: str, prefix: str) -> str:
    """The newest entries; those that there is no room for are counted."""
    found = overview.newest(snapshot.index, ACTIVE, MOST)
    total = len(found)
    if total == MOST:
        total = overview.count(snapshot.index, ACTIVE, COUNTED)
    found.sort(key=lambda line: (line.category.upper(), line.title.casefold(), line.id))
    return fill(
        FILE,
        lines="\n".join(index_line(snapshot, line, prefix) for line in found),
        more=left_out(len(found), total, "gitmem list"),
    )
