"""Our packs stay few and small, and nobody else's are touched."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from gitmem.git import fold
from gitmem.git.fold import collect, fold_packs, note_pack, sweep
from gitmem.git.locate import Location, locate
from gitmem.git.objects import Objects, new_object
from gitmem.git.pack import PackWriter
from gitmem.git.platform import host_name
from gitmem.git.ref import Refs
from gitmem.model.errors import Corrupt, WriteError

from tests.faults.writer import MEMORY, WHO, bury, change, unsynced, write_entry
from tests.helpers import commit_files, fsck, git, git_bytes, rev

DAY = 86_400


@pytest.fixture
def location(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Location]:
    with unsynced(monkeypatch):
        found = locate(repo)
        found.gitmem_dir.mkdir()
        yield found


@pytest.fixture
def objects(location: Location) -> Iterator[Objects]:
    with Objects(location.common_dir) as opened:
        yield opened


def packs(location: Location) -> set[str]:
    return {path.stem for path in (location.common_dir / "objects/pack").glob("*.pack")}


def listed(location: Location) -> dict[str, int]:
    lines = (location.gitmem_dir / "packs").read_text().splitlines()
    return {name: int(level) for name, level in (line.split() for line in lines)}


def commit(location: Location, objects: Objects, *files: dict[str, str], note: bool = True) -> str:
    """One pack with a commit for each of these; its name."""
    refs = Refs(location)
    writer = PackWriter(location.common_dir, location.settings)
    old = tip = refs.read(MEMORY)
    for some in files:
        new = change(objects, tip, some)
        for obj in new:
            objects.add_pending(obj.kind, obj.sha, obj.data)
            writer.add(obj)
        tip = new[-1].sha
    kept = writer.finish()
    objects.drop_pending()
    assert refs.move(MEMORY, old, tip, who=WHO, message="a change", flock_held=True)
    if note:
        note_pack(location, kept.name)
    kept.release()
    return kept.name


def commit_many(location: Location, objects: Objects, count: int) -> list[str]:
    return [commit(location, objects, {f"register/notes/{n}.md": f"{n}\n"}) for n in range(count)]


def everything(repo: Path) -> str:
    """Every reachable object with its content's size."""
    shas = git(repo, "rev-list", "--objects", "--no-object-names", MEMORY)
    return git(repo, "cat-file", "--batch-check", data=shas)


def test_sixteen_packs_become_one_with_the_same_objects(
    repo: Path, location: Location, objects: Objects
) -> None:
    commit_many(location, objects, 15)
    assert fold_packs(location, objects) == 0
    commit(location, objects, {"register/notes/last.md": "last\n"})
    before = everything(repo)
    assert fold_packs(location, objects) == 16
    assert everything(repo) == before
    assert len(packs(location)) == 1
    assert listed(location) == dict.fromkeys(packs(location), 1)
    assert list((location.common_dir / "objects/pack").glob("*.keep")) == []
    assert fsck(repo) == ""


def test_never_more_packs_than_git_tolerates(
    repo: Path, location: Location, objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fold, "AT_A_TIME", 4)
    monkeypatch.setattr(fold, "MOST", 7)
    most = 0
    for n in range(70):
        commit(location, objects, {f"register/notes/{n % 9}.md": f"{n}\n"})
        most = max(most, len(packs(location)))
        fold_packs(location, objects)
    assert most == 7
    assert git(repo, "rev-list", "--count", MEMORY) == "70"
    assert fsck(repo) == ""


def test_a_fold_stores_later_versions_of_a_path_as_deltas(
    repo: Path, location: Location, objects: Objects
) -> None:
    text = os.urandom(1500).hex()
    commit(location, objects, {f"register/notes/{n}.md": f"{n}\n" for n in range(100)})
    for n in range(15):
        folder = "register" if n % 2 else "archive"
        commit(location, objects, {f"{folder}/notes/moves-about.md": f"{n} {text}\n"})
    fold_packs(location, objects)
    (name,) = packs(location)
    shown = git(repo, "verify-pack", "-v", f".git/objects/pack/{name}.pack").splitlines()
    whole = [words for words in map(str.split, shown) if len(words) == 5 and len(words[0]) == 40]
    kinds = [words[1] for words in whole if int(words[2]) > 1000]
    assert kinds == ["tree", "blob"]


