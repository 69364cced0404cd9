"""How well each recall strategy finds what a question needs, and how well the hook keeps silent.

`python benchmarks/recall_quality.py` prints recall@1, @3 and @5 of every strategy and of the hook,
by kind of store, and the share of prompts that need nothing and still got something. The data in
`data/recall/` is self-written: entries of nine stores, questions with the ids they need, prompts
that need nothing; each in a tune half (on which constants may be chosen) and a test half (which
is only reported). `--cost N` adds the time of a prompt and of a write at N entries.

`SqliteSource` is the reference for what the index must hold; it keeps its tables up to date entry
by entry, as a writer does.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitmem.features.recall import keywords, ranked, title_tags
from gitmem.index.stored import distinct, length, stored_words
from gitmem.model.slug import slugify

DATA = Path(__file__).parent / "data" / "recall"
KINDS: Mapping[str, tuple[str, ...]] = {
    "observations": ("observations",),
    "turns": ("turns",),
    "projects": ("web", "data", "mobile", "embedded", "infra", "research"),
    "personal": ("personal",),
}
MIXED = "all stores as one"
DEPTHS = (1, 3, 5)

_SCHEMA = """
CREATE TABLE recalled (
    row INTEGER PRIMARY KEY, session INTEGER NOT NULL, place INTEGER NOT NULL, words TEXT NOT NULL
);
CREATE TABLE terms (term TEXT PRIMARY KEY, entries INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE sessions (session INTEGER PRIMARY KEY, name TEXT UNIQUE, places INTEGER NOT NULL);
CREATE TABLE totals (entries INTEGER NOT NULL, terms INTEGER NOT NULL);
INSERT INTO totals VALUES (0, 0);
CREATE VIRTUAL TABLE postings USING fts5(
    words, content='', detail=none, columnsize=0, tokenize='ascii'
)
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of entries.jsonl."""

    id: str
    store: str
    title: str
    when: str
    keywords: list[str]
    tags: list[str]
    body: str
    session: str
    created: str

    @property
    def words(self) -> str:
        return stored_words(
            title=self.title,
            body=self.body,
            when=self.when,
            keywords=self.keywords,
            tags=self.tags,
            created=self.created,
        )


@dataclass(frozen=True, slots=True)
class Question:
    """A line of questions.jsonl; without ids it is a prompt that needs nothing."""

    store: str
    text: str
    ids: list[str]
    kind: str
    half: str


class SqliteSource:
    """The tables that `ranked` needs, in SQLite."""

    def __init__(self, file: str = ":memory:") -> None:
        self.sql = sqlite3.connect(file, isolation_level=None)
        self.sql.executescript(_SCHEMA)
        self.sql.execute("PRAGMA synchronous = OFF")
        self._pending: Counter[str] = Counter()
        self._entries = self._length = 0

    @property
    def count(self) -> int:
        return int(self.sql.execute("SELECT entries FROM totals").fetchone()[0])

    @property
    def average(self) -> float:
        entries, terms = self.sql.execute("SELECT entries, terms FROM totals").fetchone()
        return float(terms / entries) if entries else 1.0

    def add(self, row: int, session: str, words: str) -> None:
        """Record an entry; document frequencies follow at `flush`, once a transaction."""
        number, place = self.sql.execute(
            "INSERT INTO sessions (name, places) VALUES (?, 1)"
            " ON CONFLICT (name) DO UPDATE SET places = places + 1 RETURNING session, places",
            (session,),
        ).fetchone()
        self.sql.execute("INSERT INTO recalled VALUES (?, ?, ?, ?)", (row, number, place, words))
        self.sql.execute("INSERT INTO postings (rowid, words) VALUES (?, ?)", (row, words))
        self._count(words, 1)

    def remove(self, row: int) -> None:
        """Forget an entry; the table without content is told what it had been given."""
        (words,) = self.sql.execute("SELECT words FROM recalled WHERE row = ?", (row,)).fetchone()
        self.sql.execute(
            "INSERT INTO postings (postings, rowid, words) VALUES ('delete', ?, ?)", (row, words)
        )
        self.sql.execute("DELETE FROM recalled WHERE row = ?", (row,))
        self._count(words, -1)

    def flush(self) -> None:
        """Bring the document frequencies up to date, in the order of their table."""
        self.sql.executemany(
            "INSERT INTO terms VALUES (?, ?)"
            " ON CONFLICT (term) DO UPDATE SET entries = entries + excluded.entries",
            sorted(self._pending.items()),
        )
        self._pending.clear()
        self.sql.execute(
            "UPDATE totals SET entries = entries + ?, terms = terms + ?",
            (self._entries, self._length),
        )
        self._entries = self._length = 0

    def _count(self, words: str, by: int) -> None:
        if by > 0:
            self._pending.update(distinct(words))
        else:
            self._pending.subtract(distinct(words))
        self._entries += by
        self._length += by * length(words)

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        asked = list(terms)
        found: dict[str, int] = {}
        for start in range(0, len(asked), 500):
            part = asked[start : start + 500]
            marks = ",".join("?" * len(part))
            query = f"SELECT term, entries FROM terms WHERE entries > 0 AND term IN ({marks})"
            found.update(self.sql.execute(query, part).fetchall())
        return found

    def rows(self, term: str, most: int) -> list[int]:
        query = "SELECT rowid FROM postings WHERE postings MATCH ? ORDER BY rowid DESC LIMIT ?"
        return [row for (row,) in self.sql.execute(query, (f'"{term}"', most))]

    def stored(self, rows: Sequence[int]) -> list[tuple[int, str, int, int]]:
        marks = ",".join("?" * len(rows))
        query = f"SELECT row, words, session, place FROM recalled WHERE row IN ({marks})"
        return self.sql.execute(query, rows).fetchall()

    def alike(self, start: str, least: int, most: int) -> list[str]:
        query = (
            "SELECT term FROM terms WHERE term >= ? AND term < ? AND entries > 0"
            " AND length(term) BETWEEN ? AND ?"
        )
        return [term for (term,) in self.sql.execute(query, (start, f"{start}{{", least, most))]


@dataclass(frozen=True, slots=True)
class KeywordRow:
    name: str
    keywords: list[str]
    when: str
    body: str


@dataclass(frozen=True, slots=True)
class TitleRow:
    category: str
    title: str
    tags: list[str]
    updated: float = 0.0
    retired: bool = False


class Store:
    """A store with every strategy's view of it."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.ids = [entry.id for entry in entries]
        self.source = SqliteSource()
        for row, entry in enumerate(entries):
            self.source.add(row, entry.session, entry.words)
        self.source.flush()
        self.titles = [
            TitleRow("note", entry.title, [tag.lower() for tag in entry.tags]) for entry in entries
        ]
        self.named = [
            KeywordRow(
                slugify(entry.title) or entry.id,
                entry.keywords,
                entry.when,
                entry.body or entry.title,
            )
            for entry in entries
        ]

        self.by_title = {entry.title: entry.id for entry in entries}
        self.by_name = {row.name: entry.id for row, entry in zip(self.named, entries, strict=True)}

    def ranked(self, text: str, limit: int) -> list[str]:
        return [self.ids[hit.row] for hit in ranked.search(text, self.source, limit)]

    def hook(self, text: str, limit: int) -> list[str]:
        return [self.ids[hit.row] for hit in ranked.recall(text, self.source, limit)]

    def title_tags(self, text: str, limit: int) -> list[str]:
        found = title_tags.search(text, self.titles, limit, now=1e12)
        return [self.by_title[row.title] for row, _ in found]

    def keywords(self, text: str, limit: int) -> list[str]:
        found = keywords.search(text, self.named)
        return [self.by_name[row.name] for row in found][:limit]


Strategy = Callable[[Store, str, int], list[str]]
STRATEGIES: Mapping[str, Strategy] = {
    "ranked": Store.ranked,
    "ranked, hook": Store.hook,
    "title_tags": Store.title_tags,
    "keywords": Store.keywords,
}


def read_lines(name: str) -> list[dict[str, Any]]:
    text = (DATA / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def read_data() -> tuple[list[Entry], list[Question]]:
    """All entries and questions."""
    entries = [Entry(**row) for row in read_lines("entries")]
    return entries, [Question(**row) for row in read_lines("questions")]


def build(entries: Sequence[Entry]) -> dict[str, Store]:
    """One store per project, and all of them together."""
    names = dict.fromkeys(entry.store for entry in entries)
    stores = {name: Store([entry for entry in entries if entry.store == name]) for name in names}
    stores[MIXED] = Store(entries)
    return stores


def recall_at(
    strategy: Strategy, stores: Mapping[str, Store], asked: Sequence[Question], mixed: bool
) -> list[float]:
    """The mean share of needed ids among the first 1, 3, 5."""
    sums = dict.fromkeys(DEPTHS, 0.0)
    for question in asked:
        store = stores[MIXED if mixed else question.store]
        found = strategy(store, question.text, max(DEPTHS))
        for depth in DEPTHS:
            sums[depth] += len(set(found[:depth]) & set(question.ids)) / len(question.ids)
    return [total / len(asked) for total in sums.values()]


def disturbed(
    strategy: Strategy, stores: Mapping[str, Store], prompts: Sequence[Question], mixed: bool
) -> float:
    """The share of prompts that need nothing and got something."""
    places = [store for name, store in stores.items() if (name == MIXED) == mixed]
    got = sum(bool(strategy(store, prompt.text, 1)) for store in places for prompt in prompts)
    return got / (len(places) * len(prompts))


def print_quality(stores: Mapping[str, Store], questions: Sequence[Question], half: str) -> None:
    asked = [question for question in questions if question.half == half]
    print(f"\n{half} half: recall@1 / @3 / @5, each store by itself; last: all as one store")
    print(f"{'':14}" + "".join(f"{kind:>24}" for kind in (*KINDS, MIXED)))
    for name, strategy in STRATEGIES.items():
        cells = []
        for group in KINDS.values():
            part = [question for question in asked if question.store in group]
            cells.append(recall_at(strategy, stores, part, mixed=False))
        cells.append(recall_at(strategy, stores, [q for q in asked if q.ids], mixed=True))
        shown = (" / ".join(f"{value:.3f}" for value in cell) for cell in cells)
        print(f"{name:14}" + "".join(f"{cell:>24}" for cell in shown))
    print("prompts that need nothing and got something (each store by itself; all as one)")
    for name, strategy in STRATEGIES.items():
        cells_ = []
        for kind in ("chitchat", "unrelated"):
            prompts = [question for question in asked if question.kind == kind]
            own = disturbed(strategy, stores, prompts, mixed=False)
            whole = disturbed(strategy, stores, prompts, mixed=True)
            cells_.append(f"{kind} {own:.3f}; {whole:.3f}")
        print(f"{name:14}" + "".join(f"{cell:>28}" for cell in cells_))


def print_cost(entries: Sequence[Entry], questions: Sequence[Question], count: int) -> None:
    """The time of a write and of a prompt in a store of many entries."""
    source = SqliteSource()
    # Bodies of two entries and a number make enough different ones.
    made = []
    for row in range(count):
        first, second = entries[row % len(entries)], entries[(row * 7 + row // 300) % len(entries)]
        title = f"{first.title} {row % 9973}"
        made.append(
            (row, f"{first.session}-{row // 1000}", title, f"{first.body} {second.body}", first)
        )
    started = time.process_time()
    words = [
        stored_words(
            title=title, body=body, keywords=first.keywords, tags=first.tags, created=first.created
        )
        for _, _, title, body, first in made
    ]
    analysed = time.process_time() - started
    source.sql.execute("BEGIN")
    for (row, session, *_), line in zip(made, words, strict=True):
        source.add(row, session, line)
    source.flush()
    source.sql.execute("COMMIT")
    written = time.process_time() - started - analysed
    times = []
    for question in questions:
        begun = time.process_time()
        ranked.recall(question.text, source, 5)
        times.append(time.process_time() - begun)
    times.sort()
    source.sql.execute("BEGIN")
    begun = time.process_time()
    for row in range(0, count, max(1, count // 200)):
        line = words[row]
        source.remove(row)
        source.flush()
        source.add(row, "again", line)
        source.flush()
    single = (time.process_time() - begun) / 400
    source.sql.execute("COMMIT")
    analyse, write = analysed / count * 1e6, written / count * 1e6
    print(f"\n{count} entries: analyse {analyse:.0f} us, write {write:.0f} us an entry")
    print(f"one add or remove with its frequencies: {single * 1e6:.0f} us")
    print(
        f"a prompt: median {times[len(times) // 2] * 1e3:.2f} ms, longest {times[-1] * 1e3:.2f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Quality of the recall strategies.")
    parser.add_argument("--cost", type=int, nargs="*", default=[], metavar="N")
    given = parser.parse_args()
    entries, questions = read_data()
    stores = build(entries)
    print(f"{len(entries)} entries, {len(questions)} questions and prompts")
    for half in ("tune", "test"):
        print_quality(stores, questions, half)
    for count in given.cost:
        print_cost(entries, questions, count)


if __name__ == "__main__":
    main()
