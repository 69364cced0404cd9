"""Terms beside the prompt's own: other words for the same, a near word for a typo, feedback.

They are worth a share of what the prompt's own words are worth and never decide whether the hook
speaks. Only the standard library.
"""

from __future__ import annotations

from gitmem.features.recall.query import Query
from gitmem.features.recall.scoring import Document, Scorer, gain
from gitmem.features.recall.synonyms import synonyms
from gitmem.index.analyser import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitmem.features.recall.ranked import Source

SYNONYM_WEIGHT = 0.4
TYPO_WEIGHT = 0.7
MOST_SYNONYMS = 8
MOST_WIDENED = 16
"""Only so many words of a prompt are widened: a long one says enough itself."""
SHORTEST_TYPO = 5
ALIKE = 0.55
FEEDBACK_ENTRIES, FEEDBACK_TERMS, FEEDBACK_WEIGHT = 3, 30, 0.3


def related_terms(
    query: Query, frequencies: Mapping[str, int], source: Source
) -> Iterator[tuple[str, float, int]]:
    """Term, worth and frequency of what is related to the prompt's words and in the store."""
    words = list(query.plain.items())[:MOST_WIDENED]
    unseen = gain(0, source.count)
    wanted: dict[str, float] = {}
    for term, word in words:
        own = gain(frequencies[term], source.count) if term in frequencies else unseen
        others = _synonyms(word, term)[:MOST_SYNONYMS]
        if others:
            query.related[term] = others
        for other in others:
            if other not in query.weights:
                wanted[other] = max(own, wanted.get(other, 0.0))
    known = source.frequencies(wanted) if wanted else {}
    for other, frequency in known.items():
        worth = min(gain(frequency, source.count), wanted[other])
        yield other, SYNONYM_WEIGHT * worth, frequency
    for term, _ in words:
        if term not in frequencies and len(term) >= SHORTEST_TYPO and term.isalpha():
            meant = _nearest(term, source)
            if meant is not None:
                query.related.setdefault(term, []).append(meant)
                frequency = source.frequencies([meant])[meant]
                yield meant, TYPO_WEIGHT * gain(frequency, source.count), frequency


def add_feedback(documents: Sequence[Document], gains: Mapping[str, float], source: Source) -> None:
    """Raise a little what shares telling words with the best documents, best first.

    No document is raised by words of its own: only by those that another of the best has too.
    """
    best = documents[:FEEDBACK_ENTRIES]
    holders: dict[str, list[Document]] = {}
    for document in best:
        for term in {term for field in document.fields[:-1] for term in field}:
            if term not in gains:
                holders.setdefault(term, []).append(document)
    more = _feedback_gains(holders, max(gains.values()), source)
    if not more:
        return
    scorer = Scorer(more, Query(), source.average)
    for document in documents[FEEDBACK_ENTRIES:]:
        document.feedback = scorer.worth(document)
    for document in best:
        others = {term: worth for term, worth in more.items() if holders[term] != [document]}
        document.feedback = Scorer(others, Query(), source.average).worth(document)
    for document in documents:
        document.score += document.feedback


def _feedback_gains(
    holders: Mapping[str, Sequence[Document]], most: float, source: Source
) -> dict[str, float]:
    """What the terms of the best documents are worth; little beside a weak prompt's own words."""
    frequencies = source.frequencies(holders) if holders else {}
    rarity = {term: gain(frequency, source.count) for term, frequency in frequencies.items()}
    worth = {
        term: rarity[term] * sum(document.score for document in holders[term]) for term in rarity
    }
    chosen = sorted(worth, key=lambda term: (-worth[term], term))[:FEEDBACK_TERMS]
    if not chosen or not worth[chosen[0]]:
        return {}
    scale = FEEDBACK_WEIGHT * FEEDBACK_ENTRIES / len(chosen) / worth[chosen[0]]
    scale *= min(1.0, most / gain(0, source.count))
    return {term: scale * worth[term] * rarity[term] for term in chosen}


def _synonyms(word: str, term: str) -> list[str]:
    """The terms of the words that mean the same as this one in any of its forms."""
    for end, cut in _FORMS:
        base = (word[:-cut] if cut else word) + end
        if len(base) > 1 and (base == word or stem(base) == term):
            found = synonyms(base)
            if found:
                return list(dict.fromkeys(stem(other) for other in found))
    return []


_FORMS = (("", 0), ("", 1), ("", 2), ("", 3), ("e", 3), ("e", 2), ("y", 3), ("", 4))
"""A word without its ending: `jobs`, `boxes`, `fixing`, `caching`, `cached`, `queries`."""


def _nearest(term: str, source: Source) -> str | None:
    """The term of the store that an unknown one was probably meant to be."""
    grams = _grams(term)
    best, nearest = ALIKE, None
    for other in source.alike(term[:2], len(term) - 2, len(term) + 2):
        theirs = _grams(other)
        alike = 2 * len(grams & theirs) / (len(grams) + len(theirs))
        if alike > best or (alike == best and nearest is None):
            best, nearest = alike, other
    return nearest


def _grams(term: str) -> set[str]:
    padded = f" {term} "
    return {padded[place : place + 3] for place in range(len(padded) - 2)}