@pytest.mark.parametrize("how", ["one by one", "imported"])
def test_a_store_is_hardly_larger_than_git_would_make_it(
    repo: Path, location: Location, objects: Objects, how: str
) -> None:
    changes = [
        {
            f"register/{('notes', 'decisions')[n % 2]}/entry-{n % 140}-of-many.md": (
                f"---\nid: tr{n % 140:010x}\ntags: [a, b{n % 7}]\nreviewed: {n}\n---\n\n"
                + "".join(f"Line {n % 140 * k} of {k}.\n" for k in range(12))
                + f"Changed in {n}.\n"
            )
        }
        for n in range(250)
    ]
    if how == "imported":
        commit(location, objects, *changes)
    else:
        for one in changes:
            commit(location, objects, one)
            fold_packs(location, objects)
    collect(location, objects)
    size = sum(path.stat().st_size for path in (repo / ".git/objects").rglob("*.*"))
    git(repo, "repack", "-adfq")
    theirs = sum(path.stat().st_size for path in (repo / ".git/objects").rglob("*.*"))
    assert size <= 1.3 * theirs
    assert fsck(repo) == ""


def test_chains_stay_as_short_as_git_makes_them(
    repo: Path, location: Location, objects: Objects
) -> None:
    for n in range(120):
        commit(location, objects, {f"register/notes/{n % 50}.md": f"{n}\n"})
        fold_packs(location, objects)
    collect(location, objects)
    (name,) = packs(location)
    shown = git(repo, "verify-pack", "-v", f".git/objects/pack/{name}.pack")
    depths = [int(depth) for depth in re.findall(r"^chain length = (\d+)", shown, re.MULTILINE)]
    assert 10 < max(depths) < 50


def test_collecting_makes_one_pack_of_all_levels(
    repo: Path, location: Location, objects: Objects
) -> None:
    commit_many(location, objects, 16)
    assert fold_packs(location, objects) == 16
    commit_many(location, objects, 4)
    before = everything(repo)
    assert collect(location, objects) == 5
    assert len(packs(location)) == 1
    assert collect(location, objects) == 0
    assert everything(repo) == before


def test_objects_that_nothing_refers_to_are_folded_along(
    repo: Path, location: Location, objects: Objects
) -> None:
    commit(location, objects, {"register/notes/gone.md": "from a branch that is gone\n"})
    tip = rev(repo, MEMORY)
    git(repo, "update-ref", "-d", MEMORY)
    commit_many(location, objects, 15)
    assert fold_packs(location, objects) == 16
    assert git(repo, "show", f"{tip}:register/notes/gone.md") == "from a branch that is gone"


def test_a_tag_in_a_pack_of_ours_survives(repo: Path, location: Location, objects: Objects) -> None:
    commit_many(location, objects, 15)
    tip = rev(repo, MEMORY)
    data = f"object {tip}\ntype commit\ntag t\ntagger A <a@b> 1 +0000\n\nx\n".encode()
    tag = new_object("tag", data)
    writer = PackWriter(location.common_dir, location.settings)
    writer.add(tag)
    kept = writer.finish()
    note_pack(location, kept.name)
    kept.release()
    assert fold_packs(location, objects) == 16
    assert git_bytes(repo, "cat-file", "tag", tag.sha) == data


def test_a_large_import_is_not_folded_with_single_changes(
    location: Location, objects: Objects
) -> None:
    large = commit(location, objects, *({f"register/notes/{n}.md": str(n)} for n in range(60)))
    commit_many(location, objects, 15)
    assert fold_packs(location, objects) == 0
    commit(location, objects, {"register/notes/x.md": "x"})
    assert fold_packs(location, objects) == 16
    assert large in packs(location)


