"""What history says of an entry: derived here, in one place, and stored nowhere (I3)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from gitmem.features.workspace import Workspace
from gitmem.index import queries
from gitmem.index.queries import HistoryRow
from gitmem.model.difference import FieldChange, field_changes
from gitmem.model.entry import Entry
from gitmem.model.errors import GitmemError
from gitmem.model.facts import ChangeNote, Facts, Place, Usage
from gitmem.model.times import format_time, parse_time
from gitmem.store.snapshot import Snapshot, Stored

_REVIEWS = frozenset({"pin", "snooze", "review", "supersede", "demote", "archive"})
_CLAIMS = frozenset({"create", "update"})


def place_of(one: Stored, commit: str) -> Place:
    """Where an entry lies."""
    address = one.address
    return Place(address.tier, address.folder, address.slug, one.path, commit, one.blob)


def facts_of(
    entry: Entry,
    tier: str,
    rows: Sequence[HistoryRow],
    usage: Usage,
    changes: Sequence[ChangeNote] = (),
) -> Facts:
    """The facts of an entry from its history, oldest row first."""
    retired = _arrival(rows, "retired") if tier == "retired" else None
    archived = _arrival(rows, "archive") if tier == "archive" else None
    return Facts(
        updated_at=format_time(rows[-1].commit.time) if rows else entry.created,
        times_updated=sum(1 for row in rows if is_update(row)),
        changes=tuple(changes),
        retired_at=format_time(retired.commit.time) if retired else None,
        retired_reason=reason_of(retired) if retired else None,
        archived_at=format_time(archived.commit.time) if archived else None,
        archived_reason=reason_of(archived) if archived else None,
        reviewed_at=_reviewed_at(entry, rows),
        source=_source(rows),
        usage=usage,
    )


def is_update(row: HistoryRow) -> bool:
    """Did this commit change the entry's text? An edit by plain git has no op and counts."""
    if row.commit.op in ("update", "supersede"):
        return True
    return row.commit.op == "" and row.path is not None and row.from_path is not None


def reason_of(row: HistoryRow) -> str:
    """Why a commit was made, as far as anybody said."""
    return row.commit.reason or "No reason provided"


def usage_of(snapshot: Snapshot, entry_id: str) -> Usage:
    """How often an entry was recalled."""
    count = queries.usage_of(snapshot.record, entry_id)
    return Usage(count.frequency, count.last_session, count.created_session, count.sessions_since)


def summary_notes(rows: Sequence[HistoryRow]) -> list[ChangeNote]:
    """The change list without fields: nothing is compared, so all entries can be told at once."""
    return [
        ChangeNote(format_time(row.commit.time), row.commit.reason or row.commit.op)
        for row in rows
        if row.from_path is not None
    ]


def change_notes(workspace: Workspace, rows: Sequence[HistoryRow]) -> list[ChangeNote]:
    """The change list of an entry: a note for each field of each commit after its making."""
    notes: list[ChangeNote] = []
    for row in rows:
        if row.from_path is None:
            continue
        date, summary = format_time(row.commit.time), row.commit.reason or row.commit.op
        fields = changed_fields(workspace, row)
        notes += [ChangeNote(date, summary, one.field, one.old, one.new) for one in fields]
        if not fields:
            notes.append(ChangeNote(date, summary))
    return notes


def changed_fields(workspace: Workspace, row: HistoryRow) -> list[FieldChange]:
    """The fields that a commit changed in an entry, its place included."""
    found: list[FieldChange] = []
    if row.tier and row.from_tier and row.tier != row.from_tier:
        found.append(FieldChange("tier", row.from_tier, row.tier))
    old_slug, new_slug = _slug(row.from_path), _slug(row.path)
    if old_slug and new_slug and old_slug != new_slug:
        found.append(FieldChange("slug", old_slug, new_slug))
    if row.fields is not None:
        return found + [FieldChange(*one) for one in json.loads(row.fields)]
    if row.path is None or row.from_path is None:
        return found
    return found + list(_compared(workspace, row))


def version_at(workspace: Workspace, commit: str, path: str) -> Entry | None:
    """The entry at a path of a commit; None where there is none that can be read."""
    from gitmem.document.codec import decode
    from gitmem.git.tree import lookup

    objects = workspace.store.objects
    try:
        item = lookup(objects, objects.commit(commit).tree, path)
        return decode(objects.blob(item.sha)) if item else None
    except GitmemError:
        return None


def _compared(workspace: Workspace, row: HistoryRow) -> tuple[FieldChange, ...]:
    parents = workspace.store.objects.commit(row.commit.sha).parents
    new = version_at(workspace, row.commit.sha, row.path or "")
    old = version_at(workspace, parents[0], row.from_path or "") if parents else None
    return field_changes(old, new) if old and new else ()


def _slug(path: str | None) -> str | None:
    return path.rpartition("/")[2].removesuffix(".md") if path else None


def _arrival(rows: Sequence[HistoryRow], tier: str) -> HistoryRow | None:
    return next((row for row in reversed(rows) if row.tier == tier and row.from_tier != tier), None)


def _reviewed_at(entry: Entry, rows: Sequence[HistoryRow]) -> str:
    moments = [parse_time(text) for text in (entry.created, entry.reviewed) if text]
    moments += [row.commit.time for row in rows if row.commit.op in _REVIEWS]
    return format_time(max(moments))


def _source(rows: Sequence[HistoryRow]) -> str | None:
    return next((row.commit.source for row in reversed(rows) if row.commit.op in _CLAIMS), None)
