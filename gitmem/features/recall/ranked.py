"""The default strategy: entries ranked by weighted full text, scored here over few candidates.

The rarest terms of the prompt find candidates through the index; all of its terms score them
(BM25 over weighted fields, nearness, share of the prompt that is met), then likeness to the best
hits and the hits beside them in the same session add a little. Common words never find an entry,
so a prompt costs the same in a small store and in a large one.

The index is a `Source`: what it must hold is said there. Nothing here knows SQL, git or the clock;
only the standard library, and of it nothing that is slow to import, because the hook runs this.
"""

from __future__ import annotations

from gitmem.features.recall import abstain
from gitmem.features.recall.query import Query, parse_query
from gitmem.features.recall.scoring import Document, Scorer, gain, parse_document
from gitmem.features.recall.widen import add_feedback, related_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Protocol

    class Source(Protocol):
        """What `ranked` asks of the index, and so what the index must hold.

        Of every entry: a row number, the text of `stored.stored_words`, the session that made it
        (a number, one per session) and its place in that session (counting up; gaps are fine).
        Over all entries: how many there are and how many terms they hold together. Of every term:
        the number of entries that hold it, and their rows.
        """

        @property
        def count(self) -> int:
            """How many entries there are, of any tier."""

        @property
        def average(self) -> float:
            """Terms of an entry on average."""

        def frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
            """Each of these terms that any entry holds, with the number of entries."""

        def rows(self, term: str, most: int) -> Iterable[int]:
            """The rows of the entries that hold a term, of many the `most` newest."""

        def stored(self, rows: Sequence[int]) -> Iterable[tuple[int, str, int, int]]:
            """Row, stored words, session, place of those of these rows that may be shown.

            This is where filters act (tier, category, branch, what was shown before).
            """

        def alike(self, start: str, least: int, most: int) -> Iterable[str]:
            """The terms with that start and a length from `least` to `most`."""


MOST_TERMS = 64
ENOUGH_ROWS = 4_000
CANDIDATES = 80
MOST_TRIED = 800
"""A filter that lets almost nothing pass must not make one prompt read the whole store."""

BEFORE, AFTER, SESSION = 0.2, 0.1, 0.4
"""What the entry before, the one after, and the session's best three add to an entry's score."""


class Hit:
    """One entry found. `why`: the parts of its score for people, when they were asked for."""

    __slots__ = ("row", "score", "why")

    def __init__(self, row: int, score: float, why: tuple[str, ...] = ()) -> None:
        self.row = row
        self.score = score
        self.why = why


def search(text: str, source: Source, limit: int, *, explain: bool = False) -> list[Hit]:
    """The best entries for a prompt, best first. Never abstains: any match is a hit."""
    return _ranked(text, source, limit, explain=explain, hesitant=False)


def recall(text: str, source: Source, limit: int) -> list[Hit]:
    """The same for the hook: nothing at all when the best entry isn't about the prompt."""
    if len(text.strip()) < abstain.SHORTEST:
        return []
    return _ranked(text, source, limit, explain=False, hesitant=True)


def _ranked(text: str, source: Source, limit: int, *, explain: bool, hesitant: bool) -> list[Hit]:
    query = parse_query(text)
    frequencies = dict(source.frequencies(query.weights))
    gains = _gains(query, frequencies, source)
    if not gains:
        return []
    scorer = Scorer(gains, query, source.average)
    documents = _candidates(gains, frequencies, source)
    for document in documents:
        scorer.score(document)
    documents.sort(key=_order)
    if not documents:
        return []
    if hesitant and not abstain.is_relevant(query, frequencies, source.count, documents):
        return []
    add_feedback(documents, gains, source)
    _add_neighbours(documents)
    documents.sort(key=_order)
    return [
        Hit(document.row, document.score, scorer.reasons(document) if explain else ())
        for document in documents[:limit]
    ]


def _order(document: Document) -> tuple[float, int]:
    # Of equals the newer row first: what was said last holds.
    return -document.score, -document.row


def _gains(query: Query, frequencies: dict[str, int], source: Source) -> dict[str, float]:
    """What each term is worth; words that mean the same are worth a share of the prompt's own."""
    count = source.count
    gains = {
        term: weight * gain(frequencies[term], count)
        for term, weight in query.weights.items()
        if term in frequencies
    }
    if len(gains) > MOST_TERMS:
        gains = dict(sorted(gains.items(), key=lambda pair: -pair[1])[:MOST_TERMS])
    for term, worth, frequency in related_terms(query, frequencies, source):
        gains.setdefault(term, worth)
        frequencies.setdefault(term, frequency)
    return gains


def _candidates(
    gains: Mapping[str, float], frequencies: Mapping[str, int], source: Source
) -> list[Document]:
    """The entries that the rarest terms find, those with the most worth of terms first."""
    worth: dict[int, float] = {}
    sum_of = worth.get
    read = 0
    for term in sorted(gains, key=lambda term: (frequencies[term], term)):
        if read and read + frequencies[term] > ENOUGH_ROWS:
            break
        read += frequencies[term]
        more = gains[term]
        for row in source.rows(term, ENOUGH_ROWS):
            worth[row] = sum_of(row, 0.0) + more
    # Pairs sort without a call for each; of equals the newer row comes first.
    best = [row for _, row in sorted(zip(worth.values(), worth, strict=True), reverse=True)]
    documents: list[Document] = []
    for start in range(0, min(len(best), MOST_TRIED), CANDIDATES):
        documents += [
            parse_document(*found) for found in source.stored(best[start : start + CANDIDATES])
        ]
        if len(documents) >= CANDIDATES:
            break
    return documents


def _add_neighbours(documents: Sequence[Document]) -> None:
    """In a conversation the answer often follows the line that holds the question's words."""
    scores = {(document.session, document.place): document.score for document in documents}
    sessions: dict[int, list[float]] = {}
    for document in documents:
        sessions.setdefault(document.session, []).append(document.score)
    means = {session: sum(sorted(found)[-3:]) / 3 for session, found in sessions.items()}
    for document in documents:
        session, place = document.session, document.place
        document.neighbours = (
            BEFORE * scores.get((session, place - 1), 0.0)
            + AFTER * scores.get((session, place + 1), 0.0)
            + SESSION * means[session]
        )
    for document in documents:
        document.score += document.neighbours
