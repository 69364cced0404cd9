"""What writing features answer: one frozen shape, with the keys of the contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """A write's answer. `commit` holds the change; where nothing changed, the state it saw."""

    status: str
    id: str
    target: str
    title: str
    commit: str
    warnings: tuple[str, ...] = ()
    reason: str | None = None
    times_updated: int | None = None
    renamed_from: str | None = None
    similar: tuple[dict[str, str], ...] | None = None
    appreciation: int | None = None
    until: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The answer with its absent parts left out."""
        parts = {
            "status": self.status,
            "target": self.target,
            "id": self.id,
            "title": self.title,
            "reason": self.reason,
            "times_updated": self.times_updated,
            "renamed_from": self.renamed_from,
            "appreciation": self.appreciation,
            "until": self.until,
            "commit": self.commit,
            "similar": None if self.similar is None else list(self.similar),
            "warnings": list(self.warnings),
        }
        return {key: value for key, value in parts.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo took back, and the commits that did it."""

    undoes: tuple[str, ...]
    commits: tuple[str, ...]
    ids: tuple[str, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Collected:
    """What gc took away, or would take away."""

    dry_run: bool
    removed: tuple[dict[str, str | None], ...]
    skipped: tuple[dict[str, str], ...]
    commit: str
    packs: int | None = None
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "status": "planned" if self.dry_run else "collected",
            "removed": list(self.removed),
            "skipped": list(self.skipped),
            "commit": self.commit,
            "warnings": list(self.warnings),
        }
