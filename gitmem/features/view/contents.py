"""Which files a view holds at a commit: the entries, the config, plain files for category `file`.

An active entry of category `file` appears as `memories/<its path>`, body only, and nowhere else;
of several with one path the first by its place in the tree does. Whatever can't be a file there on
every system appears where the tree has it, like all other entries. Reads only; what a view holds
follows from the commit alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gitmem.document.identify import peek_id
from gitmem.git.objects import Objects, TreeItem
from gitmem.git.tree import diff_trees, lookup
from gitmem.index import overview, queries
from gitmem.index.overview import PlainFile
from gitmem.model.categories import ACTIVE
from gitmem.model.errors import GitmemError
from gitmem.model.slug import is_device_name
from gitmem.store.layout import CONFIG_PATH, Address, address_of
from gitmem.store.snapshot import Snapshot

PLAIN_FOLDER = "memories"
_LONGEST_NAME = 200
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f\u2028\u2029<>:"|?*\\]')
_PINNED = re.compile(rb"^pinned:[ \t]*(?:true|yes|on)\b", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """What a file of the view is a copy of. `body`: the bytes, where it isn't the whole blob."""

    tree_path: str
    blob: str
    body: bytes | None = None

    def data(self, objects: Objects) -> bytes:
        return objects.blob(self.blob) if self.body is None else self.body


Held = dict[str, Source]
"""Path in the view to what it is a copy of."""


@dataclass(frozen=True, slots=True)
class Touched:
    """An entry that came, went or changed between two commits, as it was or is."""

    id: str
    address: Address
    pinned: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """What a view must change to go from one commit to another."""

    old: Held
    new: Held
    touched: tuple[Touched, ...]


def is_plain_path(path: str) -> bool:
    """Can this be a file below `memories/` on every system, and only there?"""
    parts = path.split("/")
    return not _UNSAFE.search(path) and all(map(_is_plain_name, parts))


def _is_plain_name(name: str) -> bool:
    if name in ("", ".", "..") or len(name.encode("utf-8", "replace")) > _LONGEST_NAME:
        return False
    # A name that ends so is another one on Windows.
    if name != name.rstrip(". ") or name.lower() in (".git", "git~1"):
        return False
    return not is_device_name(name.partition(".")[0].strip())


def body_bytes(body: str) -> bytes:
    """The plain file that stands for a body."""
    return f"{body}\n".encode() if body else b""


def held_at_tip(snapshot: Snapshot, objects: Objects) -> Held:
    """Everything that a view holds at the commit that the index reflects."""
    held = {
        path: Source(path, blob)
        for path, blob in overview.places(snapshot.index)
        if not _may_be_plain(address_of(path))
    }
    files = overview.plain_files(snapshot.index)
    for path, blob in _in_plain_folder(snapshot):
        held[path] = Source(path, blob)
    for one in files:
        held.pop(one.tree_path, None)
    held |= _placed(files)
    config = lookup(objects, objects.commit(snapshot.commit).tree, CONFIG_PATH)
    if config is not None:
        held[CONFIG_PATH] = Source(CONFIG_PATH, config.sha)
    return held


def _in_plain_folder(snapshot: Snapshot) -> Iterable[tuple[str, str]]:
    entries = snapshot.entries(ACTIVE, folder=PLAIN_FOLDER)
    return [(one.path, one.blob) for one in entries]


def held_at(snapshot: Snapshot, objects: Objects, path: str) -> Source | None:
    """What one file of the view is a copy of."""
    if path.startswith(f"{PLAIN_FOLDER}/"):
        name = path.removeprefix(f"{PLAIN_FOLDER}/")
        return _placed(overview.plain_files(snapshot.index, name)).get(path)
    if path == CONFIG_PATH:
        config = lookup(objects, objects.commit(snapshot.commit).tree, CONFIG_PATH)
        return Source(path, config.sha) if config else None
    row = queries.entry_at(snapshot.index, path)
    if row is None:
        return None
    if _may_be_plain(address_of(path)) and row.category == "file":
        files = overview.plain_files(snapshot.index)
        name = next(one.path for one in files if one.tree_path == path)
        return _placed(one for one in files if one.path == name).get(path)
    return Source(path, row.blob)