def test_packs_that_are_not_ours_stay(repo: Path, location: Location, objects: Objects) -> None:
    commit_files(repo, {"code": "1"}, ref="refs/heads/main")
    git(repo, "repack", "-adq")
    foreign = packs(location)
    commit_many(location, objects, 15)
    forgotten = commit(location, objects, {"register/notes/x.md": "x"}, note=False)
    commit(location, objects, {"register/notes/y.md": "y"})
    assert fold_packs(location, objects) == 16
    assert packs(location) > foreign | {forgotten}


def test_a_pack_that_somebody_keeps_stays_until_it_is_free(
    location: Location, objects: Objects
) -> None:
    first, *_ = commit_many(location, objects, 17)
    keep = location.common_dir / f"objects/pack/{first}.keep"
    keep.write_text("a person wants this\n")
    assert fold_packs(location, objects) == 16
    assert first in packs(location)
    assert first in listed(location)
    keep.unlink()
    assert collect(location, objects) == 2


def test_packs_in_a_multi_pack_index_belong_to_gits_own_upkeep(
    repo: Path, location: Location, objects: Objects
) -> None:
    commit_many(location, objects, 8)
    theirs = packs(location)
    git(repo, "multi-pack-index", "write")
    commit_many(location, objects, 16)
    assert fold_packs(location, objects) == 16
    assert packs(location) > theirs
    assert fsck(repo) == ""
    git(repo, "multi-pack-index", "verify")


def test_packs_that_gc_has_taken_are_forgotten(
    repo: Path, location: Location, objects: Objects
) -> None:
    commit_many(location, objects, 10)
    git(repo, "gc", "-q", "--prune=now")
    commit_many(location, objects, 15)
    assert fold_packs(location, objects) == 0
    assert len(listed(location)) == 15
    commit(location, objects, {"register/notes/x.md": "x"})
    assert fold_packs(location, objects) == 16
    assert len(packs(location)) == 2
    assert fsck(repo) == ""


def test_a_reader_that_was_there_before_reads_on(
    repo: Path, location: Location, objects: Objects
) -> None:
    commit_many(location, objects, 15)
    with Objects(location.common_dir) as reader:
        tip = rev(repo, MEMORY)
        assert tip is not None
        reader.commit(tip)
        commit(location, objects, {"register/notes/x.md": "x"})
        fold_packs(location, objects)
        assert reader.tree(reader.commit(tip).tree)
        shas = git(repo, "rev-list", "--objects", "--no-object-names", MEMORY).splitlines()
        assert all(reader.read(sha) for sha in shas)


@pytest.mark.parametrize("suffix", [".pack", ".idx"])
@pytest.mark.parametrize("where", [20, 200, -30])
def test_a_damaged_pack_is_reported_and_left_as_it_is(
    repo: Path, location: Location, objects: Objects, suffix: str, where: int
) -> None:
    names = commit_many(location, objects, 16)
    path = location.common_dir / f"objects/pack/{names[3]}{suffix}"
    data = bytearray(path.read_bytes())
    data[where] ^= 0xFF
    path.chmod(0o644)
    path.write_bytes(data)
    with pytest.raises(Corrupt, match=names[3]):
        fold_packs(location, objects)
    assert packs(location) == set(names)
    assert path.read_bytes() == data
    assert fold_packs(location, objects) == 0
    commit(location, objects, {"config.json": "{}\n"})
    assert fold_packs(location, objects) == 16
    assert names[3] in packs(location)


def test_a_list_that_a_crash_cut_off_loses_one_line_at_most(
    location: Location, objects: Objects
) -> None:
    commit_many(location, objects, 2)
    with (location.gitmem_dir / "packs").open("a") as file:
        file.write("pack-0123456789")
    commit_many(location, objects, 2)
    assert collect(location, objects) == 4


