"""Keeps our packs few: folds them 16 at a time, level by level; clears up after the dead.

Our packs are listed in `<common>/gitmem/packs`; losing the list costs nothing but folding. A
pack that isn't listed, or that somebody else keeps or has put into a multi-pack-index, is never
touched. A fold makes its pack durable and visible, under `.keep`, before the old ones go (I4).
All of it is for whoever holds the flock.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gitmem.git.files import Sharing, make_folders, open_new, refused, write_new
from gitmem.git.locate import Location
from gitmem.git.objects import Objects
from gitmem.git.pack import KeptPack
from gitmem.git.platform import host_name, process_alive, remove_file, write_all
from gitmem.git.union import open_sources, write_union
from gitmem.model.errors import Corrupt

AT_A_TIME = 16
MOST = 40
"""Past 50 packs, whoever they belong to, the user's own git starts to repack."""
_OBJECTS_AT_ONCE = 8
_INDEX_START, _INDEX_OBJECT = 1072, 28
_LONGEST_KEEP = 86_400
_ROUNDS = 8
_LINE = re.compile(rb"(pack-[0-9a-f]{40}) (\d{1,3})\n")
_KEEP = re.compile(rb"gitmem (\S+) (\d+)\n?\Z")
_OURS = re.compile(r"(pack-[0-9a-f]{40})\.(?:pack|idx)\.part\Z")
# As git removes a pack: without an index nobody starts to read it.
_REMOVED = (".idx", ".rev", ".bitmap", ".pack")


@dataclass(frozen=True, slots=True)
class Owned:
    """A pack of ours; a fold of packs of one level makes one of the next."""

    name: str
    level: int


def note_pack(location: Location, name: str) -> None:
    """List a pack as ours; to be called before its `.keep` goes."""
    path = _list_path(location)
    # A pack that isn't listed is left to the user's git: no reason to fail a write.
    with contextlib.suppress(OSError):
        size = (_pack_folder(location) / f"{name}.idx").stat().st_size
        line = f"{name} {_level((size - _INDEX_START) // _INDEX_OBJECT)}\n".encode()
        try:
            fd = os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
        except FileNotFoundError:
            sharing = Sharing.of(location.settings)
            make_folders(path.parent, sharing, sync=False)
            fd = open_new(path, sharing)
        try:
            write_all(fd, line)
        finally:
            os.close(fd)


def fold_packs(location: Location, objects: Objects) -> int:
    """Fold what is due; how many packs went. WriteError, Corrupt: nothing was lost."""
    gone = 0
    for _ in range(_ROUNDS):
        if not _due(_listed(location)):
            break
        owned = _present(location)
        group = _due(_free(location, owned))
        # Also when nothing is due any more: the list forgets what git's upkeep has taken.
        removed = _fold(
            location, objects, owned, group, max((p.level for p in group), default=0) + 1
        )
        gone += removed
        if not removed:
            break
    return gone


def collect(location: Location, objects: Objects) -> int:
    """Fold all our packs into one; how many packs went."""
    owned = _present(location)
    return _fold(location, objects, owned, _free(location, owned), 0)


