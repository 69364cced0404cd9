"""What recall asks of the index: terms and their frequencies, entries by term, what may be shown.

`TermSource` is the `Source` of `features/recall/ranked`. It reads, and works on an open index as
on a bare connection, because the recall hook opens nothing else; so nothing is imported here that
a hook would wait for. Which entries may be shown is decided here, by place and category.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from gitmem.index.db import Index

ACTIVE = ("working", "register")
_AT_ONCE = 500
"""So many values in one query; SQLite takes no more than some thousand."""


class Found:
    """An entry of the index as a hit shows it. `tags` are one a line, `document` is its JSON."""

    __slots__ = (
        "blob", "category", "created", "document", "folder", "id", "path", "row", "slug", "tags",
        "tier", "title",
    )  # fmt: skip

    def __init__(self, *values: Any) -> None:
        (
            self.row,
            self.path,
            self.id,
            self.tier,
            self.folder,
            self.slug,
            self.blob,
            self.category,
            self.title,
            self.created,
            self.tags,
            self.document,
        ) = values


class TermSource:
    """The entries of some tiers; the terms and frequencies are those of all."""

    def __init__(
        self,
        index: Index | sqlite3.Connection,
        tiers: Sequence[str] = ACTIVE,
        *,
        hide: frozenset[str] = frozenset(),
        categories_off: frozenset[str] = frozenset(),
        category: str | None = None,
    ) -> None:
        """`hide` are ids; `category` is the only one to show, `categories_off` are never shown."""
        rows = getattr(index, "rows", None)
        self._ask: Callable[..., list[Any]] = rows or _asking(index)
        self._hidden = hide
        clauses = [f"e.tier IN ({_marks(tiers)})"]
        self._values: list[str] = list(tiers)
        if category is not None:
            clauses.append("e.category = ?")
            self._values.append(category)
        if categories_off:
            clauses.append(f"e.category NOT IN ({_marks(categories_off)})")
            self._values += sorted(categories_off)
        self._shown = " AND ".join(clauses)
        totals = self._ask("SELECT entries, terms FROM totals")
        self.count: int = totals[0][0] if totals else 0
        """How many entries there are, of any tier."""
        self.average: float = totals[0][1] / totals[0][0] if self.count else 1.0
        """Terms of an entry on average."""

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """Each of these terms that any entry holds, with the number of entries."""
        asked = list(terms)
        found: dict[str, int] = {}
        for start in range(0, len(asked), _AT_ONCE):
            part = asked[start : start + _AT_ONCE]
            query = f"SELECT term, entries FROM frequencies WHERE term IN ({_marks(part)})"
            found.update(self._ask(query, part))
        return found

    def rows(self, term: str, most: int) -> list[int]:
        """The rows of the newest entries that hold a term, at most so many."""
        query = "SELECT rowid FROM terms WHERE terms MATCH ? ORDER BY rowid DESC LIMIT ?"
        return [row[0] for row in self._ask(query, (f'"{term}"', most))]

    def stored(self, rows: Sequence[int]) -> list[tuple[int, str, int, int]]:
        """Row, terms, session and place of those of these rows that may be shown."""
        found: list[tuple[int, str, int, int]] = []
        for start in range(0, len(rows), _AT_ONCE):
            part = rows[start : start + _AT_ONCE]
            # An entry of no session is a session of its own: below nought, where no maker is.
            query = (
                "SELECT e.id, e.row, r.words, coalesce(o.maker, -e.row), coalesce(o.place, 0)"
                " FROM entries e CROSS JOIN recalled r ON r.row = e.row"
                " LEFT JOIN origins o ON o.id = e.id"
                f" WHERE e.row IN ({_marks(part)}) AND {self._filter}"
            )
            asked = self._ask(query, [*part, *self._values])
            found += [row[1:] for row in asked if row[0] not in self._hidden]
        return found

    def alike(self, start: str, least: int, most: int) -> list[str]:
        """The terms with that start and a length from `least` to `most`."""
        query = (
            "SELECT term FROM frequencies WHERE term >= ? AND term < ?"
            " AND length(term) BETWEEN ? AND ?"
        )
        return [row[0] for row in self._ask(query, (start, f"{start}\U0010ffff", least, most))]

    def entries(self, rows: Sequence[int]) -> dict[int, Found]:
        """What a hit shows, of these rows."""
        query = f"SELECT {_FOUND} FROM entries e WHERE e.row IN ({_marks(rows)})"
        return {row[0]: Found(*row) for row in self._ask(query, list(rows))}

    def all_entries(self) -> list[Found]:
        """Every entry that may be shown, for strategies that look at each."""
        query = f"SELECT {_FOUND} FROM entries e WHERE {self._shown} ORDER BY e.row"
        found = [Found(*row) for row in self._ask(query, self._values)]
        return [one for one in found if one.id not in self._hidden]

    def changed(self, entry_id: str) -> float:
        """When an entry last changed, in seconds; 0 where nobody knows."""
        query = "SELECT max(c.time) FROM changes h JOIN commits c ON c.seq = h.seq WHERE h.id = ?"
        return float(self._ask(query, (entry_id,))[0][0] or 0)

    @property
    def _filter(self) -> str:
        # The plus keeps SQLite from going through a whole tier by its index.
        return self._shown.replace("e.tier IN", "+e.tier IN", 1)


_FOUND = (
    "e.row, e.path, e.id, e.tier, e.folder, e.slug, e.blob, e.category, e.title, e.created,"
    " e.tags, e.document"
)


def _marks(values: Sequence[Any] | frozenset[str]) -> str:
    return ", ".join("?" * len(values))


def _asking(connection: Any) -> Callable[..., list[Any]]:
    def ask(query: str, values: Sequence[Any] = ()) -> list[Any]:
        found: list[Any] = connection.execute(query, values).fetchall()
        return found

    return ask
