"""SUMMARY.md: archived sessions, one line each, newest first."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from gitmem.features.view.contents import Touched
from gitmem.features.view.pages.lines import COUNTED, MOST, left_out, plain
from gitmem.features.view.pages.recent import FOLDER
from gitmem.features.view.templates import fill
from gitmem.index import overview
from gitmem.index.overview import Line
from gitmem.store.snapshot import Snapshot

FILE = "SUMMARY.md"
_TIER = ("archive",)
_LONGEST_GOAL = 200


def files(snapshot: Snapshot, touched: Sequence[Touched] | None) -> Iterable[str]:
    """Only archived sessions stand on the page."""
    if touched is None or any(
        one.address.folder == FOLDER and one.address.tier in _TIER for one in touched
    ):
        yield FILE


def render(snapshot: Snapshot, file: str, prefix: str) -> str:
    """A line for each session: when, what, how it ended, what it was for."""
    found = overview.newest(snapshot.index, _TIER, MOST, folders=(FOLDER,), documents=True)
    total = overview.count(snapshot.index, _TIER, COUNTED, folder=FOLDER)
    return fill(
        FILE,
        lines="\n".join(map(_line, found)),
        more=left_out(len(found), total, "gitmem list --tier archive --category session_summary"),
    )


def _line(line: Line) -> str:
    content = json.loads(line.document)["content"]
    goal = plain(str(content.get("goal") or ""))
    if len(goal) > _LONGEST_GOAL:
        goal = goal[:_LONGEST_GOAL].rstrip() + "…"
    shown = f"- {line.created[:10]}: {plain(line.title)}"
    if content.get("outcome"):
        shown += f" ({plain(str(content['outcome']))})"
    return f"{shown}: {goal} ^{line.id}" if goal else f"{shown} ^{line.id}"
