"""Whether the hook should speak at all. `search` never asks.

A greeting shares a word with some entry of any store; a prompt that an entry is about shares two,
or one that the entry names as its keyword or tag. Judged on the plain score, before neighbours
and feedback. Only the standard library.
"""

from __future__ import annotations

from gitmem.features.recall.query import Query
from gitmem.features.recall.scoring import Document, gain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SHORTEST = 10
"""A prompt of fewer characters gets nothing."""


def is_relevant(
    query: Query, frequencies: Mapping[str, int], count: int, best: Document
) -> bool:
    """Whether the best entry meets enough of the prompt to be worth showing.

    Masses are in units of what a word that no entry holds would be worth.
    """
    asked = [term for term in query.weights if term not in query.fillers]
    unseen = gain(0, count)
    if not asked or not unseen:
        return False
    mass = {term: gain(frequencies.get(term, 0), count) / unseen for term in asked}
    met = [term for term in asked if term in best.weighted]
    matched, total = sum(mass[term] for term in met), sum(mass.values())
    cover = matched / total if total else 0.0
    if len(met) >= 2 and matched >= 0.25 * min(total, 6.0):
        return True
    if len(met) >= 3 and cover >= 0.15:
        return True
    return cover >= 0.25 and any(best.declares(term) for term in met)
