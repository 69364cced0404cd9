"""Writes one durable pack with all objects of a change, protected until the ref has moved (I4).

The order on the disk: `.keep`, then pack and index under names that end in `.part`, each
fsynced, then renamed (the index last, for it makes the pack visible), then the folder is
fsynced. That is three fsyncs; until `release` no `git gc` or `git repack` takes the objects.
A writer that fails leaves nothing behind; one that is killed leaves what `fold.sweep` removes.

A pack's name is drawn by lot, unlike git's: two processes that write the same objects never
share a `.keep`, so none can take away the other's protection.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import zlib
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from io import FileIO
from pathlib import Path
from sys import byteorder

from gitmem.git.delta import make_delta
from gitmem.git.files import (
    READ_ONLY,
    Settings,
    Sharing,
    make_folders,
    open_new,
    refused,
    write_new,
)
from gitmem.git.objects import NewObject
from gitmem.git.platform import fsync_dir, fsync_file, host_name, remove_file, write_all

CHAIN = 50
"""A delta's chain is shorter than this, as git's are by default."""
KIND_CODES = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
PART = ".part"
_OFS_DELTA = 6
_SHA = 20
_sha1 = partial(hashlib.sha1, usedforsecurity=False)
_HEADER = 12
# What is written stays in memory up to here; most packs never reach it.
_SPILL = 8 << 20
_BASES_KEPT = 32 << 20
_LARGE_OFFSET = 1 << 31
# A tree's bytes are mostly hashes: compressing a large one takes longer than all the rest of a
# write, and the next fold makes it a delta anyway.
_PLAIN_TREE = 1024
_PLAIN_DELTA = 128
_PLAIN_DELTA = 100


@dataclass(frozen=True, slots=True)
class KeptPack:
    """A durable pack under `.keep`."""

    name: str
    path: Path

    def release(self) -> None:
        """Give the pack up to git's upkeep: a ref now leads to its objects, or never will."""
        # Left behind it only costs space, and `fold.sweep` comes by: no reason to fail a write.
        with contextlib.suppress(OSError):
            remove_file(self.path.with_suffix(".keep"))

    def discard(self) -> None:
        """Take the pack away again: the ref went elsewhere, and nothing refers to it."""
        for suffix in (".idx", ".pack", ".keep"):
            with contextlib.suppress(OSError):
                remove_file(self.path.with_suffix(suffix))


class PackWriter:
    """Collects objects for one pack. Ends with `finish` or `abort`."""

    def __init__(self, common_dir: Path, settings: Settings) -> None:
        self._folder = common_dir / "objects" / "pack"
        self._sharing = Sharing.of(settings)
        self._name = f"pack-{os.urandom(_SHA).hex()}"
        self._places: dict[str, tuple[int, int]] = {}
        """Hash to offset and chain depth."""
        self._checks = array("I")
        self._buffer = bytearray(_HEADER)
        self._written = 0
        self._file: FileIO | None = None
        # A plain dict gets slower with every first item that goes.
        self._bases: OrderedDict[str, bytes] = OrderedDict()
        self._bases_size = 0

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, sha: str) -> bool:
        return sha in self._places

    def add(self, obj: NewObject) -> None:
        """Add an object unless it is in this pack; a delta where its base is."""
        if obj.sha in self._places:
            return
        delta = self._delta(obj)
        if delta is None:
            self.add_packed(obj.sha, obj.kind, len(obj.data), self._whole(obj), None)
        else:
            # Little but hashes and a name: compressing it saves nothing.
            packed = stored(delta) if len(delta) <= _PLAIN_DELTA else compress(delta)
            self.add_packed(obj.sha, obj.kind, len(delta), packed, obj.base)
        if obj.kind != "commit":
            self._remember(obj.sha, obj.data)

    def add_packed(self, sha: str, kind: str, size: int, packed: bytes, base: str | None) -> None:
        """Add an object that is compressed already; with a base, as the delta on it.

        `size` is what `packed` inflates to. The base must be one that `takes_delta_on` takes.
        """
        offset = self._written + len(self._buffer)
        if base is None:
            depth = 0
            entry = _entry_header(KIND_CODES[kind], size) + packed
        else:
            at, depth = self._places[base]
            depth += 1
            entry = _entry_header(_OFS_DELTA, size) + _distance(offset - at) + packed
        self._places[sha] = offset, depth
        self._checks.append(zlib.crc32(entry))
        self._buffer += entry
        if len(self._buffer) > _SPILL:
            self._spill()

    def takes_delta_on(self, base: str) -> bool:
        """Is that object in this pack, at the end of a chain that may grow?"""
        place = self._places.get(base)
        return place is not None and place[1] + 1 < CHAIN

    def finish(self) -> KeptPack:
        """Make everything durable and visible. WriteError: nothing was, nothing is left."""
        if not self._places:
            raise ValueError("a pack without objects")
        try:
            return self._publish()
        except OSError as error:
            self.abort()
            raise refused(error, "writing the change to the object store") from error
        except BaseException:
            self.abort()
            raise

    def abort(self) -> None:
        """Leave nothing behind."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = None
        self._buffer.clear()
        path = self._folder / self._name
        for suffix in (".idx", ".pack", f".idx{PART}", f".pack{PART}", ".keep"):
            with contextlib.suppress(OSError):
                remove_file(path.with_suffix(suffix))

    def _delta(self, obj: NewObject) -> bytes | None:
        base = obj.base
        if base is None or not self.takes_delta_on(base):
            return None
        base_data = self._bases.get(base)
        return None if base_data is None else make_delta(base_data, obj.data, *obj.same)

    def _whole(self, obj: NewObject) -> bytes:
        if obj.kind == "tree" and obj.base not in self._places and len(obj.data) > _PLAIN_TREE:
            return plain(obj.data)
        return compress(obj.data)

    def _remember(self, sha: str, data: bytes) -> None:
        """Keep the bytes for deltas to come; the oldest go first."""
        self._bases[sha] = data
        self._bases_size += len(data)
        while self._bases_size > _BASES_KEPT:
            self._bases_size -= len(self._bases.popitem(last=False)[1])

    def _spill(self) -> None:
        """Write what was collected, to bound the memory that a large import takes."""
        try:
            if self._file is None:
                self._file = self._start()
            write_all(self._file.fileno(), self._buffer)
        except OSError as error:
            self.abort()
            raise refused(error, "writing the change to the object store") from error
        self._written += len(self._buffer)
        self._buffer.clear()

    def _start(self) -> FileIO:
        make_folders(self._folder, self._sharing, sync=True)
        path = self._folder / self._name
        keep = f"gitmem {host_name()} {os.getpid()}\n"
        write_new(path.with_suffix(".keep"), keep.encode(), self._sharing, sync=False)
        part = path.with_suffix(f".pack{PART}")
        return FileIO(open_new(part, self._sharing, READ_ONLY, readable=True), "r+b")

    def _publish(self) -> KeptPack:
        path = (self._folder / self._name).with_suffix(".pack")
        with self._file or self._start() as file:
            self._file = file
            checksum = self._write_rest(file)
            fsync_file(file.fileno())
        self._file = None
        index = pack_index(
            [(bytes.fromhex(sha), place[0]) for sha, place in self._places.items()],
            self._checks,
            checksum,
        )
        pack_part, index_part = (path.with_suffix(s + PART) for s in (".pack", ".idx"))
        write_new(index_part, index, self._sharing, READ_ONLY)
        pack_part.replace(path)
        index_part.replace(path.with_suffix(".idx"))
        fsync_dir(self._folder)
        return KeptPack(self._name, path)

    def _write_rest(self, file: FileIO) -> bytes:
        """Header, what is still in memory, checksum; the checksum."""
        header = b"PACK\0\0\0\2" + len(self._places).to_bytes(4, "big")
        if not self._written:
            self._buffer[:_HEADER] = header
            checksum = _sha1(self._buffer).digest()
            write_all(file.fileno(), self._buffer + checksum)
            return checksum
        write_all(file.fileno(), self._buffer)
        file.seek(0)
        write_all(file.fileno(), header)
        # The header comes last and is hashed first, so a spilled pack is read once more.
        file.seek(0)
        checksum = hashlib.file_digest(file, _sha1).digest()
        write_all(file.fileno(), checksum)
        return checksum


def stored(data: bytes) -> bytes:
    """At most 65,535 bytes as a zlib stream that doesn't compress them."""
    size = len(data)
    return b"x\x01\x01%b%b%b%b" % (
        size.to_bytes(2, "little"),
        (size ^ 0xFFFF).to_bytes(2, "little"),
        data,
        zlib.adler32(data).to_bytes(4, "big"),
    )


