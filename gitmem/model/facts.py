"""What surrounds an entry: where it lies, what history says of it, and the keys of its JSON.

Values only; who derives them is the store's business (I3: history is the log). Standard library
only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gitmem.model.categories import Tier

SCHEMA_VERSION = "1.0"

DERIVED_KEYS = frozenset(
    {
        *("updated_at", "record_status", "times_updated", "changes", "retired_at"),
        *("retired_reason", "archived_at", "archived_reason", "address", "path", "commit"),
        *("blob", "source", "usage"),
    }
)
"""Keys of an entry's JSON that are derived on output and ignored on input."""

STATE_KEYS = frozenset(
    {
        *("id", "slug", "tier", "pinned", "snoozed_until", "reviewed_at", "superseded_by"),
        *("appreciation", "session"),
    }
)
"""Keys that only an import takes: elsewhere they have commands of their own."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry lies at a commit. `slug` is the name of its file."""

    tier: Tier
    folder: str
    slug: str
    path: str
    commit: str
    blob: str


@dataclass(frozen=True, slots=True)
class ChangeNote:
    """One line of an entry's change list: a commit, and a field if one is named."""

    date: str
    summary: str
    field: str | None = None
    old_value: Any = None
    new_value: Any = None


@dataclass(frozen=True, slots=True)
class Usage:
    """How often an entry was recalled, in how many sessions, and how long ago."""

    frequency: int = 0
    last_session: int | None = None
    created_session: int | None = None
    sessions_since: int = 0


@dataclass(frozen=True, slots=True)
class Facts:
    """What history says of an entry."""

    updated_at: str
    times_updated: int = 0
    changes: tuple[ChangeNote, ...] = ()
    retired_at: str | None = None
    retired_reason: str | None = None
    archived_at: str | None = None
    archived_reason: str | None = None
    reviewed_at: str | None = None
    source: str | None = None
    usage: Usage = field(default_factory=Usage)
