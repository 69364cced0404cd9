"""What a candidate is worth for a prompt: BM25 over weighted fields, nearness, coverage.

Pure arithmetic over token lists; only the standard library.
"""

from __future__ import annotations

from math import log, sqrt

from gitmem.features.recall.query import Query
from gitmem.index.stored import FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WEIGHTS = {
    "keywords": 5.0,
    "title": 3.0,
    "when": 3.0,
    "tags": 3.0,
    "note": 1.5,
    "body": 0.5,
    "date": 0.5,
}
_WEIGHTS = tuple(WEIGHTS[field] for field in FIELDS)
FEW = 6
"""Counting so many terms one by one is faster than looking at every term of a field."""
_DATED = FIELDS.index("date")

K1 = 1.2
B = 0.4
POWER = 0.85
"""Flattens idf: one rare word must not outweigh three that fit."""
NEAR, NEAR_WEIGHT = 4, 0.7
COVER = 0.5
"""The share of the score that depends on how much of the prompt an entry meets."""


class Document:
    """A candidate: its terms by field, where it stands in its session, what it is worth."""

    __slots__ = (
        "cover", "feedback", "fields", "length", "near", "neighbours", "place", "row", "score",
        "session", "weighted",
    )  # fmt: skip

    def __init__(self, row: int, fields: list[list[str]], session: int, place: int) -> None:
        self.row = row
        self.fields = fields
        self.session = session
        self.place = place
        self.length = sum(map(len, fields))
        self.weighted: dict[str, float] = {}
        """Terms of the prompt that it holds, with the sum of their fields' weights."""
        self.score = self.near = self.feedback = self.neighbours = 0.0
        self.cover = 1.0


def parse_document(row: int, words: str, session: int, place: int) -> Document:
    """A stored entry; a row of an older form with fewer lines still counts."""
    return Document(row, [line.split() for line in words.split("\n")], session, place)


def gain(frequency: int, count: int) -> float:
    """What finding a term that so many of `count` entries hold is worth; never negative."""
    share = max(0.0, count - frequency + 0.5) / (frequency + 0.5)
    return float(log(1.0 + share) ** POWER)


class Scorer:
    """Scores documents for one set of terms."""

    def __init__(self, gains: Mapping[str, float], query: Query, average: float) -> None:
        self._gains = gains
        self._terms = frozenset(gains)
        self._average = average or 1.0
        self._own = {term: gains[term] for term in query.weights if term in gains}
        self._pairs = [
            (a, b, NEAR_WEIGHT * min(gains[a], gains[b]))
            for a, b in query.pairs
            if a in gains and b in gains
        ]
        self._paired = frozenset(term for a, b, _ in self._pairs for term in (a, b))
        self._mass = sum(self._own.values())

    def score(self, document: Document) -> None:
        """Set the document's score and its parts."""
        total = self.worth(document)
        held = document.weighted
        document.near = self._nearness(document) if self._pairs else 0.0
        if self._mass:
            met = sum(self._own[term] for term in held if term in self._own)
            document.cover = 1.0 - COVER + COVER * met / self._mass
        document.score = (total + document.near) * document.cover

    def worth(self, document: Document) -> float:
        """BM25 over the weighted counts of the fields."""
        gains = self._gains
        held: dict[str, float] = {}
        for weight, field in zip(_WEIGHTS, document.fields, strict=False):
            met = self._terms.intersection(field)
            if len(met) > FEW:
                # One pass for all of them: a long prompt asks for dozens.
                for term in field:
                    if term in met:
                        held[term] = held.get(term, 0.0) + weight
                continue
            for term in met:
                held[term] = held.get(term, 0.0) + weight * field.count(term)
        document.weighted = document.weighted or held
        norm = K1 * (1.0 - B + B * document.length / self._average)
        return sum(
            gains[term] * times * (K1 + 1.0) / (times + norm) for term, times in held.items()
        )

    def _nearness(self, document: Document) -> float:
        """Words that stood together in the prompt and stand together here."""
        total = 0.0
        for field in document.fields[:_DATED]:
            if len(self._paired.intersection(field)) > 1:
                places = self._places(field)
                for first, second, worth in self._pairs:
                    if first in places and second in places:
                        distance = _distance(places[first], places[second])
                        if distance <= NEAR:
                            total += worth / sqrt(distance)
        return total

    def _places(self, field: Sequence[str]) -> Mapping[str, Sequence[int]]:
        # One pass for all terms: a long prompt asks for dozens.
        places: dict[str, list[int]] = {}
        for place, term in enumerate(field):
            if term in self._paired:
                places.setdefault(term, []).append(place)
        return places

    def reasons(self, document: Document) -> tuple[str, ...]:
        """The parts of a scored document's score, for people."""
        norm = K1 * (1.0 - B + B * document.length / self._average)
        parts = []
        for term, times in sorted(document.weighted.items()):
            worth = self._gains[term] * times * (K1 + 1.0) / (times + norm)
            own = "" if term in self._own else " (related)"
            where = ", ".join(_fields_with(document.fields, term))
            parts.append((worth, f"{term}{own} in {where}: {worth:.2f}"))
        told = [text for _, text in sorted(parts, key=lambda part: -part[0])]
        if document.near:
            told.append(f"words near each other: {document.near:.2f}")
        told.append(f"share of the prompt met: x{document.cover:.2f}")
        if document.feedback:
            told.append(f"like the best hits: {document.feedback:.2f}")
        if document.neighbours:
            told.append(f"its session: {document.neighbours:.2f}")
        return tuple(told)


def _distance(first: Sequence[int], second: Sequence[int]) -> int:
    """How far apart the nearest two are; a word is never near itself."""
    return min((abs(a - b) for a in first for b in second if a != b), default=NEAR + 1)


def _fields_with(fields: Sequence[Sequence[str]], term: str) -> list[str]:
    return [name for name, field in zip(FIELDS, fields, strict=False) if term in field]