def compress(data: bytes) -> bytes:
    """Deflate, with a window no larger than the data needs.

    Most objects are far below a kilobyte; clearing the 256 KiB that zlib takes by default costs
    five times as much as compressing them. The deltas of trees are mostly hashes: left as is.
    """
    size = len(data)
    if size < _PLAIN_DELTA:
        return plain(data)
    window, memory = (12, 5) if size <= 4096 else (13, 7) if size <= 16_384 else (15, 8)
    deflate = zlib.compressobj(1 if size <= 32_768 else 6, zlib.DEFLATED, window, memory)
    return deflate.compress(data) + deflate.flush()


def plain(data: bytes) -> bytes:
    """zlib's frame without compression."""
    deflate = zlib.compressobj(0, zlib.DEFLATED, 9, 1)
    return deflate.compress(data) + deflate.flush()


def pack_index(
    places: Sequence[tuple[bytes, int]], checks: Sequence[int], checksum: bytes
) -> bytes:
    """A version 2 index: hashes with offsets and CRCs (in the order of the pack)."""
    order = sorted(range(len(places)), key=lambda number: places[number])
    counts = [0] * 256
    small, large = array("I"), array("Q")
    for number in order:
        raw, offset = places[number]
        counts[raw[0]] += 1
        if offset >= _LARGE_OFFSET:
            small.append(_LARGE_OFFSET | len(large))
            large.append(offset)
        else:
            small.append(offset)
    total, fan_out = 0, array("I")
    for count in counts:
        total += count
        fan_out.append(total)
    body = b"".join(
        [
            b"\xfftOc\0\0\0\2",
            _big_endian(fan_out),
            *(places[number][0] for number in order),
            _big_endian(array("I", [checks[number] for number in order])),
            _big_endian(small),
            _big_endian(large),
            checksum,
        ]
    )
    return body + _sha1(body).digest()


def _big_endian(numbers: array[int]) -> bytes:
    if byteorder == "little":
        numbers.byteswap()
    return numbers.tobytes()


def _entry_header(code: int, size: int) -> bytes:
    byte = code << 4 | size & 15
    size >>= 4
    if not size:
        return bytes((byte,))
    if size < 0x80:
        return bytes((byte | 0x80, size))
    header = bytearray()
    while size:
        header.append(byte | 0x80)
        byte = size & 0x7F
        size >>= 7
    header.append(byte)
    return bytes(header)


def _distance(back: int) -> bytes:
    """How far before a delta its base starts; each further byte counts from one."""
    out = bytearray((back & 0x7F,))
    while back := back >> 7:
        back -= 1
        out.append(0x80 | back & 0x7F)
    out.reverse()
    return bytes(out)