def test_a_lost_list_costs_only_the_folding(location: Location, objects: Objects) -> None:
    commit_many(location, objects, 4)
    (location.gitmem_dir / "packs").unlink()
    assert collect(location, objects) == 0
    assert len(packs(location)) == 4


def test_a_list_that_cannot_be_written_loses_nothing(
    repo: Path, location: Location, objects: Objects
) -> None:
    commit_many(location, objects, 16)
    before = packs(location)
    (location.gitmem_dir / "packs.new").mkdir()
    (location.gitmem_dir / "packs.new" / "x").touch()
    with pytest.raises(WriteError):
        fold_packs(location, objects)
    assert packs(location) == before
    assert fsck(repo) == ""


def abandoned(location: Location) -> str:
    """A pack whose writer died before the ref moved."""
    writer = PackWriter(location.common_dir, location.settings)
    writer.add(new_object("blob", os.urandom(20)))
    kept = writer.finish()
    bury(location)
    return kept.name


def test_the_pack_of_a_dead_gitmem_is_freed_and_becomes_ours(location: Location) -> None:
    name = abandoned(location)
    sweep(location)
    assert not (location.common_dir / f"objects/pack/{name}.keep").exists()
    assert listed(location) == {name: 0}


def test_what_a_dead_gitmem_left_half_written_goes(location: Location) -> None:
    folder = location.common_dir / "objects/pack"
    name = abandoned(location)
    (folder / f"{name}.idx").rename(folder / f"{name}.idx.part")
    (folder / f"{name}.pack.part").touch()
    sweep(location)
    assert list(folder.iterdir()) == []


def test_what_the_living_and_others_left_stays(location: Location) -> None:
    folder = location.common_dir / "objects/pack"
    name = abandoned(location)
    hex40 = "0123456789" * 4
    for keep in (
        "",
        "a person's\n",
        f"gitmem other-host {2**22 + 1}\n",
        f"gitmem {host_name()} 1\n",
    ):
        (folder / f"{name}.keep").write_text(keep)
        others = [f"{name}.pack.part", f"pack-{hex40}.pack.part", "pack-x.part", "tmp_pack_x"]
        for other in others:
            (folder / other).touch()
        before = set(folder.iterdir())
        sweep(location)
        assert set(folder.iterdir()) == before


def test_after_a_day_nobody_is_waited_for(location: Location) -> None:
    folder = location.common_dir / "objects/pack"
    name = abandoned(location)
    part = folder / f"pack-{'0123456789' * 4}.idx.part"
    foreign = folder / f"pack-{'abcdef0123' * 4}.keep"
    empty = folder / f"pack-{'00112233' * 5}.keep"
    (folder / f"{name}.keep").write_text("gitmem other-host 1\n")
    foreign.write_text("somebody\n")
    empty.touch()
    part.touch()
    sweep(location)
    assert empty.exists()
    for path in (folder / f"{name}.keep", part, foreign, empty):
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime - DAY - 60))
    sweep(location)
    assert {path.name for path in folder.iterdir()} == {
        f"{name}.pack",
        f"{name}.idx",
        foreign.name,
    }


def test_the_store_of_a_user_who_shares_it_stays_shared(
    repo: Path, location: Location, objects: Objects
) -> None:
    git(repo, "config", "core.sharedRepository", "group")
    shared = locate(repo)
    before = os.umask(0o077)
    try:
        for n in range(16):
            write_entry(shared, f"n{n}", "x")
    finally:
        os.umask(before)
    (name,) = packs(shared)
    for path in (shared.gitmem_dir / "packs", *shared.common_dir.glob(f"objects/pack/{name}.*")):
        assert path.stat().st_mode & 0o060 in (0o060, 0o040), path
    assert subprocess.run(["git", "fsck"], cwd=repo, capture_output=True).returncode == 0
