"""Which entries a new one resembles, so that a writer may update instead of adding another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gitmem.features.recall.title_tags import points, tokens
from gitmem.features.write.fix import UNTAGGED

MOST = 3
THRESHOLD = 3


@dataclass(frozen=True, slots=True)
class Row:
    """An entry as far as it is compared."""

    id: str
    title: str
    tags: tuple[str, ...]


def asked_words(title: str, tags: Iterable[str]) -> frozenset[str]:
    """The words that a new entry is compared by; having no tag is nothing in common."""
    return tokens(" ".join([title, *(tag for tag in tags if tag != UNTAGGED)])) - {UNTAGGED}


def similar(title: str, tags: Iterable[str], rows: Iterable[Row]) -> list[dict[str, str]]:
    """The `{"id", "title"}` of the at most 3 entries that score 3 points or more, best first."""
    asked = asked_words(title, tags)
    scored = []
    for row in rows:
        # Most entries share no word: skip them before anything is split.
        whole = " ".join([row.title, *row.tags]).lower()
        if any(word in whole for word in asked):
            score = points(asked, tokens(row.title), row.tags)
            if score >= THRESHOLD:
                scored.append((-score, row.title.lower(), row.id, row.title))
    return [{"id": id, "title": name} for _, _, id, name in sorted(scored)[:MOST]]
