"""Trees: edited in memory, compared, walked.

A draft keeps each folder it has met as the sorted lines of git's own format, so that writing a
changed folder is one join and one hash. Only changed folders are written; empty ones vanish, as
in git. Nothing here recurses: a branch may hold paths of any depth.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from gitmem.git.objects import NewObject, Objects, TreeItem, new_object
from gitmem.git.parse import FOLDER_MODE
from gitmem.model.errors import Corrupt, PathError

Listing = tuple[frozenset[str], frozenset[str]]
_NOTHING: Mapping[str, TreeItem] = {}
_KEPT_FOLDERS = 500


@dataclass(frozen=True, slots=True)
class PathDiff:
    """A file that differs between two trees; None where it isn't there."""

    path: str
    old: TreeItem | None
    new: TreeItem | None


class _Folder:
    """A folder of a draft. `keys` and `lines` run in parallel, in git's order."""

    __slots__ = ("changed", "depth", "files", "folders", "keys", "lines", "listing", "name",
                 "parent", "raw", "same", "sha")  # fmt: skip

    def __init__(self, parent: _Folder | None, name: str, sha: str | None) -> None:
        self.parent = parent
        self.name = name
        self.raw = name.encode("utf-8", "surrogateescape")
        self.depth: int = parent.depth + 1 if parent else 0
        self.sha = sha
        self.changed = False
        self.keys: list[bytes] = []
        self.lines: list[bytes] = []
        self.files: dict[str, TreeItem] = {}
        self.folders: dict[str, _Folder | str] = {}
        self.listing: Listing | None = None
        self.same: tuple[int, int] | None = None
        """Lines at both ends that are as they were written; None: all of them."""

    def load(self, items: Mapping[str, TreeItem]) -> None:
        """Take over the items of a tree that lies in the repository."""
        for name, item in items.items():
            is_folder = item.mode == FOLDER_MODE
            if is_folder:
                self.folders[name] = item.sha
            else:
                self.files[name] = item
            raw = name.encode("utf-8", "surrogateescape")
            self.keys.append(raw + b"/" if is_folder else raw)
            self.lines.append(_line(item.mode, raw, item.sha))
        if any(a >= b for a, b in zip(self.keys, self.keys[1:], strict=False)):
            raise Corrupt(
                f"tree {self.sha} isn't sorted as git sorts trees",
                fix="run `git fsck` to see what is damaged",
                object=self.sha,
            )

    def set_line(self, key: bytes, line: bytes) -> None:
        """Put a line at its place, over the one of that key."""
        at = bisect_left(self.keys, key)
        if at < len(self.keys) and self.keys[at] == key:
            self.lines[at] = line
        else:
            self.keys.insert(at, key)
            self.lines.insert(at, line)
        self._touched(at, len(self.lines) - at - 1)

    def drop_line(self, key: bytes) -> None:
        """Take the line of a key away, if there is one."""
        at = bisect_left(self.keys, key)
        if at < len(self.keys) and self.keys[at] == key:
            del self.keys[at], self.lines[at]
            self._touched(at, len(self.lines) - at)

    def written(self) -> NewObject:
        """The tree as it is now, and from here on what changes are told against."""
        lines = self.lines
        first, last = self.same or (0, 0)
        head, tail = b"".join(lines[:first]), b"".join(lines[len(lines) - last :])
        data = b"".join((head, *lines[first : len(lines) - last], tail))
        self.same = None
        return new_object("tree", data, self.sha, (len(head), len(tail)))

    def _touched(self, before: int, behind: int) -> None:
        if self.same is not None:
            before, behind = min(before, self.same[0]), min(behind, self.same[1])
        self.same = before, behind


