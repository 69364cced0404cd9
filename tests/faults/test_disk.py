"""A disk that is full, can't be written, or has lost bytes: told plainly, and nothing is lost."""

from __future__ import annotations

import json
import os
import resource
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from gitmem.features import reading
from gitmem.index.db import index_file
from gitmem.model.errors import Corrupt, GitmemError, WriteError

from tests.helpers import fsck, git, git_bytes
from tests.store import kit

NOBODY = 65_534


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[kit.Memory]:
    memory = kit.new_memory(tmp_path / "repo")
    memory.add("The first one")
    yield memory
    memory.close()


# Full


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """No file may grow beyond `size`: as a full disk, writes succeed in part or not at all."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def noise(size: int) -> str:
    """Text that doesn't become smaller."""
    return os.urandom(size // 2).hex()


def test_a_full_disk_is_a_write_error_and_leaves_the_old_state(memory: kit.Memory) -> None:
    before = memory.tip
    with files_of_at_most(20_000), pytest.raises(WriteError) as refused:
        memory.add("Too large for the disk", content={"body": noise(200_000)})
    assert (refused.value.code, refused.value.exit_code) == ("WRITE_ERROR", 4)
    assert "full" in refused.value.message
    assert memory.tip == before
    assert kit.leftovers(memory.repo) == []
    assert len(list(memory.store.snapshot().entries(("register",)))) == 1
    memory.add("There is room again")
    kit.assert_sound(memory)


def test_an_index_that_finds_no_room_is_a_warning_since_the_write_happened(
    memory: kit.Memory,
) -> None:
    # The index's log is larger than that, everything that the branch needs is smaller.
    with files_of_at_most(3_000):
        made = memory.add("Small enough")
    assert any("index" in warning for warning in made.warnings)
    assert memory.tip == made.commit
    assert memory.store.snapshot().find(made.id).title == "Small enough"
    memory.add("There is room again")
    kit.assert_sound(memory)


# Read-only


def as_one_who_may_not_write(folder: Path, act: Callable[[], object]) -> object:
    """Run `act` in a process to which the folder is read-only; what it returned, through JSON."""
    modes = {path: path.stat().st_mode for path in (folder, *folder.rglob("*"))}
    for path, mode in modes.items():
        path.chmod((mode & ~0o222) | (0o555 if stat.S_ISDIR(mode) else 0o444))
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        with os.fdopen(write, "w") as out:
            if os.getuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            try:
                answer = act()
            except GitmemError as error:
                answer = error.to_json()
            out.write(json.dumps(answer))
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answered:
        text = answered.read()
    os.waitpid(child, 0)
    for path, mode in modes.items():
        path.chmod(mode)
    return json.loads(text)


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that other users can reach: those of pytest are its user's alone."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def read_all(repo: Path) -> Callable[[], object]:
    def read() -> object:
        memory = kit.opened(repo)
        shown = reading.show(memory.workspace, "the-first-one")
        listed = reading.list_entries(memory.workspace, tier="all")
        logged = reading.log(memory.workspace)
        blamed = reading.blame(memory.workspace, "the-first-one")[1]
        memory.close()
        return [
            shown["title"],
            sorted(one["slug"] for one in listed.entries),
            len(logged[1]),
            listed.commit,
            len(blamed) > 3,
        ]

    return read


@pytest.mark.parametrize("index", ["current", "behind", "missing", "garbage"])
def test_a_read_only_repository_is_read_and_never_written(public: Path, index: str) -> None:
    memory = kit.new_memory(public / "repo")
    repo = memory.repo
    memory.add("The first one")
    memory.close()
    file = index_file(memory.store.folder)
    if index == "behind":
        kept = file.read_bytes()
        memory = kit.opened(repo)
        memory.add("The second one")
        memory.close()
        file.write_bytes(kept)
    elif index == "missing":
        file.unlink()
    elif index == "garbage":
        file.write_bytes(b"no index at all" * 1000)
    expected = read_all_of_a_copy(repo, public)
    assert as_one_who_may_not_write(repo, read_all(repo)) == expected

    def write() -> object:
        memory = kit.opened(repo)
        try:
            return memory.add("A change").commit
        finally:
            memory.close()

    refused = as_one_who_may_not_write(repo, write)
    assert isinstance(refused, dict)
    assert refused["code"] == "WRITE_ERROR"
    assert git(repo, "rev-parse", "memory") == expected[3]
    assert fsck(repo) == ""


def read_all_of_a_copy(repo: Path, folder: Path) -> list[object]:
    """What somebody sees who may write; also loads every module that the child needs."""
    copy = folder / "copy"
    shutil.copytree(repo, copy)
    memory = kit.opened(copy)
    answer = read_all(copy)()
    memory.add("Loads what a write needs")
    memory.close()
    assert isinstance(answer, list)
    return answer


# Lost bytes


def damage(repo: Path, sha: str) -> None:
    """Turn all packs into loose objects, and overwrite a byte of one."""
    packs = repo / ".git" / "objects" / "pack"
    for pack in packs.glob("*.pack"):
        data = pack.read_bytes()
        for path in packs.glob(f"{pack.stem}.*"):
            path.unlink()
        git_bytes(repo, "unpack-objects", "-q", data=data)
    file = repo / ".git" / "objects" / sha[:2] / sha[2:]
    file.chmod(0o644)
    spoilt = bytearray(file.read_bytes())
    spoilt[len(spoilt) // 2] ^= 0xFF
    file.write_bytes(spoilt)


@pytest.mark.parametrize("what", ["blob", "tree", "commit"])
def test_a_damaged_object_is_named_in_the_error(memory: kit.Memory, what: str) -> None:
    one = memory.store.snapshot().find("the-first-one")
    sha = {
        "blob": one.blob,
        "tree": git(memory.repo, "rev-parse", "memory:register/notes"),
        "commit": memory.tip,
    }[what]
    memory.close()
    index_file(memory.store.folder).unlink()
    damage(memory.repo, sha)
    again = kit.opened(memory.repo)
    with pytest.raises(Corrupt) as found:
        again.store.snapshot()
    assert (found.value.code, found.value.exit_code) == ("CORRUPT", 4)
    assert sha in found.value.message
    assert found.value.fix
    again.close()


def test_other_entries_are_written_beside_a_damaged_one(memory: kit.Memory) -> None:
    one = memory.store.snapshot().find("the-first-one")
    damage(memory.repo, one.blob)
    memory.store.objects.refresh()
    other = memory.add("Another one")
    memory.edit(other.id, "body=changed")
    with pytest.raises(Corrupt, match=one.blob):
        memory.edit(one.id, "body=changed")
    assert reading.list_entries(memory.workspace).entries


def test_a_damaged_ref_says_where_the_commit_may_be_found(memory: kit.Memory) -> None:
    tip = memory.tip
    ref = memory.repo / ".git" / "refs" / "heads" / "memory"
    ref.unlink()
    ref.write_text("garbage\n")
    with pytest.raises(Corrupt, match="refs/heads/memory") as found:
        memory.store.snapshot()
    assert "backup" in str(found.value.fix)
    assert git(memory.repo, "rev-parse", "refs/gitmem/backup") == tip
