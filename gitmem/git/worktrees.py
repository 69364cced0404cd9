"""Brings work trees along that have the memory branch checked out, as git's updateInstead does.

Touches only files that the move of the branch changed, and only when every one of them is as it
was committed, in the work tree and in git's index: what a person changed is never overwritten.
The branch has moved already, so whatever goes wrong here is a warning.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gitmem.git.files import Sharing, open_new
from gitmem.git.locate import Location, linked_work_tree
from gitmem.git.objects import Objects, TreeItem, object_sha
from gitmem.git.tree import PathDiff, diff_trees
from gitmem.model.errors import GitmemError

if TYPE_CHECKING:
    from dulwich.index import ConflictedIndexEntry, IndexEntry

    Entries = dict[bytes, IndexEntry | ConflictedIndexEntry]

LOCK_TIMEOUT = 1.0
_PAUSE = 0.02
_EXECUTABLE = 0o100755
_LINK = 0o120000
_FILES = {0o100644, 0o100664, _EXECUTABLE, _LINK}
# Names by which some file system or other reaches git's own folder.
_GITS_OWN = {".", "..", "", ".git", "git~1"}


class _LeftAlone(Exception):
    """Why a work tree isn't brought along."""


@dataclass(frozen=True, slots=True)
class _WorkTree:
    root: Path
    git_dir: Path


def bring_along(
    location: Location, objects: Objects, ref: str, old: str | None, new: str
) -> list[str]:
    """Update the work trees on `ref` from commit `old` to `new`; warnings for those left alone."""
    trees = [tree for tree in _work_trees(location) if _stands_on(tree.git_dir, ref)]
    if not trees:
        return []
    warnings = []
    try:
        changed = diff_trees(
            objects, objects.commit(old).tree if old else None, objects.commit(new).tree
        )
    except GitmemError as error:
        return [f"work trees on {ref} were not brought along: {error.message}"]
    for tree in trees:
        try:
            _update(location, objects, tree, changed)
        except _LeftAlone as reason:
            warnings.append(
                f"the work tree {tree.root} has {ref} checked out and was left as it is: {reason}; "
                f"`git status` there shows how it differs from the branch"
            )
        except GitmemError as error:
            warnings.append(f"the work tree {tree.root} was not brought along: {error.message}")
        except OSError as error:
            why = error.strerror or error
            warnings.append(f"the work tree {tree.root} was brought along only in part: {why}")
    return warnings


def _work_trees(location: Location) -> Iterator[_WorkTree]:
    """The main work tree and the linked ones, as far as they are there."""
    common = location.common_dir
    settings = location.settings
    main: Path | None = common.parent if common.name == ".git" else None
    if settings.get("core.worktree"):
        main = Path(os.path.normpath(common / (settings.get("core.worktree") or "")))
    if location.git_dir == common:
        main = location.work_tree
    elif settings.get_bool("core.bare", False):
        main = None
    if main is not None and main.is_dir():
        yield _WorkTree(main, common)
    try:
        with os.scandir(common / "worktrees") as entries:
            names = sorted(entry.name for entry in entries)
    except OSError:
        return
    for name in names:
        git_dir = common / "worktrees" / name
        with contextlib.suppress(OSError):
            root = linked_work_tree(git_dir)
            if root is not None and root.is_dir():
                yield _WorkTree(root, git_dir)


def _stands_on(git_dir: Path, ref: str) -> bool:
    try:
        head = os.fsdecode((git_dir / "HEAD").read_bytes())
    except OSError:
        return False
    return head.startswith("ref:") and head[len("ref:") :].strip() == ref


def _update(
    location: Location, objects: Objects, tree: _WorkTree, changed: Sequence[PathDiff]
) -> None:
    """Bring one work tree along, under git's own lock on its index."""
    lock = tree.git_dir / "index.lock"
    fd = _take(lock, Sharing.of(location.settings))
    moved = False
    try:
        with os.fdopen(fd, "wb") as file:
            work = _Files(location, tree.root, changed)
            try:
                entries, version = _read_index(tree.git_dir)
                for change in changed:
                    work.require_unmodified(change, entries.get(_raw(change.path)))
            except OSError as error:
                raise _LeftAlone(f"it can't be read ({error.strerror or error})") from error
            for change in changed:
                if change.new is None:
                    work.remove(change.path)
                    entries.pop(_raw(change.path), None)
            for change in changed:
                if change.new is not None:
                    found = work.write(change.path, change.new, objects.blob(change.new.sha))
                    entries[_raw(change.path)] = _entry(found, change.new)
            _write_index(file, entries, version)
        lock.replace(tree.git_dir / "index")
        moved = True
    finally:
        if not moved:
            with contextlib.suppress(OSError):
                lock.unlink()


def _take(lock: Path, sharing: Sharing) -> int:
    deadline = time.monotonic() + LOCK_TIMEOUT
    while True:
        try:
            return open_new(lock, sharing)
        except FileExistsError as error:
            if time.monotonic() >= deadline:
                raise _LeftAlone(f"another git works there ({lock} exists)") from error
            time.sleep(_PAUSE)
        except OSError as error:
            why = error.strerror or error
            raise _LeftAlone(f"its index can't be written ({why})") from error


