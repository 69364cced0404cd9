"""An entry, its place and its history as the JSON of the contract.

The one form that `show`, `list` and `export` print and that `--input` takes back unchanged.
Nothing is looked up here: the facts are handed in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitmem.model.categories import Tier
from gitmem.model.entry import Entry, entry_to_dict
from gitmem.model.facts import SCHEMA_VERSION, ChangeNote, Facts, Place
from gitmem.store.layout import Address

_STATUS: Mapping[Tier, str] = {
    "working": "active",
    "register": "active",
    "archive": "archived",
    "retired": "retired",
}
_LONG = ("changes", "content")


def entry_json(entry: Entry, place: Place, facts: Facts) -> dict[str, Any]:
    """The whole entry."""
    status = _STATUS[place.tier]
    shown: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "category": entry.category,
        "id": entry.id,
        "title": entry.title,
        "created_at": entry.created,
        "updated_at": facts.updated_at,
        "tags": list(entry.tags),
        "related_files": list(entry.related_files),
        "confidence": entry.confidence,
        "record_status": status,
        "times_updated": facts.times_updated,
        "changes": [_note_json(note) for note in facts.changes],
    }
    if status == "retired":
        shown |= {"retired_at": facts.retired_at, "retired_reason": facts.retired_reason}
    if status == "archived":
        shown |= {"archived_at": facts.archived_at, "archived_reason": facts.archived_reason}
    return {
        **shown,
        "content": {name: value for name, value in entry.content.items() if value is not None},
        "slug": place.slug,
        "tier": place.tier,
        "address": str(Address(place.tier, place.folder, place.slug)),
        "path": place.path,
        "commit": place.commit,
        "blob": place.blob,
        "when": entry.when,
        "keywords": list(entry.keywords),
        "pinned": entry.pinned,
        "snoozed_until": entry.snoozed_until,
        "reviewed_at": facts.reviewed_at,
        "superseded_by": entry.superseded_by,
        "appreciation": entry.appreciation,
        "source": facts.source,
        "extra": entry_to_dict(entry)["extra"] if entry.extra else {},
        "usage": {
            "frequency": facts.usage.frequency,
            "last_session": facts.usage.last_session,
            "created_session": facts.usage.created_session,
            "sessions_since": facts.usage.sessions_since,
        },
    }


def listed_json(entry: Entry, place: Place, facts: Facts) -> dict[str, Any]:
    """The entry as a row of a list: without content and changes."""
    whole = entry_json(entry, place, facts)
    return {name: value for name, value in whole.items() if name not in _LONG}


def _note_json(note: ChangeNote) -> dict[str, Any]:
    shown: dict[str, Any] = {"date": note.date, "summary": note.summary}
    if note.field is not None:
        shown |= {"field": note.field, "old_value": note.old_value, "new_value": note.new_value}
    return shown
