"""One pack of the repository, read: where an object lies in it, and its bytes.

Never writes, never looks outside its two files (a pack on disk refers to nothing outside
itself). What is wrong with a file is `Damaged`; the caller knows other places to look.
Standard library only, and no more steps per object than needed: a cold index reads every
commit of a branch through here, and dulwich's reader takes more than twice as long.
"""

from __future__ import annotations

import mmap
import os
import zlib
from pathlib import Path
from struct import error as struct_error
from struct import unpack_from

KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
OFS_DELTA, REF_DELTA = 6, 7
# Up to here a file is read whole: no descriptor stays open, and Windows can delete it.
READ_WHOLE = 1 << 18
CACHE_BYTES = 16 << 20
_SHA = 20
_FEW = 32
_DEEPEST = 5000

Buffer = bytes | mmap.mmap
Raw = tuple[int, bytes]


class Damaged(Exception):
    """A file that isn't what its name says; the text says how."""


class BaseCache:
    """Objects met on the way through delta chains, shared by all packs of a repository."""

    def __init__(self, limit: int = CACHE_BYTES) -> None:
        self._kept: dict[tuple[int, int], Raw] = {}
        self._limit = limit
        self._bytes = 0

    def get(self, key: tuple[int, int]) -> Raw | None:
        return self._kept.get(key)

    def put(self, key: tuple[int, int], value: Raw) -> None:
        if self._bytes > self._limit:
            self.clear()
        self._kept[key] = value
        self._bytes += len(value[1])

    def clear(self) -> None:
        self._kept.clear()
        self._bytes = 0


class PackFile:
    """A pack and its index. FileNotFoundError from any method: the pack has gone."""

    _numbers = iter(range(1 << 62))

    def __init__(self, path: Path, cache: BaseCache) -> None:
        self.path = path
        self._number = next(PackFile._numbers)
        self._cache = cache
        self._index: Buffer | None = None
        self._data: Buffer | None = None

    def find(self, raw: bytes) -> int | None:
        """The offset of the object with this binary hash, or None."""
        index = self._index
        if index is None:
            index = self._open_index()
        try:
            return self._find(index, raw)
        except (struct_error, IndexError) as error:
            raise Damaged(f"{self.path.with_suffix('.idx').name} is cut short") from error

    def read(self, offset: int) -> Raw:
        """Kind number and bytes of the object at an offset; its hash isn't checked here."""
        data = self._data
        if data is None:
            data = self._open_data()
        try:
            return self._read(data, offset)
        except (IndexError, ValueError, zlib.error) as error:
            raise Damaged(f"{self.path.name} is damaged at byte {offset}: {error}") from error

    def close(self) -> None:
        """Give back what the operating system lent."""
        for buffer in (self._index, self._data):
            if isinstance(buffer, mmap.mmap):
                buffer.close()
        self._index = self._data = None

    def _open_index(self) -> Buffer:
        path = self.path.with_suffix(".idx")
        index = _map(path)
        if index[:4] == b"\xfftOc":
            if index[4:8] != b"\0\0\0\2":
                raise Damaged(f"{path.name} has an unknown version")
            self._fan_out, self._names, self._stride = 8, 8 + 1024, _SHA
        else:
            # Version 1: the offset stands before each name.
            self._fan_out, self._names, self._stride = 0, 1024 + 4, 4 + _SHA
        if len(index) < 1032:
            raise Damaged(f"{path.name} is cut short")
        self._count = int(unpack_from(">I", index, self._fan_out + 1020)[0])
        self._index = index
        return index

    def _open_data(self) -> Buffer:
        data = _map(self.path)
        if data[:4] != b"PACK" or data[4:8] not in (b"\0\0\0\2", b"\0\0\0\3"):
            raise Damaged(f"{self.path.name} isn't a pack")
        self._data = data
        return data

    def _find(self, index: Buffer, raw: bytes) -> int | None:
        first = raw[0]
        if first:
            low, high = unpack_from(">II", index, self._fan_out + 4 * first - 4)
        else:
            low, high = 0, unpack_from(">I", index, self._fan_out)[0]
        names, stride = self._names, self._stride
        while high - low > _FEW:
            middle = (low + high) // 2
            at = names + middle * stride
            if index[at : at + _SHA] <= raw:
                low = middle
            else:
                high = middle
        at, end = names + low * stride, names + high * stride
        while (at := index.find(raw, at, end)) >= 0:
            number, rest = divmod(at - names, stride)
            if rest == 0:
                return self._offset(index, number)
            at += 1
        return None

    def _offset(self, index: Buffer, number: int) -> int:
        if self._stride != _SHA:
            return int(unpack_from(">I", index, self._names + number * self._stride - 4)[0])
        table = self._names + self._count * (_SHA + 4)
        offset = int(unpack_from(">I", index, table + 4 * number)[0])
        if offset < 0x80000000:
            return offset
        large = table + 4 * self._count + 8 * (offset & 0x7FFFFFFF)
        return int(unpack_from(">Q", index, large)[0])

    def _read(self, data: Buffer, offset: int) -> Raw:
        deltas: list[tuple[int, bytes]] = []
        base: Raw | None = None
        at = offset
        while base is None:
            base = self._cache.get((self._number, at))
            if base is not None:
                break
            kind, size, start = _header(data, at)
            if kind in KINDS:
                base = kind, _inflate(data, start, size)
                if deltas:
                    self._cache.put((self._number, at), base)
                break
            if len(deltas) > _DEEPEST:
                raise ValueError("deltas that never reach a base")
            below, start = self._base(data, kind, at, start)
            deltas.append((at, _inflate(data, start, size)))
            at = below
        kind, content = base
        for at, delta in reversed(deltas):
            content = apply_delta(content, delta)
            self._cache.put((self._number, at), (kind, content))
        return kind, content

    def _base(self, data: Buffer, kind: int, at: int, start: int) -> tuple[int, int]:
        """Offset of a delta's base, and where the delta's own bytes start."""
        if kind == OFS_DELTA:
            byte = data[start]
            back = byte & 0x7F
            while byte & 0x80:
                start += 1
                byte = data[start]
                back = ((back + 1) << 7) | (byte & 0x7F)
            below = at - back
            # Only backwards: a loop of deltas can't be written this way.
            if not 0 < back <= at:
                raise ValueError("a delta without a base")
            return below, start + 1
        if kind == REF_DELTA:
            found = self.find(data[start : start + _SHA])
            if found is None or found == at:
                raise ValueError("a delta without a base")
            return found, start + _SHA
        raise ValueError(f"an object of the unknown kind {kind}")


