"""Reads commits, trees and blobs from loose objects and packs, alternates included.

Every object is checked against its hash before anybody sees it, so a damaged one is `Corrupt`
and never wrong data. An object that isn't where it was is looked for again before it counts as
missing: the user's git may have repacked meanwhile. Writes nothing. Standard library only: the
commands that only read must start fast.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator, Mapping
from hashlib import sha1
from pathlib import Path
from typing import NamedTuple

from gitmem.git.packfile import KINDS, BaseCache, Damaged, PackFile
from gitmem.git.parse import HOW_TO_REPAIR, Commit, TreeItem, parse_commit, parse_tree
from gitmem.git.settings import read_settings
from gitmem.model.errors import Corrupt, PreconditionError, ReadError

__all__ = ["EMPTY_TREE", "Commit", "NewObject", "Objects", "TreeItem", "new_object", "object_sha"]

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

_TREES_KEPT = 100_000
_ALTERNATES_DEEP = 5
# A fold or repack may run while we look, and another one after it.
_LOOKS = 10


class NewObject(NamedTuple):
    """An object that isn't in the repository yet."""

    kind: str
    sha: str
    data: bytes
    base: str | None = None
    """An earlier version of the same thing, worth storing a delta against."""
    same: tuple[int, int] = (0, 0)
    """How many bytes at the start and at the end are known to be those of the base."""


def object_sha(kind: str, data: bytes) -> str:
    """The hash git gives an object."""
    return _digest(kind, data).hex()


def new_object(
    kind: str, data: bytes, base: str | None = None, same: tuple[int, int] = (0, 0)
) -> NewObject:
    """An object to be written, with its hash."""
    header = b"%b %d\0" % (kind.encode(), len(data))
    sha = sha1(header + data, usedforsecurity=False).hexdigest()
    return NewObject(kind, sha, data, base, same)


