"""PINNED.md: the active entries that are pinned, with their text, newest first."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from gitmem.features.view.contents import Touched
from gitmem.features.view.pages.lines import COUNTED, MOST, left_out, plain, text_of
from gitmem.features.view.templates import fill
from gitmem.index import overview
from gitmem.index.overview import Line
from gitmem.model.categories import ACTIVE
from gitmem.store.snapshot import Snapshot

FILE = "PINNED.md"


def files(snapshot: Snapshot, touched: Sequence[Touched] | None) -> Iterable[str]:
    """Only entries that are or were pinned alter the page."""
    if touched is None or any(one.pinned and one.address.tier in ACTIVE for one in touched):
        yield FILE


def render(snapshot: Snapshot, file: str, prefix: str) -> str:
    """Each under its title."""
    found = overview.pinned(snapshot.index, MOST)
    total = len(found)
    if total == MOST:
        total = overview.count(snapshot.index, ACTIVE, COUNTED, pinned=True)
    return fill(
        FILE,
        lines="\n\n".join(map(_block, found)),
        more=left_out(len(found), total, "gitmem list --pinned"),
    )


def _block(line: Line) -> str:
    text = text_of(json.loads(line.document))
    return f"## {plain(line.title)} ^{line.id}\n\n{text}".rstrip("\n")