def _header(data: Buffer, at: int) -> tuple[int, int, int]:
    byte = data[at]
    kind, size, shift = (byte >> 4) & 7, byte & 15, 4
    while byte & 0x80:
        at += 1
        byte = data[at]
        size |= (byte & 0x7F) << shift
        shift += 7
    return kind, size, at + 1


def _inflate(data: Buffer, start: int, size: int) -> bytes:
    # What deflate adds at the worst; where a writer added more, the rest is fed afterwards.
    end = start + size + (size >> 7) + 64
    inflater = zlib.decompressobj()
    content = inflater.decompress(data[start:end], size + 1)
    while not inflater.eof and len(content) <= size and end < len(data):
        more = inflater.unconsumed_tail or data[end : end + 4096]
        end += 0 if inflater.unconsumed_tail else 4096
        content += inflater.decompress(more, size + 1 - len(content))
    if len(content) != size or not inflater.eof:
        raise ValueError("an object is not as long as it says")
    return content


def apply_delta(base: bytes, delta: bytes) -> bytes:
    """The bytes that a delta makes of its base. ValueError when they don't belong together."""
    base_size, at = _size(delta, 0)
    size, at = _size(delta, at)
    if base_size != len(base):
        raise ValueError("a delta belongs to another base")
    parts: list[bytes] = []
    end = len(delta)
    while at < end:
        op = delta[at]
        at += 1
        if op & 0x80:
            # Written out: this runs for nearly every object of a packed history.
            offset = length = 0
            if op & 0x01:
                offset = delta[at]
                at += 1
            if op & 0x02:
                offset |= delta[at] << 8
                at += 1
            if op & 0x04:
                offset |= delta[at] << 16
                at += 1
            if op & 0x08:
                offset |= delta[at] << 24
                at += 1
            if op & 0x10:
                length = delta[at]
                at += 1
            if op & 0x20:
                length |= delta[at] << 8
                at += 1
            if op & 0x40:
                length |= delta[at] << 16
                at += 1
            length = length or 0x10000
            parts.append(base[offset : offset + length])
        elif op:
            parts.append(delta[at : at + op])
            at += op
        else:
            raise ValueError("a delta with an unknown instruction")
    content = b"".join(parts)
    if len(content) != size:
        raise ValueError("a delta gives another length than it says")
    return content


def _size(delta: bytes, at: int) -> tuple[int, int]:
    size = shift = 0
    while True:
        byte = delta[at]
        at += 1
        size |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return size, at


def _map(path: Path) -> Buffer:
    with path.open("rb", buffering=0) as file:
        if os.fstat(file.fileno()).st_size <= READ_WHOLE:
            return file.read()
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
