"""What a commit did to entries, from its trees; and the rows that the index holds of it.

Trailers only claim; this module looks. It reads trees and the heads of files, and decodes
nothing but what changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gitmem.document.codec import decode
from gitmem.document.identify import peek_id
from gitmem.document.message import Message
from gitmem.git.objects import Commit, Objects, TreeItem
from gitmem.git.tree import PathDiff, diff_trees, walk_files
from gitmem.index.rows import ChangeRow, CommitRow, EntryRow
from gitmem.index.stored import stored_words
from gitmem.model.categories import category_named
from gitmem.model.entry import Entry, entry_to_dict
from gitmem.model.errors import GitmemError, ValidationError
from gitmem.model.prose import prose
from gitmem.store.layout import Address, address_of, in_entry_land

REGULAR = 0o100644
# Made once: json.dumps makes an encoder for each call that asks for anything special.
_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class BadFile:
    """A file in an entry's place that is none."""

    why: str
    line: int | None = None


def commit_row(sha: str, time: int, parents: tuple[str, ...], message: Message) -> CommitRow:
    """A commit as the index records it."""
    # Of several trailers of a key the first one counts.
    first = {key: words[0] for key, words in reversed(message.trailers) if words}
    return CommitRow(
        sha=sha,
        time=time,
        op=first.get("Gitmem-Op") or "",
        category=message.category,
        title=message.title,
        reason=message.reason,
        actor=first.get("Gitmem-Actor"),
        session=first.get("Gitmem-Session"),
        source=first.get("Gitmem-Source"),
        parents=parents,
    )


def compared_changes(objects: Objects, commit: Commit) -> list[ChangeRow]:
    """What a commit did to entries: its tree against its parents' trees.

    A merge did only what differs from every parent.
    """
    parents: list[str | None] = [objects.commit(parent).tree for parent in commit.parents]
    parents = parents or [None]
    diffs = diff_trees(objects, parents[0], commit.tree)
    for other in parents[1:]:
        changed = {diff.path for diff in diff_trees(objects, other, commit.tree)}
        diffs = [diff for diff in diffs if diff.path in changed]

    def lies_elsewhere(entry_id: str) -> bool:
        files = walk_files(objects, commit.tree)
        return any(address_of(path) and _claimed(objects, one) == entry_id for path, one in files)

    return changes_of(objects, diffs, lies_elsewhere)


def changes_of(
    objects: Objects, diffs: Sequence[PathDiff], lies_elsewhere: Callable[[str], bool]
) -> list[ChangeRow]:
    """Path changes as changes of entries: what went away and came elsewhere has moved.

    A file that takes another id is a new entry; the old one has gone only if no other file is it
    (a copy that got an id of its own was never the entry).
    """
    gone: dict[str, str] = {}
    came: dict[str, str] = {}
    for diff in diffs:
        if address_of(diff.path) is None:
            continue
        before, after = _claimed(objects, diff.old), _claimed(objects, diff.new)
        if before is not None:
            gone[before] = diff.path
        if after is not None:
            came[after] = diff.path
    rows = [change_row(entry_id, path, gone.get(entry_id)) for entry_id, path in came.items()]
    kept = set(came.values())
    return rows + [
        change_row(entry_id, None, path)
        for entry_id, path in gone.items()
        if entry_id not in came and not (path in kept and lies_elsewhere(entry_id))
    ]


def change_row(
    entry_id: str,
    path: str | None,
    from_path: str | None,
    *,
    verified: bool = True,
    fields: str | None = None,
) -> ChangeRow:
    """The row of one entry's change, its places taken from the paths."""
    after = address_of(path) if path else None
    before = address_of(from_path) if from_path else None
    place = after or before
    return ChangeRow(
        id=entry_id,
        path=path,
        from_path=from_path,
        tier=after.tier if after else None,
        from_tier=before.tier if before else None,
        folder=place.folder if place else "",
        slug=place.slug if place else "",
        verified=verified,
        fields=fields,
    )


def claimed_changes(message: Message) -> list[ChangeRow] | None:
    """What the trailers claim; None where only the trees can tell."""
    op = message.first("Gitmem-Op")
    if not op or op[0] in ONLY_TREES_TELL:
        return None
    rows: list[ChangeRow] = []
    current: dict[str, str] = {}
    for key, words in (*message.trailers, ("Gitmem-Id", ())):
        if key == "Gitmem-Id":
            if current.get("id") and current.get("path"):
                rows.append(_claimed_row(op[0], current))
            current = {"id": words[0]} if words else {}
        elif key == "Gitmem-Path" and words:
            current["path"] = words[0]
        elif key == "Gitmem-From" and words:
            current["from"] = words[0]
    return rows


ONLY_TREES_TELL = frozenset({"undo", "repair", "purge"})
"""An undo may bring back, take away or move; a repair and a purge are rare: look."""


def _claimed_row(op: str, claim: dict[str, str]) -> ChangeRow:
    path, origin = claim["path"], claim.get("from")
    if op == "gc" and origin is None:
        return change_row(claim["id"], None, path, verified=False)
    if op != "create" and origin is None:
        origin = path
    return change_row(claim["id"], path, origin, verified=False)


def _claimed(objects: Objects, item: TreeItem | None) -> str | None:
    return peek_id(objects.blob(item.sha)) if item and item.mode == REGULAR else None


def entry_row(entry: Entry, address: Address, path: str, blob: str) -> EntryRow:
    """An entry as the index records it."""
    return EntryRow(
        path=path,
        id=entry.id,
        tier=address.tier,
        folder=address.folder,
        slug=address.slug,
        blob=blob,
        category=entry.category,
        title=entry.title,
        created=entry.created,
        pinned=entry.pinned,
        document=_to_json(entry_to_dict(entry)),
        tags="\n".join(entry.tags),
        words=stored_words(
            title=entry.title,
            body=prose(entry),
            when=entry.when,
            keywords=entry.keywords,
            tags=entry.tags,
            created=entry.created,
        ),
    )


def read_file(objects: Objects, path: str, item: TreeItem) -> EntryRow | BadFile | None:
    """The entry that a file of the tree holds, why it holds none, or None: not its business."""
    address = address_of(path)
    if address is None:
        return BadFile("no entry may lie here") if in_entry_land(path) else None
    if item.mode != REGULAR:
        return BadFile(f"an entry is a plain file, not mode {item.mode:o}")
    from gitmem.model.validate import validate_entry

    try:
        entry = decode(objects.blob(item.sha))
        validate_entry(entry, category_named(entry.category))
    except ValidationError as error:
        line = error.details.get("line")
        return BadFile(_told(error), line if isinstance(line, int) else None)
    return entry_row(entry, address, path, item.sha)


def _told(error: GitmemError) -> str:
    return f"{error.field}: {error.message}" if error.field else error.message
