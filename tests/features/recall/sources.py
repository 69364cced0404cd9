"""A store in memory that answers what `ranked` asks of the index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.index.stored import distinct, length, stored_words


class MemorySource:
    """Entries by row; `hidden` rows exist and are counted, but may not be shown."""

    def __init__(self) -> None:
        self.words: dict[int, str] = {}
        self.places: dict[int, tuple[int, int]] = {}
        self.hidden: set[int] = set()
        self.asked_rows = 0

    def add(
        self,
        title: str,
        body: str = "",
        *,
        when: str = "",
        keywords: Sequence[str] = (),
        tags: Sequence[str] = (),
        created: str = "2026-01-02T00:00:00Z",
        session: int | None = None,
    ) -> int:
        row = len(self.words) + 1
        self.words[row] = stored_words(
            title=title, body=body, when=when, keywords=keywords, tags=tags, created=created
        )
        place = sum(session == other for other, _ in self.places.values())
        self.places[row] = (row + 1_000, 1) if session is None else (session, place)
        return row

    @property
    def count(self) -> int:
        return len(self.words)

    @property
    def average(self) -> float:
        return sum(map(length, self.words.values())) / max(1, len(self.words))

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        held = [distinct(words) for words in self.words.values()]
        counted = {term: sum(term in words for words in held) for term in terms}
        return {term: count for term, count in counted.items() if count}

    def rows(self, term: str, most: int) -> list[int]:
        found = [row for row, words in self.words.items() if term in words.split()]
        self.asked_rows += len(found)
        return sorted(found, reverse=True)[:most]

    def stored(self, rows: Sequence[int]) -> list[tuple[int, str, int, int]]:
        shown = (row for row in rows if row not in self.hidden)
        return [(row, self.words[row], *self.places[row]) for row in shown]

    def alike(self, start: str, least: int, most: int) -> list[str]:
        known = {term for words in self.words.values() for term in words.split()}
        return sorted(t for t in known if t.startswith(start) and least <= len(t) <= most)
