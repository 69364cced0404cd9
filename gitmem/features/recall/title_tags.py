"""The strategy `title_tags`: points by the words of an entry's title and its tags.

2 for each word that the title has, 3 for each that is a tag, 1 for each further word of at least
4 letters that a title word or tag begins with; up to 2 more by the description of the category.
A second pass over the best 20 drops what is retired and lifts what changed lately. Pure functions
over words, exactly as the original program counts; what a row is comes from the caller.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Protocol, TypeVar

    class Row(Protocol):
        """An entry as this strategy sees it; tags are in lower case."""

        @property
        def category(self) -> str: ...
        @property
        def title(self) -> str: ...
        @property
        def tags(self) -> Sequence[str]: ...
        @property
        def updated(self) -> float:
            """When it last changed, in seconds."""

        @property
        def retired(self) -> bool: ...

    R = TypeVar("R", bound=Row)


_WORD = re.compile(r"[a-z0-9]+")
_SHORTEST = 3
_SHORTEST_PREFIX = 4
SHORTEST_PROMPT = 10
CHECKED = 20
"""Only so many of the best are looked at more closely."""
RECENT_SECONDS = 31 * 86_400
"""Whole days count: 30 days and some hours are 30 days."""
MOST_DESCRIBED = 2
PRIORITY = {
    "decision": 1,
    "constraint": 2,
    "preference": 3,
    "runbook": 4,
    "tech_debt": 5,
    "session_summary": 6,
}
_LAST = 10

_COMMON = """
about also and are been being but can could did does else for from get had has have help how into
just know let like make may might must need not out please see shall she should that the then these
they think this those too use very want was were what when where which who whom why will with would
yes you your
"""
STOP_WORDS = frozenset(_COMMON.split())


def tokens(text: str) -> frozenset[str]:
    """The words of a text that count: at least 3 of a-z 0-9, and no stop word."""
    words = _WORD.findall(text.lower())
    return frozenset(word for word in words if len(word) >= _SHORTEST) - STOP_WORDS


def points(asked: Collection[str], title_words: frozenset[str], tags: Collection[str]) -> int:
    """The points for these words. Tags are compared whole; lower case is theirs already."""
    score = 0
    starts = _starts(title_words, tags)
    for word in asked:
        title, tag = word in title_words, word in tags
        if title or tag:
            score += 2 * title + 3 * tag
        elif len(word) >= _SHORTEST_PREFIX and f"\n{word}" in starts:
            score += 1
    return score


def search(
    prompt: str,
    rows: Iterable[R],
    limit: int,
    now: float,
    descriptions: Mapping[str, str] | None = None,
    *,
    shortest: int = SHORTEST_PROMPT,
) -> list[tuple[R, int]]:
    """The best rows for a prompt with their points, best first.

    A prompt of fewer characters than `shortest` finds nothing.
    """
    asked = tokens(prompt)
    if len(prompt.strip()) < shortest or not asked or limit <= 0:
        return []
    described = {
        category: _described(asked, tokens(text))
        for category, text in (descriptions or {}).items()
        if text
    }
    found: list[tuple[R, int]] = []
    for row in rows:
        score = points(asked, tokens(row.title), row.tags) + described.get(row.category, 0)
        if score:
            found.append((row, score))
    found.sort(key=lambda scored: (*_order(scored), *_listed(scored[0])))
    checked = [
        (row, score + (now - row.updated < RECENT_SECONDS))
        for row, score in found[:CHECKED]
        if not row.retired
    ]
    # Sorting keeps the first pass's order where the points are equal now.
    return sorted(checked + found[CHECKED:], key=_order)[:limit]


def reasons(prompt: str, row: Row, score: int, now: float) -> tuple[str, ...]:
    """What a row that was found got its points for, for people."""
    asked, title, tags = tokens(prompt), tokens(row.title), row.tags
    starts = _starts(title, tags)
    others = [word for word in asked if word not in title and word not in tags]
    begun = [word for word in others if len(word) >= _SHORTEST_PREFIX and f"\n{word}" in starts]
    held = (
        ("in the title, 2 points each", [word for word in asked if word in title]),
        ("a tag, 3 points each", [word for word in asked if word in tags]),
        ("begins one of them, 1 point each", begun),
    )
    told = [f"{', '.join(sorted(words))}: {where}" for where, words in held if words]
    more = score - points(asked, title, tags)
    if more and now - row.updated < RECENT_SECONDS:
        told.append("changed lately: 1 point")
        more -= 1
    if more:
        told.append(f"words of its category's description: {more} points")
    return tuple(told)


def _described(asked: Collection[str], words: frozenset[str]) -> int:
    """Points that a category's description gives its entries: half as many for a prefix."""
    halves = 0
    starts = _starts(words, ())
    for word in asked:
        if word in words:
            halves += 2
        elif len(word) >= _SHORTEST_PREFIX and f"\n{word}" in starts:
            halves += 1
    return min(halves // 2, MOST_DESCRIBED)


def _order(scored: tuple[Row, int]) -> tuple[int, int]:
    """Best first; of equals by the rank of their category."""
    row, score = scored
    return -score, PRIORITY.get(row.category, _LAST)


def _listed(row: Row) -> tuple[str, str]:
    """Where the index lists an entry."""
    return row.category.upper(), row.title.lower()


def _starts(title_words: Collection[str], tags: Collection[str]) -> str:
    """One text in which each word stands behind a line end: searched far faster than a list."""
    return "\n".join(("", *title_words, *tags))
