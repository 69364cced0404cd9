"""A prompt as the terms that `ranked` asks for, each with its weight.

Stop words are gone; a word with a capital inside a sentence (mostly a name) counts double. A
pasted log may hold thousands of words: the first of them are enough. Standard library only.
"""

from __future__ import annotations

from gitmem.index.analyser import is_month, stem, terms
from gitmem.index.stop_words import COMMON, FILLERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set

NAME_WEIGHT = 2.0
FILLER_WEIGHT = 0.5
MOST_CHARACTERS = 20_000
MOST_WORDS = 400


class Query:
    """Distinct terms in the order of the prompt, and what is known of them.

    - `weights`: what each counts.
    - `names`: those that look like a proper name.
    - `fillers`, `common`: those from words of every conversation, of any topic.
    - `pairs`: terms that stood next to each other.
    - `plain`: the word as it was typed, in lower case.
    - `related`: terms that say the same, once `widen` has looked for them.
    """

    __slots__ = ("common", "fillers", "names", "pairs", "plain", "related", "weights")

    def __init__(self) -> None:
        self.weights: dict[str, float] = {}
        self.names: set[str] = set()
        self.pairs: list[tuple[str, str]] = []
        self.fillers: set[str] = set()
        self.common: set[str] = set()
        self.plain: dict[str, str] = {}
        self.related: dict[str, list[str]] = {}


def parse_query(text: str) -> Query:
    """The terms of a prompt."""
    query = Query()
    starts = True
    before: str | None = None
    for chunk in text[:MOST_CHARACTERS].split()[:MOST_WORDS]:
        word = chunk.strip("\"'`.,;:!?()[]{}<>*")
        lower = word.lower()
        capital = not starts and word[:1].isupper()
        is_name = capital and not word.isupper() and not is_month(lower)
        starts = chunk.endswith((".", "!", "?", ":")) and len(chunk) > 2
        found = terms(chunk)
        if not found and capital and is_month(lower):
            found = [stem(lower)]
        for term in found:
            _add(query, term, lower, NAME_WEIGHT if capital else 1.0)
            if is_name:
                query.names.add(term)
            if before is not None and before != term:
                query.pairs.append((before, term))
            before = term
    for term in query.fillers:
        query.weights[term] *= FILLER_WEIGHT
    return query


def _add(query: Query, term: str, word: str, weight: float) -> None:
    if term not in query.weights:
        query.plain[term] = word
        if _is_among(FILLERS, term, word) or _is_grammar(term):
            query.fillers.add(term)
        elif term.isdigit() or _is_among(COMMON, term, word):
            query.common.add(term)
    elif not _is_among(FILLERS, term, word):
        query.fillers.discard(term)
    query.weights[term] = max(weight, query.weights.get(term, 0.0))


def _is_grammar(term: str) -> bool:
    # Japanese endings and particles are written in hiragana, content words mostly are not.
    return "\u3040" <= term[0] <= "\u309f"


def _is_among(words: Set[str], term: str, word: str) -> bool:
    # `helpful` and `making` are as empty as `help` and `make`.
    return word in words or term in words or f"{term}e" in words
