"""Whether the hook should speak at all. `search` never asks.

A greeting shares a word with some entry of any store. What counts is the share of the prompt's
words, weighed by rarity, that one entry meets: the share asked for is smaller where several words
are met, where one is the entry's keyword, tag or title, or where a name is. Words of every
conversation count on neither side. Judged on the plain score, before neighbours and feedback.
Only the standard library.
"""

from __future__ import annotations

from math import log10

from gitmem.features.recall.query import NAME_WEIGHT, Query
from gitmem.features.recall.scoring import Document, gain
from gitmem.index.stored import FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SHORTEST = 10
"""A prompt of fewer characters gets nothing."""
JUDGED = 3
"""The best entry may be a chance hit while the second is what was asked for."""

ONE_WORD, TWO_WORDS, THREE_WORDS = 0.4, 0.25, 0.15
DECLARED, TITLED, NAMED = 0.2, 0.3, 0.15
"""The least share of the prompt's mass, by the strongest of what is met."""

RELATED_WORTH = 0.5
COMMON_WORTH = 0.4
EVIDENCE = 0.45
_WORTH = {"keywords": 1.2, "title": 1.2, "when": 1.2, "tags": 1.2, "note": 1.0, "body": 0.6}
_LEAST = {"keywords": DECLARED, "tags": DECLARED, "title": TITLED, "when": TITLED}
_ORDER = ("keywords", "tags", "title", "when", "note", "body")
_PLACES = tuple((name, FIELDS.index(name)) for name in _ORDER)

LARGE, STRICTER = 500, 0.2
"""Among ten times as many entries chance hits are stronger: so much more is asked for."""


def is_relevant(
    query: Query, frequencies: Mapping[str, int], count: int, best: Sequence[Document]
) -> bool:
    """Whether one of the best entries meets enough of the prompt to be worth showing."""
    unseen = gain(0, count)
    mass = {
        term: (COMMON_WORTH if term in query.common and term not in query.names else 1.0)
        * gain(frequencies.get(term, 0), count)
        / unseen
        for term in query.weights
        if term not in query.fillers
    }
    total = sum(mass.values())
    strictness = 1.0 + STRICTER * log10(max(count, LARGE) / LARGE)
    return total > 0 and any(
        _share(query, mass, document) >= strictness * total for document in best[:JUDGED]
    )


def _share(query: Query, mass: Mapping[str, float], document: Document) -> float:
    """The mass that an entry meets, over the share that is asked of it."""
    met, words, least = 0.0, 0.0, 1.0
    for term, weight in mass.items():
        place = _place(document, term)
        if place:
            is_name = term in query.names
            met += weight * _WORTH[place] * (NAME_WEIGHT if is_name else 1.0)
            words += 1.0
            if is_name:
                least = NAMED
            elif term not in query.common:
                least = min(least, _LEAST.get(place, 1.0))
        elif any(other in document.weighted for other in query.related.get(term, ())):
            met += weight * RELATED_WORTH
            words += RELATED_WORTH
    if met < EVIDENCE and least > NAMED:
        return 0.0
    by_words = ONE_WORD if words < 1.5 else TWO_WORDS if words < 2.5 else THREE_WORDS
    return met / min(least, by_words)


def _place(document: Document, term: str) -> str | None:
    """The most telling field in which an entry holds a term; its date tells nothing."""
    if term not in document.weighted:
        return None
    for name, field in _PLACES:
        if term in document.fields[field]:
            return name
    return None
