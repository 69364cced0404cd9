"""Packs as gitmem writes them, read and checked by C git."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from gitmem.git import pack
from gitmem.git.delta import make_delta
from gitmem.git.files import Sharing
from gitmem.git.locate import locate
from gitmem.git.objects import NewObject, Objects, new_object
from gitmem.git.pack import CHAIN, KeptPack, PackWriter, pack_index
from gitmem.git.packfile import apply_delta
from gitmem.git.platform import host_name
from gitmem.git.ref import Refs
from gitmem.git.settings import Settings, read_settings
from hypothesis import given
from hypothesis import strategies as st

from tests.faults.writer import MEMORY, WHO, change
from tests.helpers import fsck, git, git_bytes, make_repository, run_git

NO_SETTINGS = Settings()


def pack_folder(repo: Path) -> Path:
    return locate(repo).common_dir / "objects" / "pack"


def write(repo: Path, objects: list[NewObject], settings: Settings = NO_SETTINGS) -> KeptPack:
    writer = PackWriter(locate(repo).common_dir, settings)
    for obj in objects:
        writer.add(obj)
    return writer.finish()


def tree(count: int, changed: int) -> bytes:
    lines = [b"100644 entry-%04d.md\0" % n + b"%020d" % n for n in range(count)]
    lines[changed % count] = lines[changed % count][:-20] + b"%020d" % (1_000_000 + changed)
    return b"".join(lines)


def versions(count: int) -> list[NewObject]:
    """A tree of 60 items, one of which differs from version to version."""
    made: list[NewObject] = []
    for number in range(count):
        base = made[-1].sha if made else None
        made.append(new_object("tree", tree(60, number), base))
    return made


def chain_lengths(repo: Path, kept: KeptPack) -> dict[str, int]:
    """Hash to chain length, as git sees it."""
    listed = git(repo, "verify-pack", "-v", str(kept.path))
    lines = [line.split() for line in listed.splitlines() if re.match("[0-9a-f]{40} ", line)]
    return {words[0]: int(words[5]) if len(words) > 5 else 0 for words in lines}


def test_git_reads_every_object_of_a_pack_and_finds_nothing_to_complain_about(repo: Path) -> None:
    with Objects(locate(repo).common_dir) as objects:
        new = change(objects, None, {"register/notes/one.md": "one\n", "config.json": "{}\n"})
    kept = write(repo, new)
    git(repo, "update-ref", MEMORY, new[-1].sha)
    for obj in new:
        assert git_bytes(repo, "cat-file", obj.kind, obj.sha) == obj.data
    assert git(repo, "verify-pack", str(kept.path)) == ""
    assert fsck(repo) == ""


def test_objects_are_protected_from_gc_until_the_pack_is_released(repo: Path) -> None:
    blob = new_object("blob", b"not referred to by anything yet\n")
    kept = write(repo, [blob])
    git(repo, "gc", "-q", "--prune=now")
    git(repo, "repack", "-adq")
    assert git_bytes(repo, "cat-file", "blob", blob.sha) == blob.data
    kept.release()
    git(repo, "gc", "-q", "--prune=now")
    assert run_git(repo, ["cat-file", "-e", blob.sha]).returncode != 0


def test_a_keep_tells_who_wrote_it(repo: Path) -> None:
    kept = write(repo, [new_object("blob", b"x")])
    keep = kept.path.with_suffix(".keep")
    assert keep.read_text() == f"gitmem {host_name()} {os.getpid()}\n"
    kept.release()
    kept.release()
    assert not keep.exists()


def test_two_writers_of_the_same_objects_do_not_share_their_protection(repo: Path) -> None:
    blob = new_object("blob", b"the same in both\n")
    one, other = write(repo, [blob]), write(repo, [blob])
    one.release()
    git(repo, "gc", "-q", "--prune=now")
    assert git_bytes(repo, "cat-file", "blob", blob.sha) == blob.data
    assert other.path.exists()


def test_a_discarded_pack_leaves_nothing(repo: Path) -> None:
    write(repo, [new_object("blob", b"x")]).discard()
    assert list(pack_folder(repo).iterdir()) == []


def test_an_object_given_twice_is_stored_once(repo: Path) -> None:
    blob = new_object("blob", b"twice")
    assert list(chain_lengths(repo, write(repo, [blob, blob]))) == [blob.sha]


def test_later_versions_are_deltas_in_chains_that_git_would_make(repo: Path) -> None:
    made = versions(3 * CHAIN)
    kept = write(repo, made)
    lengths = chain_lengths(repo, kept)
    assert max(lengths.values()) == CHAIN - 1
    assert sum(length == 0 for length in lengths.values()) == 3
    for obj in made:
        assert git_bytes(repo, "cat-file", "tree", obj.sha) == obj.data
    assert kept.path.stat().st_size < sum(len(obj.data) for obj in made) / 10


def test_a_version_that_has_nothing_in_common_is_stored_whole(repo: Path) -> None:
    one = new_object("blob", b"a" * 500)
    other = new_object("blob", b"b" * 500, one.sha)
    lengths = chain_lengths(repo, write(repo, [one, other]))
    assert lengths == {one.sha: 0, other.sha: 0}


def test_a_base_outside_the_pack_is_never_relied_on(repo: Path) -> None:
    one, other = versions(2)
    first = write(repo, [one])
    second = write(repo, [other])
    assert chain_lengths(repo, second) == {other.sha: 0}
    first.discard()
    assert git_bytes(repo, "cat-file", "tree", other.sha) == other.data


@pytest.mark.parametrize("size", [0, 1, 99, 100, 4096, 4097, 16_385, 40_000, 200_000])
@pytest.mark.parametrize("kind", ["blob", "tree"])
def test_objects_of_any_size_come_back(repo: Path, kind: str, size: int) -> None:
    data = tree(size // 40 + 1, 0) if kind == "tree" else (b"word %d\n" * size)[:size]
    obj = new_object(kind, data)
    longer = new_object(kind, data + tree(9000, 1) if kind == "tree" else data + b"!", obj.sha)
    write(repo, [obj, longer])
    assert git_bytes(repo, "cat-file", kind, obj.sha) == obj.data
    if kind == "blob":
        assert git_bytes(repo, "cat-file", kind, longer.sha) == longer.data


def test_a_pack_larger_than_memory_allows_is_the_same_pack(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [*versions(120), new_object("blob", b"the last\n")]
    in_memory = write(repo, made).path.read_bytes()
    monkeypatch.setattr(pack, "_SPILL", 600)
    spilled = write(repo, made)
    assert spilled.path.read_bytes() == in_memory
    assert git(repo, "verify-pack", str(spilled.path)) == ""


@pytest.mark.parametrize("spill", [1, 1 << 20])
def test_an_aborted_pack_leaves_nothing(
    repo: Path, monkeypatch: pytest.MonkeyPatch, spill: int
) -> None:
    monkeypatch.setattr(pack, "_SPILL", spill)
    writer = PackWriter(locate(repo).common_dir, NO_SETTINGS)
    for obj in versions(5):
        writer.add(obj)
    writer.abort()
    assert list(pack_folder(repo).iterdir()) == []


def test_a_write_costs_at_most_five_fsyncs(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    location = locate(repo)
    refs = Refs(location)
    synced: list[str] = []
    real = os.fsync

    def count(fd: int) -> None:
        synced.append("folder" if stat.S_ISDIR(os.fstat(fd).st_mode) else "file")
        real(fd)

    monkeypatch.setattr(os, "fsync", count)
    with Objects(location.common_dir) as objects:
        new = change(objects, None, {"register/notes/one.md": "one\n"})
    kept = write(repo, new)
    assert synced == ["file", "file", "folder"]
    assert refs.move(MEMORY, None, new[-1].sha, who=WHO, message="create", flock_held=True)
    refs.set_quietly("refs/gitmem/backup", new[-1].sha)
    kept.release()
    assert synced == ["file", "file", "folder", "file", "folder"]


@pytest.fixture
def strict_umask() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


@pytest.mark.usefixtures("strict_umask")
@pytest.mark.parametrize("shared", [None, "group", "all", "0640", "umask", "1", "true"])
def test_files_and_folders_get_the_modes_that_git_gives_them(
    tmp_path: Path, shared: str | None
) -> None:
    options = [] if shared is None else [f"--shared={shared}"]
    theirs = make_repository(tmp_path / "theirs", *options)
    blob = git(theirs, "hash-object", "-w", "--stdin", data="x")
    packed = git(theirs, "pack-objects", "-q", str(pack_folder(theirs) / "pack"), data=blob)
    ours = make_repository(tmp_path / "ours", *options)
    pack_folder(ours).rmdir()
    kept = write(ours, [new_object("blob", b"x")], read_settings(locate(ours).common_dir))
    for suffix in (".pack", ".idx"):
        expected = (pack_folder(theirs) / f"pack-{packed}{suffix}").stat().st_mode
        assert oct(kept.path.with_suffix(suffix).stat().st_mode) == oct(expected)
    assert oct(pack_folder(ours).stat().st_mode) == oct(pack_folder(theirs).stat().st_mode)


def test_a_sharing_that_git_refuses_counts_as_none() -> None:
    for value in ("0040", "nobody", "09"):
        assert Sharing.of(Settings([("core.sharedrepository", value)])) == Sharing()


def test_offsets_beyond_two_gibibytes_are_in_the_index(repo: Path, tmp_path: Path) -> None:
    places = [(bytes([n]) * 20, offset) for n, offset in enumerate([12, 1 << 31, 5 << 32, 900])]
    (tmp_path / "big.idx").write_bytes(pack_index(places, [1, 2, 3, 4], b"\0" * 20))
    shown = git(repo, "show-index", data=(tmp_path / "big.idx").read_bytes())
    assert [tuple(line.split()) for line in shown.splitlines()] == [
        (str(offset), raw.hex(), f"({check:08x})")
        for (raw, offset), check in zip(places, [1, 2, 3, 4], strict=True)
    ]


PIECES = st.lists(st.binary(max_size=400), max_size=4).map(b"".join)


@given(start=PIECES, old=PIECES, new=PIECES, end=PIECES, repeat=st.sampled_from([1, 300]))
def test_a_delta_gives_back_what_it_was_made_of(
    start: bytes, old: bytes, new: bytes, end: bytes, repeat: int
) -> None:
    base, data = start * repeat + old + end, start * repeat + new + end
    delta = make_delta(base, data)
    if delta is not None:
        assert apply_delta(base, delta) == data
    else:
        assert len(new) + 16 >= len(data) - len(start * repeat) - len(end)


def test_a_long_common_part_is_copied_in_pieces_that_every_git_takes(repo: Path) -> None:
    base = os.urandom(200_000)
    one = new_object("blob", base)
    other = new_object("blob", base[:150_000] + b"new" + base[150_000:], one.sha)
    assert chain_lengths(repo, write(repo, [one, other]))[other.sha] == 1
    assert git_bytes(repo, "cat-file", "blob", other.sha) == other.data
