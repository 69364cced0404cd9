"""Several packs of ours as one, with later versions of a path as deltas on earlier ones.

Only reads packs that gitmem wrote; what it copies is checked by its CRC, what it compresses
anew by its hash. Which object is a version of which path is found by walking the commits and
trees inside these packs, and no others: the cost depends on them alone.
"""

from __future__ import annotations

import mmap
import re
import zlib
from array import array
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from struct import error as StructError
from struct import unpack_from
from sys import byteorder

from gitmem.git.delta import make_delta
from gitmem.git.locate import Location
from gitmem.git.objects import object_sha
from gitmem.git.pack import KeptPack, PackWriter, compress
from gitmem.git.packfile import KINDS, OFS_DELTA, REF_DELTA, apply_delta
from gitmem.model.errors import Corrupt

_SHA = 20
_NAMES = 8 + 1024
_CACHE_BYTES = 32 << 20
_TREE_ITEM = re.compile(rb"(\d+) ([^\0]+)\0(.{20})", re.DOTALL)
_FOLDER = b"40000"


@dataclass(frozen=True, slots=True)
class Source:
    """An open pack."""

    name: str
    path: Path
    data: mmap.mmap
    index: bytes


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where an object lies."""

    source: Source
    kind: str
    offset: int
    start: int
    end: int
    size: int
    check: int
    base: bytes | None


def open_sources(stack: ExitStack, paths: list[Path]) -> list[Source]:
    """Those of the packs that are still there; the stack closes them."""
    sources = []
    for path in paths:
        try:
            index = path.with_suffix(".idx").read_bytes()
            with path.open("rb") as file:
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError:
            # Git's own upkeep was faster.
            continue
        except (OSError, ValueError) as error:
            raise _damaged(path, str(error)) from error
        stack.callback(data.close)
        sources.append(Source(path.stem, path, data, index))
    return sources


def write_union(location: Location, sources: list[Source]) -> tuple[KeptPack, int]:
    """One durable pack with everything that the sources hold, and its number of objects."""
    writer = PackWriter(location.common_dir, location.settings)
    try:
        _Union(sources, writer).write()
        return writer.finish(), len(writer)
    except BaseException:
        writer.abort()
        raise


class _Union:
    def __init__(self, sources: list[Source], writer: PackWriter) -> None:
        self._writer = writer
        self._entries: dict[bytes, _Entry] = {}
        self._last: dict[bytes, bytes] = {}
        """The latest version written of a folder (by path) or a file (by name: they move)."""
        self._cache: dict[bytes, bytes] = {}
        self._cached = 0
        for source in sources:
            for raw, entry in _entries(source):
                self._entries.setdefault(raw, entry)

    def write(self) -> None:
        """Commits first, in the order they were made; then trees and blobs in that order."""
        roots: list[bytes] = []
        last: bytes | None = None
        for raw, entry in self._entries.items():
            if entry.kind == "commit":
                self._put(raw, last)
                last = raw
                roots.append(bytes.fromhex(self._content(raw)[5:45].decode("ascii")))
        for root in roots:
            self._walk(root)
        for raw in self._entries:
            self._put(raw, None)

    def _walk(self, root: bytes) -> None:
        entries, writer, last = self._entries, self._writer, self._last
        stack = [(root, b"")]
        while stack:
            raw, path = stack.pop()
            if raw not in entries or raw.hex() in writer:
                continue
            self._put(raw, last.get(path))
            last[path] = raw
            for mode, name, child in _TREE_ITEM.findall(self._content(raw)):
                if child not in entries or child.hex() in writer:
                    continue
                if mode == _FOLDER:
                    stack.append((child, path + b"/" + name))
                else:
                    self._put(child, last.get(name))
                    last[name] = child

    def _put(self, raw: bytes, earlier: bytes | None) -> None:
        """Write an object: its delta as it is, a new one on an earlier version, or whole."""
        writer, entry, sha = self._writer, self._entries[raw], raw.hex()
        if sha in writer:
            return
        if entry.base is not None and writer.takes_delta_on(entry.base.hex()):
            base = entry.base.hex()
            writer.add_packed(sha, entry.kind, entry.size, self._packed(entry), base)
            return
        packed = self._packed(entry) if entry.base is None else None
        if earlier is not None and writer.takes_delta_on(earlier.hex()):
            delta = make_delta(self._content(earlier), self._checked(raw))
            if delta is not None:
                packed_delta = compress(delta)
                if packed is None or len(packed_delta) < len(packed):
                    writer.add_packed(sha, entry.kind, len(delta), packed_delta, earlier.hex())
                    return
        size = entry.size
        if packed is None or len(packed) > size:
            data = self._checked(raw)
            size, packed = len(data), compress(data)
        writer.add_packed(sha, entry.kind, size, packed, None)

    def _packed(self, entry: _Entry) -> bytes:
        data = entry.source.data
        if zlib.crc32(data[entry.offset : entry.end]) != entry.check:
            raise _damaged(entry.source.path, f"the object at byte {entry.offset} has changed")
        return data[entry.start : entry.end]

    def _checked(self, raw: bytes) -> bytes:
        data, entry = self._content(raw), self._entries[raw]
        if object_sha(entry.kind, data) != raw.hex():
            raise _damaged(entry.source.path, f"object {raw.hex()} has changed")
        return data

    def _content(self, raw: bytes) -> bytes:
        deltas: list[tuple[bytes, bytes]] = []
        while (data := self._cache.get(raw)) is None:
            entry = self._entries[raw]
            try:
                packed = zlib.decompress(entry.source.data[entry.start : entry.end])
            except zlib.error as error:
                raise _damaged(entry.source.path, str(error)) from error
            if entry.base is None:
                data = self._remember(raw, packed)
                break
            # Bases lie further towards the start, or in an earlier pack: no loops.
            deltas.append((raw, packed))
            raw = entry.base
        for raw, delta in reversed(deltas):
            try:
                data = self._remember(raw, apply_delta(data, delta))
            except (ValueError, IndexError) as error:
                raise _damaged(self._entries[raw].source.path, str(error)) from error
        return data

    def _remember(self, raw: bytes, data: bytes) -> bytes:
        self._cache[raw] = data
        self._cached += len(data)
        while self._cached > _CACHE_BYTES:
            self._cached -= len(self._cache.pop(next(iter(self._cache))))
        return data


def _entries(source: Source) -> list[tuple[bytes, _Entry]]:
    """Every object of a pack, in the order in which they lie."""
    index, data = source.index, source.data
    if index[:8] != b"\xfftOc\0\0\0\2" or sha1(index[:-_SHA]).digest() != index[-_SHA:]:
        raise _damaged(source.path, "its index is damaged")
    if data[:4] != b"PACK" or data[-_SHA:] != index[-2 * _SHA : -_SHA]:
        raise _damaged(source.path, "it isn't the pack that its index describes")
    try:
        return _parsed(source, unpack_from(">I", index, _NAMES - 4)[0])
    except (StructError, IndexError, KeyError) as error:
        raise _damaged(source.path, "its objects can't be told apart") from error


def _parsed(source: Source, count: int) -> list[tuple[bytes, _Entry]]:
    index, data = source.index, source.data
    names = [index[at : at + _SHA] for at in range(_NAMES, _NAMES + _SHA * count, _SHA)]
    checks = _numbers(index, _NAMES + _SHA * count, count)
    offsets = list(_numbers(index, _NAMES + (_SHA + 4) * count, count))
    large = _NAMES + (_SHA + 8) * count
    for number, offset in enumerate(offsets):
        if offset >> 31:
            offsets[number] = unpack_from(">Q", index, large + 8 * (offset & 0x7FFFFFFF))[0]
    order = sorted(range(count), key=offsets.__getitem__)
    ends = [offsets[number] for number in order[1:]] + [len(data) - _SHA]
    at_offset: dict[int, bytes] = {}
    found: dict[bytes, _Entry] = {}
    for number, end in zip(order, ends, strict=True):
        raw, offset = names[number], offsets[number]
        code, size, start = _header(data, offset)
        base: bytes | None = None
        if code == OFS_DELTA:
            back, start = _distance(data, start)
            base = at_offset[offset - back]
        elif code == REF_DELTA:
            base, start = data[start : start + _SHA], start + _SHA
        kind = KINDS[code] if base is None else found[base].kind
        at_offset[offset] = raw
        found[raw] = _Entry(source, kind, offset, start, end, size, checks[number], base)
    return list(found.items())


def _header(data: mmap.mmap, at: int) -> tuple[int, int, int]:
    byte = data[at]
    code, size, shift = byte >> 4 & 7, byte & 15, 4
    while byte & 0x80:
        at += 1
        byte = data[at]
        size |= (byte & 0x7F) << shift
        shift += 7
    return code, size, at + 1


def _distance(data: mmap.mmap, at: int) -> tuple[int, int]:
    byte = data[at]
    back = byte & 0x7F
    while byte & 0x80:
        at += 1
        byte = data[at]
        back = ((back + 1) << 7) | (byte & 0x7F)
    return back, at + 1


def _numbers(index: bytes, at: int, count: int) -> array[int]:
    numbers = array("I", index[at : at + 4 * count])
    if byteorder == "little":
        numbers.byteswap()
    return numbers


def _damaged(path: Path, how: str) -> Corrupt:
    return Corrupt(
        f"the pack {path.name} is damaged: {how}",
        fix="run `git fsck` to see what is damaged, then fetch the branch from a clone or a backup",
        path=str(path),
    )
