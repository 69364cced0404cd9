"""Which fields differ between two versions of an entry; standard library only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gitmem.model.entry import Entry, entry_to_dict

_NO_FIELDS = ("id", "content")
_JSON_NAMES = {"created": "created_at", "reviewed": "reviewed_at"}
"""Keys that are called otherwise in JSON than in the file."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field by its dotted path, and its JSON values before and after; None: absent."""

    field: str
    old: Any
    new: Any


def field_changes(old: Entry, new: Entry) -> tuple[FieldChange, ...]:
    """The fields that differ, in the order of the file."""
    before, after = flat_fields(old), flat_fields(new)
    return tuple(
        FieldChange(name, before.get(name), after.get(name))
        for name in {**before, **after}
        if before.get(name) != after.get(name)
    )


def flat_fields(entry: Entry) -> Mapping[str, Any]:
    """Every field that has a value, by its dotted path (`content.status`)."""
    whole = entry_to_dict(entry)
    top = {_JSON_NAMES.get(name, name): value for name, value in whole.items()}
    for name in _NO_FIELDS:
        top.pop(name, None)
    inner = {f"content.{name}": value for name, value in (whole.get("content") or {}).items()}
    return {name: value for name, value in {**top, **inner}.items() if value is not None}
