"""One way to ask any strategy: text in, rows of the index with scores out, best first.

To add a strategy, write a function here, a row in `STRATEGIES`, and its name among the choices of
`retrieval.match_strategy`. Each imports what it needs when it is asked, because the recall hook
comes through here and waits for every import.
"""

from __future__ import annotations

from gitmem.features.recall.ranked import Hit, recall, search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gitmem.index.search import Found, TermSource

DEFAULT = "ranked"


class Ask:
    """What is looked for, and how."""

    __slots__ = (
        "changed", "content", "descriptions", "explain", "hesitant", "limit", "now", "source",
        "text",
    )  # fmt: skip

    def __init__(
        self,
        text: str,
        source: TermSource,
        limit: int,
        *,
        now: float,
        changed: Callable[[str], float] | None = None,
        descriptions: Mapping[str, str] | None = None,
        content: bool = False,
        explain: bool = False,
        hesitant: bool = False,
    ) -> None:
        self.text = text
        self.source = source
        self.limit = limit
        self.now = now
        self.changed = changed or source.changed
        """When an entry of that id last changed, in seconds."""
        self.descriptions = descriptions
        """What the store says of its categories, by name."""
        self.content = content
        """`keywords` looks at whole entries."""
        self.explain = explain
        self.hesitant = hesitant
        """For the hook: nothing, rather than what has little to do with the text."""


def find(ask: Ask, strategy: str = DEFAULT) -> list[Hit]:
    """The best entries by a strategy, best first."""
    return STRATEGIES[strategy](ask) if ask.limit > 0 else []


def _ranked(ask: Ask) -> list[Hit]:
    if ask.hesitant:
        return recall(ask.text, ask.source, ask.limit)
    return search(ask.text, ask.source, ask.limit, explain=ask.explain)


def _title_tags(ask: Ask) -> list[Hit]:
    from gitmem.features.recall import title_tags

    rows = [_TitleRow(found, ask.changed) for found in ask.source.all_entries()]
    least = title_tags.SHORTEST_PROMPT if ask.hesitant else 0
    found = title_tags.search(ask.text, rows, ask.limit, ask.now, ask.descriptions, shortest=least)
    return [
        Hit(row.row, float(score), title_tags.reasons(ask.text, row, score, ask.now))
        if ask.explain
        else Hit(row.row, float(score))
        for row, score in found
    ]


def _keywords(ask: Ask) -> list[Hit]:
    from gitmem.features.recall import keywords

    rows = [_KeywordRow(found) for found in ask.source.all_entries()]
    found = keywords.search(ask.text, rows, content=ask.content)
    why = ("a word of the query, or one spelt nearly so, is in it",) if ask.explain else ()
    return [Hit(row.row, 1.0, why) for row in found[: ask.limit]]


STRATEGIES: Mapping[str, Callable[[Ask], list[Hit]]] = {
    "ranked": _ranked,
    "title_tags": _title_tags,
    "keywords": _keywords,
}


class _TitleRow:
    """An entry as `title_tags` sees it."""

    __slots__ = ("_changed", "category", "id", "row", "tags", "title")

    retired = False
    """The source shows retired entries only when they were asked for."""

    def __init__(self, found: Found, changed: Callable[[str], float]) -> None:
        self.row = found.row
        self.id = found.id
        self.category = found.category
        self.title = found.title
        self.tags: Sequence[str] = found.tags.lower().split("\n")
        self._changed = changed

    @property
    def updated(self) -> float:
        # Asked of the best few alone.
        return self._changed(self.id)


class _KeywordRow:
    """An entry as `keywords` sees it."""

    __slots__ = ("body", "keywords", "name", "row", "when")

    def __init__(self, found: Found) -> None:
        from gitmem.model.jsontext import loads

        document: dict[str, Any] = loads(found.document)
        self.row = found.row
        self.name = found.slug
        self.keywords: Sequence[str] = document.get("keywords") or ()
        self.when = str(document.get("when") or "")
        self.body = "\n".join(_strings(document.get("content")))


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in inner for text in _strings(part)]
