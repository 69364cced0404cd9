"""Reading: show, list, log, diff, blame; each at the tip or at an older commit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gitmem.features.facts import change_notes, changed_fields, facts_of, place_of, usage_of
from gitmem.features.present import entry_json, listed_json
from gitmem.features.workspace import Workspace
from gitmem.index import queries
from gitmem.index.queries import HistoryRow, LoggedCommit
from gitmem.model.categories import ACTIVE, TIERS
from gitmem.model.difference import FieldChange, field_changes, flat_fields
from gitmem.model.errors import NotFound
from gitmem.model.facts import Usage
from gitmem.model.times import format_time
from gitmem.store.snapshot import Snapshot, Stored, stored


@dataclass(frozen=True, slots=True)
class Listing:
    """Entries without their text, and the commit they were read at."""

    commit: str
    entries: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Logged:
    """A commit and what it did."""

    commit: LoggedCommit
    rows: tuple[HistoryRow, ...]

    @property
    def ids(self) -> list[str]:
        return list(dict.fromkeys(row.id for row in self.rows))


def show(workspace: Workspace, ref: str, at: str | None = None) -> dict[str, Any]:
    """One entry with all that history says of it."""
    snapshot = workspace.snapshot(at)
    one = snapshot.find(ref)
    rows = snapshot.history(one.id)
    entry = one.entry()
    notes = change_notes(workspace, rows)
    facts = facts_of(entry, one.tier, rows, usage_of(snapshot, one.id), notes)
    return entry_json(entry, place_of(one, snapshot.commit), facts)


def list_entries(
    workspace: Workspace,
    *,
    tier: str | None = None,
    category: str | None = None,
    tags: Sequence[str] = (),
    pinned: bool | None = None,
    at: str | None = None,
) -> Listing:
    """The entries of a tier (both active ones by default), by folder and title."""
    snapshot = workspace.snapshot(at)
    wanted = TIERS if tier == "all" else (tier,) if tier else ACTIVE
    found = list(snapshot.entries(wanted, category=category, pinned=pinned))
    if tags:
        found = [one for one in found if set(tags) <= set(one.entry().tags)]
    return Listing(snapshot.commit, tuple(_without_text(snapshot, found)))


def _without_text(snapshot: Snapshot, found: Sequence[Stored]) -> Iterable[dict[str, Any]]:
    # One pass over the history serves a long list; a few entries ask for their own.
    many = len(found) > 50
    histories = queries.all_history(snapshot.record, snapshot.scope) if many else {}
    unused = many and not queries.any_usage(snapshot.record)
    for one in found:
        rows = histories.get(one.id, []) if many else snapshot.history(one.id)
        usage = Usage(created_session=0) if unused else usage_of(snapshot, one.id)
        entry = one.entry()
        facts = facts_of(entry, one.tier, rows, usage)
        yield listed_json(entry, place_of(one, snapshot.commit), facts)


def log(
    workspace: Workspace,
    ref: str | None = None,
    *,
    limit: int | None = None,
    session: str | None = None,
    at: str | None = None,
) -> tuple[str, list[Logged]]:
    """The commits of the branch or of one entry, newest first; an entry that is gone too."""
    snapshot = workspace.snapshot(at)
    index = snapshot.record
    if ref is None:
        commits = queries.log(index, limit=limit, session=session, scope=snapshot.scope)
        return snapshot.commit, [
            Logged(one, tuple(queries.changes_of(index, one.seq))) for one in commits
        ]
    rows = [
        row
        for row in reversed(snapshot.history(_id_of(snapshot, ref)))
        if session is None or row.commit.session == session
    ]
    return snapshot.commit, [Logged(row.commit, (row,)) for row in rows[:limit]]


def _id_of(snapshot: Snapshot, ref: str) -> str:
    """The id that a REF names, also of an entry that the tree doesn't hold any more."""
    try:
        return snapshot.find(ref).id
    except NotFound:
        if queries.id_was_held(snapshot.record, ref):
            return ref
        raise


def logged_json(workspace: Workspace, one: Logged) -> dict[str, Any]:
    """A commit as the contract shows it."""
    changes = [
        {"id": row.id, "field": field.field, "old": field.old, "new": field.new}
        for row in one.rows
        for field in changed_fields(workspace, row)
    ]
    commit = one.commit
    return {
        "commit": commit.sha,
        "time": format_time(commit.time),
        "op": commit.op,
        "ids": one.ids,
        "title": commit.title,
        "category": commit.category,
        "actor": commit.actor,
        "session": commit.session,
        "source": commit.source,
        "reason": commit.reason,
        "changes": changes,
    }


