"""The table of categories, arranged for reading and writing files.

Everything here is derived from `model/categories.py` once per category: the codec looks things
up by name and by heading, in the order of the file. Custom categories share one layout: common
keys and a free body.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple, TypeVar

from gitmem.model.categories import (
    BUILT_IN,
    GROUPED,
    Category,
    Key,
    Section,
    category_named,
    file_keys,
)
from gitmem.model.entry import ExtraKey, ExtraSection

T = TypeVar("T", ExtraKey, ExtraSection)

_ANY_CUSTOM = "custom"


class FileKey(NamedTuple):
    """A key of the file. `own`: it lies in the entry's content, not beside it."""

    name: str
    kind: str
    own: bool
    is_text: bool
    optional: bool
    """Whether None, empty and the default (they are what is false) go unwritten."""


class FileSection(NamedTuple):
    """A section of the file. `group`: the object of the content that it is nested in."""

    name: str
    kind: str
    unique: bool
    group: str | None
    title: str
    """The heading line as it is written."""


class Layout(NamedTuple):
    """What a file of one category holds, in order."""

    keys: tuple[FileKey, ...]
    sections: tuple[FileSection, ...]
    key_named: Mapping[str, FileKey]
    section_headed: Mapping[str, FileSection]
    """By the heading line as it is written, and by what `body.heading_name` makes of it."""
    key_places: Mapping[str | None, int]
    """Where keys stand in the file, in order; None is the place before all."""
    section_places: Mapping[str | None, int]

    @property
    def free_body(self) -> bool:
        return not self.sections


def layout_of(category: str) -> Layout:
    """The layout of a category, built in or custom."""
    return _layout(category if category in BUILT_IN else _ANY_CUSTOM)


@cache
def _layout(name: str) -> Layout:
    category = category_named(name)
    keys = tuple(_file_key(key, category) for key in file_keys(category))
    sections = tuple(_file_section(section, name) for section in category.sections)
    return Layout(
        keys=keys,
        sections=sections,
        key_named={key.name: key for key in keys},
        section_headed={
            heading: section
            for section in sections
            for heading in (section.title, section.name.replace("_", " "))
        },
        key_places=_places(keys),
        section_places=_places(sections),
    )


def _places(rows: Sequence[FileKey] | Sequence[FileSection]) -> dict[str | None, int]:
    names: list[str | None] = [None, *(row.name for row in rows)]
    return {name: number for number, name in enumerate(names)}


def by_place(extras: Iterable[T], places: Mapping[str | None, int]) -> dict[str | None, list[T]]:
    """Unknown keys or sections by the known one they follow; strays come last."""
    placed: dict[str | None, list[T]] = {}
    last = [*places][-1]
    for extra in extras:
        placed.setdefault(extra.after if extra.after in places else last, []).append(extra)
    return placed


def in_order(extras: Iterable[T], places: Mapping[str | None, int]) -> tuple[T, ...]:
    """Unknown keys or sections in the order in which they are written."""
    return tuple(sorted(extras, key=lambda extra: places[extra.after]))


def _file_key(key: Key, category: Category) -> FileKey:
    return FileKey(
        name=key.name,
        kind=key.kind,
        own=key in category.keys,
        is_text=key.is_text,
        # A confidence of 0 is a value; every other kind has nothing to say when it is false.
        optional=not key.required and key.kind != "float",
    )


def _file_section(section: Section, category: str) -> FileSection:
    group, members = GROUPED.get(category, (None, ()))
    return FileSection(
        name=section.name,
        kind=section.kind,
        unique=section.unique,
        group=group if section.name in members else None,
        title="## " + section.heading,
    )