class Objects:
    """The objects of one repository. Opening it costs nothing; close it or use `with`."""

    def __init__(self, common_dir: Path) -> None:
        self._common_dir = common_dir
        self._folders: list[Path] | None = None
        self._packs: list[PackFile] = []
        self._scanned = False
        self._cache = BaseCache()
        self._pending: dict[str, tuple[str, bytes]] = {}
        self._trees: dict[str, Mapping[str, TreeItem]] = {}
        self._tree_items = 0
        self._shallow: frozenset[str] | None = None

    def __enter__(self) -> Objects:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def shallow(self) -> frozenset[str]:
        """Commits whose parents a shallow clone left out."""
        if self._shallow is None:
            self._shallow = frozenset(_lines(self._common_dir / "shallow"))
        return self._shallow

    def read(self, sha: str) -> tuple[str, bytes]:
        """Kind and bytes of an object. Corrupt: it is damaged or missing."""
        pending = self._pending.get(sha)
        if pending is not None:
            return pending
        raw = _binary(sha)
        damage: list[str] = []
        if not self._scanned:
            self._rescan()
        if raw is not None:
            for _ in range(_LOOKS):
                found = self._look(sha, raw, damage)
                if found is not None:
                    return found
                if not self._rescan():
                    break
            # The last look at loose objects may have come before the rescan.
            found = self._loose(sha, raw, damage)
            if found is not None:
                return found
        raise self._missing(sha, damage)

    def has(self, sha: str) -> bool:
        """Is the object here? Its bytes aren't looked at."""
        if sha in self._pending:
            return True
        raw = _binary(sha)
        if raw is None:
            return False
        if not self._scanned:
            self._rescan()
        for _ in range(_LOOKS):
            if self._in_a_pack(raw) or self._is_loose(sha):
                return True
            if not self._rescan():
                break
        return self._is_loose(sha)

    def commit(self, sha: str) -> Commit:
        """A commit. Corrupt: it isn't one, or has no tree."""
        kind, data = self.read(sha)
        if kind != "commit":
            raise _wrong_kind(sha, kind, "commit")
        return parse_commit(sha, data)

    def tree(self, sha: str) -> Mapping[str, TreeItem]:
        """Names and what they stand for, in git's order. Don't change it: it is shared."""
        known = self._trees.get(sha)
        if known is not None:
            return known
        items = parse_tree(sha, self.tree_bytes(sha))
        if self._tree_items > _TREES_KEPT:
            # The older half goes; dicts keep the order in which they were filled.
            for old in list(self._trees)[: len(self._trees) // 2 + 1]:
                self._tree_items -= len(self._trees.pop(old)) + 1
        self._trees[sha] = items
        self._tree_items += len(items) + 1
        return items

    def tree_bytes(self, sha: str) -> bytes:
        """A tree as git stores it."""
        if sha == EMPTY_TREE:
            return b""
        kind, data = self.read(sha)
        if kind != "tree":
            raise _wrong_kind(sha, kind, "tree")
        return data

    def blob(self, sha: str) -> bytes:
        """The bytes of a file."""
        kind, data = self.read(sha)
        if kind != "blob":
            raise _wrong_kind(sha, kind, "blob")
        return data

    def add_pending(self, kind: str, sha: str, data: bytes) -> None:
        """Make an object readable that a transaction is about to write."""
        self._pending[sha] = kind, data

    def drop_pending(self) -> None:
        """Forget those objects: they are on disk now, or never will be."""
        self._pending.clear()

    def refresh(self) -> None:
        """Look again at what lies on the disk."""
        self._folders = self._shallow = None
        self._rescan()

    def close(self) -> None:
        """Close every file. The next read opens them again."""
        for pack in self._packs:
            pack.close()
        self._packs.clear()
        self._cache.clear()
        self._folders = None
        self._scanned = False

    def _look(self, sha: str, raw: bytes, damage: list[str]) -> tuple[str, bytes] | None:
        """One look through packs and loose objects. A damaged copy is noted and passed over."""
        for number, pack in enumerate(self._packs):
            try:
                offset = pack.find(raw)
                if offset is None:
                    continue
                code, data = pack.read(offset)
                kind = KINDS[code]
                if _digest(kind, data) != raw:
                    raise Damaged(f"{pack.path.name} holds other bytes under this name")
            except FileNotFoundError:
                continue
            except Damaged as error:
                damage.append(str(error))
                continue
            except OSError as error:
                raise _unreadable(pack.path, error) from error
            if number:
                # What lies together is read together: ask this pack first next time.
                self._packs.insert(0, self._packs.pop(number))
            return kind, data
        return self._loose(sha, raw, damage)

    def _loose(self, sha: str, raw: bytes, damage: list[str]) -> tuple[str, bytes] | None:
        for folder in self._object_folders():
            path = folder / sha[:2] / sha[2:]
            try:
                packed = path.read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise _unreadable(path, error) from error
            try:
                content = zlib.decompress(packed)
            except zlib.error:
                damage.append(f"the file {path} is damaged")
                continue
            header, _, data = content.partition(b"\0")
            kind = header.partition(b" ")[0].decode("ascii", "replace")
            if sha1(content, usedforsecurity=False).digest() == raw and kind in KINDS.values():
                return kind, data
            damage.append(f"the file {path} holds other bytes than its name says")
        return None

    def _in_a_pack(self, raw: bytes) -> bool:
        for pack in self._packs:
            try:
                if pack.find(raw) is not None and pack.path.exists():
                    return True
            except (FileNotFoundError, Damaged):
                continue
            except OSError as error:
                raise _unreadable(pack.path, error) from error
        return False

    def _is_loose(self, sha: str) -> bool:
        for folder in self._object_folders():
            path = folder / sha[:2] / sha[2:]
            try:
                path.stat()
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise _unreadable(path, error) from error
            return True
        return False

    def _object_folders(self) -> list[Path]:
        if self._folders is None:
            self._folders = list(_with_alternates(self._common_dir / "objects"))
        return self._folders

    def _rescan(self) -> bool:
        """List the packs again, the newest first. False: nothing new is there."""
        self._scanned = True
        known = {pack.path: pack for pack in self._packs}
        there = [path for folder in self._object_folders() for path in _packs_in(folder / "pack")]
        if not known.keys() - set(there) and len(known) == len(there):
            return False
        for path in known.keys() - set(there):
            known.pop(path).close()
        self._packs = [known.get(path) or PackFile(path, self._cache) for path in there]
        return True

    def _missing(self, sha: str, damage: list[str]) -> Corrupt | PreconditionError:
        if damage:
            return Corrupt(f"object {sha} is damaged: {damage[0]}", fix=HOW_TO_REPAIR, object=sha)
        settings = read_settings(self._common_dir)
        remotes = settings.subsections("remote")
        if settings.get("extensions.partialclone") or any(
            settings.get_bool(f"remote.{name}.promisor", False) for name in remotes
        ):
            return PreconditionError(
                f"object {sha} isn't here: this is a partial clone, and gitmem fetches nothing "
                "by itself",
                fix="run `git fetch --refetch --no-filter`, so that git fetches what is missing",
                object=sha,
            )
        return Corrupt(f"object {sha} is missing", fix=HOW_TO_REPAIR, object=sha)


def _digest(kind: str, data: bytes) -> bytes:
    digest = sha1(b"%s %d\0" % (kind.encode(), len(data)), usedforsecurity=False)
    digest.update(data)
    return digest.digest()


def _binary(sha: str) -> bytes | None:
    try:
        raw = bytes.fromhex(sha)
    except ValueError:
        return None
    return raw if len(raw) == 20 and raw.hex() == sha else None


def _packs_in(folder: Path) -> list[Path]:
    """The packs of a folder, the newest first: that is where the tip is."""
    found: list[tuple[int, str]] = []
    try:
        with os.scandir(folder) as entries:
            names = {entry.name: entry for entry in entries}
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _unreadable(folder, error) from error
    for name, entry in names.items():
        if name.endswith(".idx") and f"{name[:-4]}.pack" in names:
            try:
                found.append((-entry.stat().st_mtime_ns, name))
            except FileNotFoundError:
                continue
    return [folder / f"{name[:-4]}.pack" for _, name in sorted(found)]


def _with_alternates(objects: Path) -> Iterator[Path]:
    """The folder of objects, and those it borrows from."""
    seen: set[Path] = set()
    level = [objects]
    for _ in range(_ALTERNATES_DEEP + 1):
        below: list[Path] = []
        for folder in level:
            if folder in seen:
                continue
            seen.add(folder)
            yield folder
            for line in _lines(folder / "info" / "alternates"):
                if not line.startswith("#"):
                    below.append(Path(os.path.normpath(folder / _unquoted(line))))
        level = below


def _unquoted(line: str) -> str:
    """A path as git writes it: in C quotes where it holds something unusual."""
    if len(line) < 2 or line[0] != '"' or line[-1] != '"':
        return line
    data = os.fsencode(line[1:-1])
    escapes = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f"}
    escapes[b"v"] = b"\v"

    def plain(found: re.Match[bytes]) -> bytes:
        code = found[1]
        return bytes([int(code, 8) & 255]) if code.isdigit() else escapes.get(code, code)

    return os.fsdecode(re.sub(rb"\\([0-7]{3}|.)", plain, data))


def _lines(path: Path) -> list[str]:
    try:
        return [line for line in os.fsdecode(path.read_bytes()).split("\n") if line]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _unreadable(path, error) from error


def _wrong_kind(sha: str, kind: str, expected: str) -> Corrupt:
    return Corrupt(f"object {sha} is a {kind}, not a {expected}", fix=HOW_TO_REPAIR, object=sha)


def _unreadable(path: Path, error: OSError) -> ReadError:
    return ReadError(
        f"{path} can't be read: {error.strerror or error}",
        fix="check who owns the file and what its permissions are",
        path=str(path),
    )