class _Files:
    """The files of a work tree that one move of the branch concerns."""

    def __init__(self, location: Location, root: Path, changed: Sequence[PathDiff]) -> None:
        self._root = root
        self._modes = location.settings.get_bool("core.filemode", True) and sys.platform != "win32"
        self._links = location.settings.get_bool("core.symlinks", True)
        self._going = {change.path for change in changed if change.new is None}

    def require_unmodified(
        self, change: PathDiff, entry: IndexEntry | ConflictedIndexEntry | None
    ) -> None:
        """Raise _LeftAlone unless index and file hold the old version (or the new already)."""
        path = change.path
        versions = [item for item in (change.old, change.new) if item is not None]
        if any(item.mode not in _FILES for item in versions) or not _safe(path):
            raise _LeftAlone(f"{path!r} isn't a plain file")
        absent = change.old is None or change.new is None
        staged = not absent if entry is None else not _is_one_of(entry, versions)
        if staged:
            raise _LeftAlone(f"its index holds other changes to {path!r}")
        self._require_folders(path)
        found = self._found(path)
        if found is None:
            modified = not absent
        else:
            modified = not any(self._same(found, item) for item in versions)
        if modified:
            raise _LeftAlone(f"{path!r} has changes there that aren't committed")

    def write(self, path: str, item: TreeItem, data: bytes) -> os.stat_result:
        """Put the new version in place, whole or not at all."""
        target = self._at(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f".gitmem-{os.getpid()}.part")
        with contextlib.suppress(FileNotFoundError):
            part.unlink()
        if item.mode == _LINK and self._links:
            part.symlink_to(os.fsdecode(data))
        else:
            mode = 0o777 if item.mode == _EXECUTABLE else 0o666
            with os.fdopen(open_new(part, Sharing(), mode), "wb") as file:
                file.write(data)
        try:
            part.replace(target)
        except OSError:
            part.unlink()
            raise
        return target.lstat()

    def remove(self, path: str) -> None:
        """Take a file away, and the folders that it leaves empty."""
        target = self._at(path)
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            target.unlink()
        for folder in target.parents:
            if folder == self._root:
                break
            try:
                folder.rmdir()
            except OSError:
                break

    def _at(self, path: str) -> Path:
        return self._root / os.fsdecode(_raw(path))

    def _require_folders(self, path: str) -> None:
        """A link on the way would lead the write out of the work tree."""
        parts = path.split("/")[:-1]
        for number in range(1, len(parts) + 1):
            above = "/".join(parts[:number])
            try:
                mode = self._at(above).lstat().st_mode
            except (FileNotFoundError, NotADirectoryError):
                return
            if not stat.S_ISDIR(mode) and above not in self._going:
                raise _LeftAlone(f"{above!r} isn't a folder there")

    def _found(self, path: str) -> tuple[int, bytes] | None:
        """Mode and bytes of what lies there."""
        target = self._at(path)
        try:
            mode = target.lstat().st_mode
            if stat.S_ISLNK(mode):
                return _LINK, os.fsencode(target.readlink())
            if stat.S_ISREG(mode):
                return (_EXECUTABLE if mode & 0o100 else 0o100644), target.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return mode, b""

    def _same(self, found: tuple[int, bytes], item: TreeItem) -> bool:
        mode, data = found
        if mode not in _FILES or object_sha("blob", data) != item.sha:
            return False
        link = item.mode == _LINK and self._links
        if link or mode == _LINK:
            return link and mode == _LINK
        return not self._modes or (mode == _EXECUTABLE) == (item.mode == _EXECUTABLE)


def _is_one_of(entry: IndexEntry | ConflictedIndexEntry, versions: Sequence[TreeItem]) -> bool:
    from dulwich.index import IndexEntry as Plain

    if not isinstance(entry, Plain) or entry.skip_worktree:
        return False
    mine = entry.sha.decode(), entry.mode
    return any(mine == (item.sha, _index_mode(item)) for item in versions)


def _entry(found: os.stat_result, item: TreeItem) -> IndexEntry:
    from dulwich.index import index_entry_from_stat

    return index_entry_from_stat(found, item.sha.encode(), _index_mode(item))


def _index_mode(item: TreeItem) -> int:
    """git's index knows three modes; very old trees hold others."""
    return item.mode if item.mode in (_EXECUTABLE, _LINK) else 0o100644


def _read_index(git_dir: Path) -> tuple[Entries, int]:
    """Entries and version of git's index; empty where there is none yet."""
    from dulwich.index import UnsupportedIndexFormat, read_index_dict_with_version

    try:
        data = (git_dir / "index").read_bytes()
    except FileNotFoundError:
        return {}, 2
    if b"link" in data and any(git_dir.glob("sharedindex.*")):
        raise _LeftAlone("its index is split into two files")
    try:
        entries, version, _ = read_index_dict_with_version(io.BytesIO(data))
    except (ValueError, AssertionError, KeyError, IndexError, struct.error) as error:
        raise _LeftAlone("its index can't be read") from error
    except UnsupportedIndexFormat as error:
        raise _LeftAlone(f"its index has an unknown version ({error})") from error
    if any(name.endswith(b"/") for name in entries):
        raise _LeftAlone("its index is sparse")
    return entries, version


def _write_index(file: io.BufferedWriter, entries: Entries, version: int) -> None:
    """All entries, without extensions: those are caches of what the index held before."""
    from dulwich.index import IndexChecksumWriter, write_index_dict

    writer = IndexChecksumWriter(file)
    write_index_dict(writer, entries, version=version)
    writer.write_checksum()


def _safe(path: str) -> bool:
    parts = path.split("/")
    if sys.platform == "win32" and any(char in path for char in '\\:<>|?*"'):
        return False
    return not any(part.lower() in _GITS_OWN for part in parts)


def _raw(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
