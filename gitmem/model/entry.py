"""An entry: one memory as data, without its place (tier, path) and without its history.

What git knows is not repeated here (I3). Values are in valid form (`model/text.py`) once the
write pipeline or the codec made them. Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple


class ExtraKey(NamedTuple):
    """An unknown frontmatter key: its source lines, kept behind the known key `after`."""

    after: str | None
    source: str


class ExtraSection(NamedTuple):
    """An unknown section: its heading line and text, kept behind the known section `after`."""

    after: str | None
    heading: str
    text: str


class Extra(NamedTuple):
    """What gitmem doesn't know and keeps: unknown keys, sections, text before any heading."""

    keys: tuple[ExtraKey, ...] = ()
    sections: tuple[ExtraSection, ...] = ()
    preamble: str = ""

    def __bool__(self) -> bool:
        return bool(self.keys or self.sections or self.preamble)


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory.

    `content` holds the category's own keys, its sections and, with a free body, `body`; JSON
    shapes as in CLI.md (`alternatives` is a list of {option, rejected_reason}, `examples` is
    {prefer, avoid}). In `content` a section that is absent is None or missing, one that is empty
    is "" or [].
    """

    id: str
    category: str
    title: str
    created: str
    tags: tuple[str, ...] = ()
    related_files: tuple[str, ...] = ()
    confidence: float | None = None
    when: str | None = None
    keywords: tuple[str, ...] = ()
    pinned: bool = False
    snoozed_until: str | None = None
    reviewed: str | None = None
    superseded_by: str | None = None
    appreciation: int = 0
    content: Mapping[str, Any] = field(default_factory=dict)
    extra: Extra = field(default_factory=Extra)


def entry_to_dict(entry: Entry) -> dict[str, Any]:
    """The entry as a plain dict, ready for JSON: the file's keys, `content`, `extra`.

    Keys without a value, or with their default, are left out.
    """
    plain: dict[str, Any] = {}
    for name, default in _DEFAULTS.items():
        value = getattr(entry, name)
        if value != default:
            plain[name] = list(value) if isinstance(value, tuple) else value
    plain["content"] = dict(entry.content)
    if entry.extra:
        plain["extra"] = _extra_to_dict(entry.extra)
    return plain


def entry_from_dict(plain: Mapping[str, Any]) -> Entry:
    """The inverse of `entry_to_dict`; a key that is null counts as absent."""
    given: dict[str, Any] = {}
    for name in _DEFAULTS:
        value = plain.get(name)
        if value is not None:
            given[name] = tuple(value) if isinstance(value, list) else value
    return Entry(
        **given,
        content=plain.get("content") or {},
        extra=_extra_from_dict(plain.get("extra") or {}),
    )


def _extra_to_dict(extra: Extra) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "keys": [{"after": key.after, "source": key.source} for key in extra.keys],
        "preamble": extra.preamble,
        "sections": [
            {"after": section.after, "heading": section.heading, "text": section.text}
            for section in extra.sections
        ],
    }
    return {name: value for name, value in plain.items() if value}


def _extra_from_dict(plain: Mapping[str, Any]) -> Extra:
    return Extra(
        keys=tuple(ExtraKey(key.get("after"), key["source"]) for key in plain.get("keys") or ()),
        sections=tuple(
            ExtraSection(section.get("after"), section["heading"], section["text"])
            for section in plain.get("sections") or ()
        ),
        preamble=plain.get("preamble") or "",
    )


_DEFAULTS: dict[str, object] = {
    known.name: known.default for known in fields(Entry) if known.name not in ("content", "extra")
}
