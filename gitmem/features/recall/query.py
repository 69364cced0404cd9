"""A prompt as the terms that `ranked` asks for, each with its weight.

Stop words are gone; a word with a capital inside a sentence (mostly a name) counts double. A
pasted log may hold thousands of words: the first of them are enough. Standard library only.
"""

from __future__ import annotations

from gitmem.features.recall.analyser import is_month, stem, terms
from gitmem.features.recall.stop_words import FILLERS

NAME_WEIGHT = 2.0
MOST_CHARACTERS = 20_000
MOST_WORDS = 400


class Query:
    """Distinct terms in the order of the prompt.

    `weights`: term -> weight. `pairs`: terms that stood next to each other. `fillers`: terms that
    only come from words of every conversation. `plain`: term -> the word as typed, in lower case.
    """

    __slots__ = ("fillers", "pairs", "plain", "weights")

    def __init__(self) -> None:
        self.weights: dict[str, float] = {}
        self.pairs: list[tuple[str, str]] = []
        self.fillers: set[str] = set()
        self.plain: dict[str, str] = {}


def parse_query(text: str) -> Query:
    """The terms of a prompt."""
    query = Query()
    starts = True
    before: str | None = None
    for chunk in text[:MOST_CHARACTERS].split()[:MOST_WORDS]:
        word = chunk.strip("\"'`.,;:!?()[]{}<>*")
        lower = word.lower()
        capital = not starts and word[:1].isupper()
        starts = chunk.endswith((".", "!", "?", ":")) and len(chunk) > 2
        found = terms(chunk)
        if not found and capital and is_month(lower):
            found = [stem(lower)]
        for term in found:
            _add(query, term, lower, NAME_WEIGHT if capital else 1.0)
            if before is not None and before != term:
                query.pairs.append((before, term))
            before = term
    return query


def _add(query: Query, term: str, word: str, weight: float) -> None:
    if term not in query.weights:
        query.plain[term] = word
        if word in FILLERS:
            query.fillers.add(term)
    elif word not in FILLERS:
        query.fillers.discard(term)
    query.weights[term] = max(weight, query.weights.get(term, 0.0))
