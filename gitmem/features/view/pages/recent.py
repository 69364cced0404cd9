"""RECENT.md: the sessions that are still active, newest first, the last five in full."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from gitmem.features.view.contents import Touched
from gitmem.features.view.pages.lines import COUNTED, left_out, plain, text_of
from gitmem.features.view.templates import fill
from gitmem.index import overview
from gitmem.index.overview import Line
from gitmem.model.categories import ACTIVE
from gitmem.store.snapshot import Snapshot

FILE = "RECENT.md"
FOLDER = "sessions"
SHOWN = 5

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


def files(snapshot: Snapshot, touched: Sequence[Touched] | None) -> Iterable[str]:
    """Only sessions stand on the page."""
    if touched is None or any(
        one.address.folder == FOLDER and one.address.tier in ACTIVE for one in touched
    ):
        yield FILE


def render(snapshot: Snapshot, file: str, prefix: str) -> str:
    """The last sessions in full."""
    found = overview.newest(snapshot.index, ACTIVE, SHOWN, folders=(FOLDER,), documents=True)
    total = sum(overview.count(snapshot.index, (tier,), COUNTED, folder=FOLDER) for tier in ACTIVE)
    return fill(
        FILE,
        lines="\n\n".join(map(_session, found)),
        more=left_out(len(found), total, "gitmem list --category session_summary"),
    )


def _session(line: Line) -> str:
    text = text_of(json.loads(line.document))
    return f"## Session: {long_date(line.created)}\n\n**{plain(line.title)}** ^{line.id}\n\n{text}"


def long_date(time: str) -> str:
    """`2026-11-18T07:12:03Z` -> `November 18, 2026`, whatever the locale."""
    year, month, day = time[:10].split("-")
    return f"{_MONTHS[int(month) - 1]} {int(day):02}, {year}"