def sweep(location: Location) -> None:
    """Remove `.keep` and `.part` files of gitmems that died; their packs become ours."""
    folder = _pack_folder(location)
    try:
        names = set(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return
    dead = {name[: -len(".keep")] for name in names if name.endswith(".keep")}
    dead = {name for name in dead if _is_dead(folder / f"{name}.keep", f"{name}.pack" in names)}
    for name in names:
        part = _OURS.match(name)
        if part is None:
            continue
        abandoned = part[1] in dead or (
            f"{part[1]}.keep" not in names and _age(folder / name) > _LONGEST_KEEP
        )
        if abandoned:
            _remove(folder / name)
    for name in dead:
        if f"{name}.idx" in names:
            note_pack(location, name)
        else:
            _remove(folder / f"{name}.pack")
        # The last to go: it tells whose the others are.
        _remove(folder / f"{name}.keep")


def _fold(
    location: Location, objects: Objects, owned: list[Owned], group: Sequence[Owned], level: int
) -> int:
    folder = _pack_folder(location)
    with contextlib.ExitStack() as stack:
        try:
            sources = open_sources(stack, [folder / f"{pack.name}.pack" for pack in group])
            kept = None
            if len(sources) > 1:
                kept, count = write_union(location, sources)
                level = max(level, _level(count))
        except Corrupt as error:
            # Not ours to mend, and no reason to stop folding the others.
            broken = Path(error.details["path"]).stem
            _write_list(location, [pack for pack in owned if pack.name != broken])
            raise
    if kept is None:
        _write_list(location, owned)
        return 0
    return _replace(
        location, objects, owned, {s.name for s in sources}, Owned(kept.name, level), kept
    )


def _replace(
    location: Location,
    objects: Objects,
    owned: list[Owned],
    old: set[str],
    new: Owned,
    kept: KeptPack,
) -> int:
    """The union stands for the old packs, which go."""
    first = next(number for number, pack in enumerate(owned) if pack.name in old)
    try:
        # The old ones stay listed: they are ours until they are gone, should we die here.
        _write_list(location, [*owned[:first], new, *owned[first:]])
    except BaseException:
        kept.discard()
        raise
    # Windows removes no file that somebody has open.
    objects.close()
    folder = _pack_folder(location)
    for name in old:
        if not (folder / f"{name}.keep").exists():
            _remove_pack(folder, name)
    kept.release()
    left = _present(location)
    _write_list(location, left)
    return len(old - {pack.name for pack in left})


def _due(owned: Sequence[Owned]) -> list[Owned]:
    """The packs to fold next: the lowest full level; the largest when they become too many."""
    levels: dict[int, list[Owned]] = {}
    for pack in owned:
        levels.setdefault(pack.level, []).append(pack)
    for _, packs in sorted(levels.items()):
        if len(packs) >= AT_A_TIME:
            return packs
    if len(owned) >= MOST:
        return max((packs for _, packs in sorted(levels.items())), key=len)
    return []


def _level(objects: int) -> int:
    """The level of a pack by its size: an import's pack isn't folded with those of one change."""
    level = 0
    while objects >= _OBJECTS_AT_ONCE * AT_A_TIME:
        objects //= AT_A_TIME
        level += 1
    return level


def _listed(location: Location) -> list[Owned]:
    try:
        data = _list_path(location).read_bytes()
    except OSError:
        return []
    # What a crash left of a line matches nothing.
    packs = {name.decode(): int(level) for name, level in _LINE.findall(data)}
    return [Owned(name, level) for name, level in packs.items()]


def _present(location: Location) -> list[Owned]:
    """Those of our packs that git's own upkeep has neither taken nor taken over."""
    folder = _pack_folder(location)
    try:
        names = set(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return []
    taken_over = b""
    with contextlib.suppress(OSError):
        taken_over = (folder / "multi-pack-index").read_bytes()
    present = []
    for pack in _listed(location):
        if f"{pack.name}.idx" not in names:
            # Gone, or on the way: a fold died after it had removed the index.
            if f"{pack.name}.pack" in names:
                _remove_pack(folder, pack.name)
        elif f"{pack.name}.idx".encode() not in taken_over:
            present.append(pack)
    return present


def _free(location: Location, owned: Iterable[Owned]) -> list[Owned]:
    """Those of these packs that nobody keeps."""
    folder = _pack_folder(location)
    return [pack for pack in owned if not (folder / f"{pack.name}.keep").exists()]


def _write_list(location: Location, owned: Iterable[Owned]) -> None:
    path = _list_path(location)
    fresh = path.with_name("packs.new")
    data = "".join(f"{pack.name} {pack.level}\n" for pack in owned).encode()
    try:
        remove_file(fresh)
        write_new(fresh, data, Sharing.of(location.settings), sync=False)
        fresh.replace(path)
    except OSError as error:
        raise refused(error, "noting which packs are gitmem's") from error


def _is_dead(keep: Path, has_pack: bool) -> bool:
    """Is this the `.keep` of a gitmem that can't remove it any more?"""
    try:
        with keep.open("rb") as file:
            content = file.read(512)
    except OSError:
        return False
    if not content and not has_pack:
        # Created, and died before the first byte; it protects nothing.
        return _age(keep) > _LONGEST_KEEP
    found = _KEEP.match(content)
    if found is None:
        return False
    here = found[1].decode(errors="replace") == host_name()
    return (here and not process_alive(int(found[2]))) or _age(keep) > _LONGEST_KEEP


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0.0


def _remove_pack(folder: Path, name: str) -> None:
    for suffix in _REMOVED:
        _remove(folder / f"{name}{suffix}")


def _remove(path: Path) -> None:
    # Somebody on Windows may have it open; the next one who comes by tries again.
    with contextlib.suppress(OSError):
        remove_file(path)


def _pack_folder(location: Location) -> Path:
    return location.common_dir / "objects" / "pack"


def _list_path(location: Location) -> Path:
    return location.gitmem_dir / "packs"
