"""Which entry of a category new information is about, and what may be done with it.

The scoring is `title_tags` without descriptions; the entry with the most points is the candidate
if it has at least 3. From that and a lifecycle event follow the actions that structure allows.
Pure functions: rows in, an answer out; nothing is read or written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gitmem.features.recall.title_tags import points, tokens
from gitmem.model.categories import Category
from gitmem.model.errors import InputError

Action = Literal["CREATE", "UPDATE", "DELETE", "NOOP"]
Structural = Literal["CREATE", "UPDATE", "UPDATE_OR_DELETE", "NOOP"]

THRESHOLD = 3
LIFECYCLE_EVENTS = ("resolved", "removed", "reversed", "superseded", "deprecated")
DELETE_DISALLOWED = frozenset({"decision", "preference", "session_summary"})
"""Categories that an agent may not retire by itself."""

LONGEST_FIELD = 200
KEY_FIELDS: Mapping[str, tuple[str, ...]] = {
    "decision": ("context", "decision", "rationale"),
    "runbook": ("trigger", "root_cause"),
    "constraint": ("rule", "impact"),
    "tech_debt": ("description", "reason_deferred"),
    "preference": ("topic", "value", "reason"),
    "session_summary": ("goal", "outcome"),
}
"""What an excerpt shows of the categories that the seeds know; of others see `key_fields`."""


@dataclass(frozen=True, slots=True)
class Row:
    """An active entry of the category, as far as it is compared. Tags are in lower case."""

    path: str
    title: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What a reader needs of the candidate to decide without opening it."""

    title: str
    record_status: str
    tags: tuple[str, ...]
    last_change_summary: str
    key_fields: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "record_status": self.record_status,
            "tags": list(self.tags),
            "last_change_summary": self.last_change_summary,
            "key_fields": dict(self.key_fields),
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """What structure says: which actions are open, which are forbidden, and why."""

    category: str
    lifecycle_event: str | None
    delete_allowed: bool
    pre_action: Action | None
    structural_cud: Structural
    vetoes: tuple[str, ...]
    hints: tuple[str, ...]
    candidate: Row | None
    score: int = 0

    def to_json(self, excerpt: Excerpt | None = None, **more: Any) -> dict[str, Any]:
        """The answer of the contract; `more` is what else is known of the candidate (id, …)."""
        found = self.candidate
        shown = found and {
            "path": found.path,
            "title": found.title,
            "tags": list(found.tags),
            "excerpt": excerpt.to_json() if excerpt else None,
            **more,
        }
        return {
            "candidate": shown,
            "lifecycle_event": self.lifecycle_event,
            "delete_allowed": self.delete_allowed,
            "pre_action": self.pre_action,
            "structural_cud": self.structural_cud,
            "vetoes": list(self.vetoes),
            "hints": list(self.hints),
        }


def select(
    category: str, new_info: str, rows: Iterable[Row], lifecycle_event: str | None = None
) -> Verdict:
    """The candidate among the active rows of a category and what may be done with it.

    Without any row (a store that is still empty) the answer is CREATE, or NOOP with a lifecycle
    event: what never was can't have been resolved.
    """
    if lifecycle_event is not None and lifecycle_event not in LIFECYCLE_EVENTS:
        raise InputError(
            f"{lifecycle_event!r} is no lifecycle event",
            field="lifecycle_event",
            expected=" | ".join(LIFECYCLE_EVENTS),
            got=lifecycle_event,
        )
    score, best = _best(new_info, rows)
    allowed = category not in DELETE_DISALLOWED
    pre_action: Action | None = None
    structural: Structural = "UPDATE_OR_DELETE" if allowed else "UPDATE"
    if best is None:
        pre_action = structural = "CREATE" if lifecycle_event is None else "NOOP"
    return Verdict(
        category=category,
        lifecycle_event=lifecycle_event,
        delete_allowed=allowed,
        pre_action=pre_action,
        structural_cud=structural,
        vetoes=_vetoes(category, found=best is not None, allowed=allowed),
        hints=_hints(category, lifecycle_event, score, found=best is not None, allowed=allowed),
        candidate=best,
        score=score,
    )


def key_fields(category: Category, content: Mapping[str, Any]) -> dict[str, str]:
    """The fields of an excerpt: the table's, else the required sections, else the free body."""
    names = KEY_FIELDS.get(category.name) or tuple(
        section.name for section in category.sections if section.required
    )
    shown: dict[str, str] = {}
    for name in names or ("body",):
        value = content.get(name)
        if value:
            text = "; ".join(map(str, value)) if isinstance(value, list) else str(value)
            shown[name] = text[:LONGEST_FIELD]
    return shown


def _best(new_info: str, rows: Iterable[Row]) -> tuple[int, Row | None]:
    asked = tokens(new_info)
    best: tuple[int, str, Row] | None = None
    for row in rows:
        score = points(asked, tokens(row.title), row.tags)
        if score >= THRESHOLD and (best is None or (-score, row.path) < best[:2]):
            best = -score, row.path, row
    return (0, None) if best is None else (-best[0], best[2])


def _vetoes(category: str, *, found: bool, allowed: bool) -> tuple[str, ...]:
    return (f"Cannot DELETE {category} (triage-initiated)",) if found and not allowed else ()


def _hints(
    category: str, event: str | None, score: int, *, found: bool, allowed: bool
) -> tuple[str, ...]:
    if not found:
        return (f"lifecycle_event={event} with no matching candidate; NOOP",) if event else ()
    told = f"1 candidate found (score={score})"
    if event is None:
        return (told,)
    if allowed:
        return told, f"lifecycle_event={event} suggests DELETE if eligible"
    return told, (
        f"lifecycle_event={event} present but DELETE disallowed for {category}; consider UPDATE"
    )