@dataclass(frozen=True, slots=True)
class BlamedField:
    """A field, its present value, and the commit that gave it that value."""

    field: str
    value: Any
    commit: LoggedCommit


def blame(workspace: Workspace, ref: str, at: str | None = None) -> tuple[str, list[BlamedField]]:
    """For each field of an entry the commit that gave it its present value."""
    snapshot = workspace.snapshot(at)
    one = snapshot.find(ref)
    present = {**flat_fields(one.entry()), "tier": one.tier, "slug": one.address.slug}
    writers: dict[str, LoggedCommit] = {}
    for row in snapshot.history(one.id):
        if row.from_path is None:
            writers = dict.fromkeys(present, row.commit)
        for change in changed_fields(workspace, row):
            writers[change.field] = row.commit
    return snapshot.commit, [
        BlamedField(name, value, writers[name])
        for name, value in present.items()
        if name in writers
    ]


@dataclass(frozen=True, slots=True)
class EntryDifference:
    """How one entry differs between two commits."""

    id: str
    title: str
    status: str
    old_path: str | None
    new_path: str | None
    changes: tuple[FieldChange, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """How the memory differs between two commits."""

    old: str
    new: str
    entries: tuple[EntryDifference, ...]


def diff(workspace: Workspace, old: str, new: str | None = None) -> Difference:
    """What differs between two commits or dates; `new` is the tip unless named."""
    tip = workspace.store.snapshot()
    first = workspace.commit_at(tip, old)
    second = workspace.commit_at(tip, new) if new else tip.commit
    return Difference(first, second, tuple(_differences(workspace, first, second)))


def _differences(workspace: Workspace, old: str, new: str) -> Iterable[EntryDifference]:
    from gitmem.git.tree import diff_trees
    from gitmem.index.rows import EntryRow
    from gitmem.store.compare import read_file

    objects = workspace.store.objects
    before: dict[str, Stored] = {}
    after: dict[str, Stored] = {}
    for change in diff_trees(objects, objects.commit(old).tree, objects.commit(new).tree):
        for item, side in ((change.old, before), (change.new, after)):
            row = read_file(objects, change.path, item) if item else None
            if isinstance(row, EntryRow):
                side[row.id] = stored(row)
    for entry_id in sorted({*before, *after}, key=lambda one: _sort_key(before, after, one)):
        yield _difference(before.get(entry_id), after.get(entry_id))


def _sort_key(before: dict[str, Stored], after: dict[str, Stored], entry_id: str) -> str:
    found = after.get(entry_id) or before[entry_id]
    return str(found.address)


def _difference(old: Stored | None, new: Stored | None) -> EntryDifference:
    one = new or old
    assert one is not None
    status = "added" if old is None else "removed" if new is None else "changed"
    changes: list[FieldChange] = []
    if old and new:
        if old.address != new.address:
            changes.append(FieldChange("address", str(old.address), str(new.address)))
        changes += field_changes(old.entry(), new.entry())
    return EntryDifference(
        one.id,
        one.title,
        status,
        old.path if old else None,
        new.path if new else None,
        tuple(changes),
    )


def patch(workspace: Workspace, old: str | None, new: str) -> str:
    """The change between two commits as a unified diff; a pure rename is told as one."""
    from gitmem.git.tree import diff_trees

    objects = workspace.store.objects
    before = objects.commit(old).tree if old else None
    diffs = diff_trees(objects, before, objects.commit(new).tree)
    gone = {one.old.sha: one.path for one in diffs if one.old and not one.new}
    lines: list[str] = []
    for one in diffs:
        if one.new and not one.old and one.new.sha in gone:
            lines += [f"rename from {gone[one.new.sha]}", f"rename to {one.path}"]
            continue
        if (
            one.old
            and not one.new
            and any(other.new and not other.old and other.new.sha == one.old.sha for other in diffs)
        ):
            continue
        lines += _unified(
            one.path,
            objects.blob(one.old.sha) if one.old else None,
            objects.blob(one.new.sha) if one.new else None,
        )
    return "\n".join(lines) + ("\n" if lines else "")


def _unified(path: str, old: bytes | None, new: bytes | None) -> list[str]:
    from difflib import unified_diff

    def text(data: bytes | None) -> list[str]:
        return (data or b"").decode("utf-8", "replace").splitlines()

    return list(
        unified_diff(
            text(old),
            text(new),
            f"a/{path}" if old is not None else "/dev/null",
            f"b/{path}" if new is not None else "/dev/null",
            lineterm="",
        )
    )
