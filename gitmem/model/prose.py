"""The text of an entry: what people wrote into its body, sections and free fields.

What is searched, and what a snippet is cut from. Chosen words (a status, a severity) and dates
are no text: every other entry has them too. Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from gitmem.model.categories import category_named
from gitmem.model.entry import Entry


def prose(entry: Entry) -> str:
    """All texts of an entry, one line or block each; its files and aliases come last."""
    chosen = _chosen(entry.category)
    told: list[str] = []
    for name, value in entry.content.items():
        if type(value) is str:
            if name not in chosen:
                told.append(value)
        elif value and name not in chosen:
            told += _strings(value)
    if entry.extra:
        told.append(entry.extra.preamble)
        for section in entry.extra.sections:
            told += (section.heading.lstrip("# "), section.text)
    told += entry.related_files
    return "\n".join(told)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)


@cache
def _chosen(category: str) -> frozenset[str]:
    """The keys of a category whose values are picked, not written."""
    keys = category_named(category).keys
    return frozenset(key.name for key in keys if key.kind not in ("string", "list"))