def _placed(files: Iterable[PlainFile]) -> Held:
    """Where the view has these entries: the first of each path as a plain file."""
    held: Held = {}
    for one in sorted(files, key=lambda one: one.tree_path):
        path = f"{PLAIN_FOLDER}/{one.path}"
        if is_plain_path(one.path) and path not in held:
            held[path] = Source(one.tree_path, one.blob, body_bytes(one.body))
        else:
            held[one.tree_path] = Source(one.tree_path, one.blob)
    return held


def difference(snapshot: Snapshot, objects: Objects, base: str) -> Difference:
    """What differs between the view at `base` and at the commit that the index reflects."""
    old: Held = {}
    new: Held = {}
    touched: list[Touched] = []
    plain = _PlainChanges()
    tree = objects.commit(snapshot.commit).tree
    for diff in diff_trees(objects, objects.commit(base).tree, tree):
        address = address_of(diff.path)
        if diff.path == CONFIG_PATH:
            _put_config(old, diff.old)
            _put_config(new, diff.new)
        if address is None:
            continue
        if diff.old is not None:
            data = objects.blob(diff.old.sha)
            touched.append(_touched(address, data))
            file = _plain_file(diff.path, diff.old, address, data)
            if file is not None:
                plain.old.append(file)
            else:
                old[diff.path] = Source(diff.path, diff.old.sha)
        row = queries.entry_at(snapshot.index, diff.path) if diff.new is not None else None
        if row is not None and diff.new is not None and row.blob == diff.new.sha:
            touched.append(_touched(address, objects.blob(row.blob)))
            if _may_be_plain(address) and row.category == "file":
                plain.new.add(diff.path)
            else:
                new[diff.path] = Source(diff.path, row.blob)
    plain.resolve(snapshot, old, new)
    return Difference(old, new, tuple(touched))


class _PlainChanges:
    """Changes of entries that appear as plain files, where one may give way to another."""

    def __init__(self) -> None:
        self.old: list[PlainFile] = []
        self.new: set[str] = set()

    def resolve(self, snapshot: Snapshot, old: Held, new: Held) -> None:
        if not self.old and not self.new:
            return
        now = overview.plain_files(snapshot.index)
        paths = {one.path for one in self.old} | {
            one.path for one in now if one.tree_path in self.new
        }
        after = [one for one in now if one.path in paths]
        gone = {one.tree_path for one in self.old}
        before = [
            one for one in after if one.tree_path not in self.new and one.tree_path not in gone
        ]
        old.update(_placed([*before, *self.old]))
        new.update(_placed(after))


def _may_be_plain(address: Address | None) -> bool:
    return address is not None and address.folder == PLAIN_FOLDER and address.tier in ACTIVE


def _plain_file(path: str, item: TreeItem, address: Address, data: bytes) -> PlainFile | None:
    """The plain file that an older version of an entry stood for."""
    if not _may_be_plain(address):
        return None
    from gitmem.document.codec import decode

    try:
        entry = decode(data)
    except GitmemError:
        return None
    name = entry.content.get("path")
    if entry.category != "file" or not isinstance(name, str):
        return None
    return PlainFile(path, item.sha, name, entry.content.get("body") or "")


def _put_config(held: Held, item: TreeItem | None) -> None:
    if item is not None:
        held[CONFIG_PATH] = Source(CONFIG_PATH, item.sha)


def _touched(address: Address, data: bytes) -> Touched:
    head = data.partition(b"\n---")[0]
    return Touched(peek_id(data) or "", address, _PINNED.search(head) is not None)