class TreeDraft:
    """A tree being edited. After `write` it goes on from what was written."""

    def __init__(self, objects: Objects, root: str | None) -> None:
        self._objects = objects
        self._changed: list[_Folder] = []
        self._opened = 0
        self._root = self._open(None, "", root)

    @property
    def is_small(self) -> bool:
        """Does it hold so little that it may be kept for the next change?"""
        return self._opened < _KEPT_FOLDERS

    def get(self, path: str) -> TreeItem | None:
        """What lies at a path, if that is a file (or link); folders answer to `listing`."""
        above, _, name = path.rpartition("/")
        folder = self._find(above)
        return folder.files.get(name) if folder else None

    def listing(self, folder: str) -> Listing | None:
        """Names of files and folders in a folder; None where there is no such folder."""
        found = self._find(folder)
        if found is None or (found is not self._root and not (found.files or found.folders)):
            return None
        if found.listing is None:
            found.listing = frozenset(found.files), frozenset(found.folders)
        return found.listing

    def put(self, path: str, item: TreeItem) -> None:
        """Set what lies at a path, a whole folder too; the folders above come into being."""
        parts = path.split("/")
        if not all(part and part not in (".", "..") and "\0" not in part for part in parts):
            raise PathError(f"{path!r} is no path in a tree", got=path)
        *above, name = parts
        folder = self._root
        for part in above:
            below = folder.folders.get(part)
            if below is None:
                if part in folder.files:
                    raise PathError(f"{path!r} leads through {part!r}, which is a file", got=path)
                below = folder.folders[part] = _Folder(folder, part, None)
                folder.listing = None
            elif isinstance(below, str):
                below = folder.folders[part] = self._open(folder, part, below)
            folder = below
        self._put(folder, name, path, item)

    def remove(self, path: str) -> None:
        """Take a file or a whole folder away, if it is there; empty folders go with it."""
        above, _, name = path.rpartition("/")
        folder = self._find(above)
        if folder is None:
            return
        raw = name.encode("utf-8", "surrogateescape")
        if name in folder.files:
            del folder.files[name]
            folder.drop_line(raw)
        elif name in folder.folders:
            _forget(folder.folders.pop(name))
            folder.drop_line(raw + b"/")
        else:
            return
        while folder.parent is not None and not folder.files and not folder.folders:
            parent = folder.parent
            del parent.folders[folder.name]
            parent.drop_line(folder.raw + b"/")
            _forget(folder)
            folder = parent
        self._mark(folder)

    def write(self, emit: Callable[[NewObject], None]) -> str:
        """Emit every folder that changed, the deepest first; answer the root's hash."""
        root = self._root
        if root.sha is None and not root.changed:
            root.changed = True
            self._changed.append(root)
        for folder in sorted(self._changed, key=_depth, reverse=True):
            if not folder.changed:
                continue
            folder.changed = False
            made = folder.written()
            if made.sha != folder.sha:
                emit(made)
                folder.sha = made.sha
            if folder.parent is not None:
                folder.parent.set_line(folder.raw + b"/", _line(FOLDER_MODE, folder.raw, made.sha))
        self._changed.clear()
        assert root.sha is not None
        return root.sha

    def _put(self, folder: _Folder, name: str, path: str, item: TreeItem) -> None:
        raw = name.encode("utf-8", "surrogateescape")
        if item.mode == FOLDER_MODE:
            if name in folder.files:
                raise PathError(f"{path!r} is a file, not a folder", got=path)
            if name in folder.folders:
                _forget(folder.folders[name])
            folder.folders[name] = item.sha
            folder.set_line(raw + b"/", _line(item.mode, raw, item.sha))
        else:
            if name in folder.folders:
                raise PathError(f"{path!r} is a folder, not a file", got=path)
            folder.files[name] = item
            folder.set_line(raw, _line(item.mode, raw, item.sha))
        self._mark(folder)

    def _mark(self, folder: _Folder) -> None:
        folder.listing = None
        here: _Folder | None = folder
        while here is not None and not here.changed:
            here.changed = True
            self._changed.append(here)
            here = here.parent

    def _open(self, parent: _Folder | None, name: str, sha: str | None) -> _Folder:
        folder = _Folder(parent, name, sha)
        if sha is not None:
            folder.load(self._objects.tree(sha))
            self._opened += 1
        return folder

    def _find(self, path: str) -> _Folder | None:
        folder = self._root
        if path:
            for part in path.split("/"):
                below = folder.folders.get(part)
                if below is None:
                    return None
                if isinstance(below, str):
                    below = folder.folders[part] = self._open(folder, part, below)
                folder = below
        return folder


def diff_trees(objects: Objects, old: str | None, new: str | None) -> list[PathDiff]:
    """The files that differ, sorted by path; folders that are equal aren't opened."""
    found: list[PathDiff] = []
    todo: list[tuple[str, str | None, str | None]] = [("", old, new)]
    while todo:
        base, a, b = todo.pop()
        if a == b:
            continue
        olds = objects.tree(a) if a else _NOTHING
        news = objects.tree(b) if b else _NOTHING
        for name, before in olds.items():
            after = news.get(name)
            if before != after:
                _compare(base + name, before, after, found, todo)
        for name, after in news.items():
            if name not in olds:
                _compare(base + name, None, after, found, todo)
    found.sort(key=_path)
    return found


def _compare(
    path: str,
    old: TreeItem | None,
    new: TreeItem | None,
    found: list[PathDiff],
    todo: list[tuple[str, str | None, str | None]],
) -> None:
    old_file = old if old and old.mode != FOLDER_MODE else None
    new_file = new if new and new.mode != FOLDER_MODE else None
    if old_file or new_file:
        found.append(PathDiff(path, old_file, new_file))
    old_folder = old.sha if old and not old_file else None
    new_folder = new.sha if new and not new_file else None
    if old_folder or new_folder:
        todo.append((path + "/", old_folder, new_folder))


def walk_files(objects: Objects, root: str, under: str = "") -> Iterator[tuple[str, TreeItem]]:
    """Every file below a folder with its whole path, in git's order."""
    start = root
    if under:
        folder = lookup(objects, root, under)
        if folder is None or folder.mode != FOLDER_MODE:
            return
        start, under = folder.sha, f"{under}/"
    stack = [(under, iter(objects.tree(start).items()))]
    while stack:
        base, items = stack[-1]
        for name, item in items:
            if item.mode == FOLDER_MODE:
                stack.append((f"{base}{name}/", iter(objects.tree(item.sha).items())))
                break
            yield base + name, item
        else:
            stack.pop()


def lookup(objects: Objects, root: str, path: str) -> TreeItem | None:
    """What lies at a path: a file, or a folder; the root itself for an empty path."""
    item = TreeItem(FOLDER_MODE, root)
    for part in path.split("/") if path else ():
        if item.mode != FOLDER_MODE:
            return None
        found = objects.tree(item.sha).get(part)
        if found is None:
            return None
        item = found
    return item


def _line(mode: int, name: bytes, sha: str) -> bytes:
    return b"%o %s\0%s" % (mode, name, bytes.fromhex(sha))


def _forget(folder: _Folder | str) -> None:
    """A folder that is no longer part of the draft isn't written, nor anything below it."""
    todo = [folder]
    while todo:
        here = todo.pop()
        if isinstance(here, _Folder):
            here.changed = False
            todo.extend(here.folders.values())


def _depth(folder: _Folder) -> int:
    return folder.depth


def _path(diff: PathDiff) -> str:
    return diff.path
