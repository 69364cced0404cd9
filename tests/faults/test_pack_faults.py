"""Writers that stop, fail or are killed: the old state or the new, never a blocked store."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from gitmem.git import fold
from gitmem.git.fold import collect, fold_packs
from gitmem.git.locate import Location, locate
from gitmem.git.objects import Objects
from gitmem.model.errors import GitmemError, WriteError

from tests.faults.writer import (
    BACKUP,
    MEMORY,
    ROOT,
    Stopped,
    bury,
    start,
    stopping_at,
    unsynced,
    write_entry,
)
from tests.helpers import fsck, git, make_repository, rev

STEPS = range(1, 200)


def garbage(location: Location) -> set[str]:
    """Files that no finished write leaves."""
    suffixes = {".keep", ".part", ".new", ".lock"}
    found = {path for path in location.common_dir.rglob("*") if path.suffix in suffixes}
    packs = location.common_dir / "objects" / "pack"
    found |= {path for path in packs.glob("*.pack") if not path.with_suffix(".idx").exists()}
    return {path.name for path in found}


def names(repo: Path) -> set[str]:
    """The entries at the tip."""
    if rev(repo, MEMORY) is None:
        return set()
    return set(git(repo, "ls-tree", "-r", "--name-only", MEMORY).split())


def check_recovery(location: Location, repo: Path, number: int) -> None:
    """The next gitmem writes, and after it C git, though nobody cleaned up by hand."""
    bury(location)
    assert fsck(repo) == ""
    commit = write_entry(location, f"after-{number}", "the next one\n")
    assert rev(repo, MEMORY) == rev(repo, BACKUP) == commit
    git(repo, "update-ref", MEMORY, commit, commit)
    assert garbage(location) == set()


def test_a_writer_stopped_at_any_step_leaves_the_old_state_or_the_new(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = locate(repo)
    write_entry(location, "first", "before all\n")
    outcomes: list[bool] = []
    for step in STEPS:
        before = rev(repo, MEMORY)
        old = names(repo)
        try:
            with stopping_at(step, monkeypatch):
                write_entry(location, f"n{step}", f"number {step}\n")
        except Stopped:
            assert names(repo) in (old, old | {f"register/notes/n{step}.md"})
            assert (rev(repo, MEMORY) == before) is (names(repo) == old)
            outcomes.append(names(repo) != old)
            check_recovery(location, repo, step)
        else:
            break
    # Each step comes once: first the old state, from one step on the new one.
    assert outcomes == sorted(outcomes)
    assert 0 < sum(outcomes) < len(outcomes)
    assert len(outcomes) > 20


@pytest.mark.parametrize(
    "error",
    [errno.ENOSPC, *(pytest.param(e, marks=pytest.mark.long) for e in (errno.EROFS, errno.EIO))],
)
def test_a_write_that_is_refused_at_any_step_says_so_and_leaves_nothing(
    repo: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    location = locate(repo)
    write_entry(location, "first", "before all\n")
    refused = 0
    for step in STEPS:
        before = rev(repo, MEMORY)
        kept = set(location.common_dir.rglob("*.keep"))
        with stopping_at(step, monkeypatch, lambda: OSError(error, os.strerror(error))) as calls:
            try:
                commit = write_entry(location, f"n{step}", f"number {step}\n")
            except (WriteError, OSError) as caught:
                # Only the flock is the caller's business; all the rest is explained.
                assert isinstance(caught, WriteError) or calls == ["mkdir"] or len(calls) <= 2
                if isinstance(caught, WriteError):
                    assert caught.exit_code == 4
                    assert caught.fix
                commit = None
        if len(calls) < step:
            break
        if commit is None and rev(repo, MEMORY) == before:
            refused += 1
        # Where the pack stays without being needed, the next writer frees it.
        assert rev(repo, MEMORY) in (before, commit) or commit is None
        assert set(location.common_dir.rglob("*.part")) == set()
        assert len(set(location.common_dir.rglob("*.keep")) - kept) <= 1
        bury(location)
    assert refused > 10
    check_recovery(location, repo, 0)


def test_a_fold_stopped_at_any_step_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repository(tmp_path / "repo")
    location = locate(repo)
    with unsynced(monkeypatch):
        for number in range(4):
            write_entry(location, f"n{number}", f"{number}\n")
    tip = rev(repo, MEMORY)
    assert tip is not None
    monkeypatch.setattr(fold, "AT_A_TIME", 4)
    steps = 0
    for step in STEPS:
        copy = tmp_path / "copy"
        shutil.copytree(repo, copy)
        there = locate(copy)
        try:
            with Objects(there.common_dir) as objects, stopping_at(step, monkeypatch):
                fold_packs(there, objects)
        except Stopped:
            steps += 1
            assert fsck(copy) == ""
            assert rev(copy, MEMORY) == tip
            bury(there)
            write_entry(there, "after", "the next one\n")
            with Objects(there.common_dir) as objects:
                collect(there, objects)
            assert garbage(there) == set()
            assert len(list((there.common_dir / "objects/pack").iterdir())) == 2
            git(copy, "rev-list", "--objects", MEMORY)
        shutil.rmtree(copy)
        if steps < step:
            break
    assert steps > 20


@pytest.mark.parametrize("flock", [True, False])
@pytest.mark.parametrize(
    "kills", [4, pytest.param(100, marks=pytest.mark.long)], ids=["short", "long"]
)
def test_killed_writers_lose_nothing_that_they_acknowledged(
    repo: Path, kills: int, flock: bool
) -> None:
    location = locate(repo)
    acknowledged: list[str] = []
    for kill in range(kills):
        options = [] if flock else ["no-flock"]
        writer = start(repo, f"k{kill}", 0, *options)
        assert writer.stdout is not None
        for _ in range(1 + kill % 7):
            acknowledged.append(writer.stdout.readline().strip())
        writer.send_signal(signal.SIGKILL)
        said, complaint = writer.communicate()
        acknowledged += [line for line in said.splitlines() if len(line) == 40]
        assert complaint == ""
        if not flock:
            # Without the flock nobody can tell whose a lock is: a person may have to look.
            (location.common_dir / f"{MEMORY}.lock").unlink(missing_ok=True)
    if flock:
        # Who dies between creating a `.keep` and writing to it leaves one that goes after a day.
        bury(location)
        write_entry(location, "after", "the next one\n")
        assert garbage(location) == set()
    kept = git(repo, "rev-list", MEMORY).split()
    assert set(acknowledged) <= set(kept)
    assert len(acknowledged) >= kills
    git(repo, "update-ref", MEMORY, kept[0], kept[0])
    git(repo, "gc", "-q", "--prune=now")
    assert fsck(repo) == ""


LIMITED = """
import json, resource, sys
from pathlib import Path
from gitmem.git.locate import locate
from gitmem.model.errors import GitmemError
from tests.faults.writer import write_entry
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    write_entry(locate(Path(sys.argv[1])), "large", sys.argv[3] * 40_000)
except GitmemError as error:
    print(json.dumps({**error.to_json(), "exit": error.exit_code}))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
@pytest.mark.parametrize("limit", [0, 150, 400])
def test_a_full_disk_is_reported_and_nothing_is_left_behind(repo: Path, limit: int) -> None:
    location = locate(repo)
    tip = write_entry(location, "first", "before all\n")
    before = sorted((location.common_dir / "objects/pack").iterdir())
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(repo), str(limit), "some text"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    answer = json.loads(done.stdout)
    assert (answer["code"], answer["exit"]) == ("WRITE_ERROR", 4)
    assert "full" in answer["message"]
    assert "room" in answer["fix"]
    assert rev(repo, MEMORY) == tip
    assert sorted((location.common_dir / "objects/pack").iterdir()) == before
    assert garbage(location) == set()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no other user to be")
@pytest.mark.parametrize("folder", ["objects/pack", "refs/heads"])
def test_a_place_that_cannot_be_written_is_reported(folder: str) -> None:
    """As another user where the tests run as root, to whom no permission applies."""
    with tempfile.TemporaryDirectory() as name:
        repo = make_repository(Path(name) / "repo")
        location = locate(repo)
        tip = write_entry(location, "first", "before all\n")
        Path(name).chmod(0o755)
        for path in [repo, *repo.rglob("*")]:
            path.chmod(0o777 if path.is_dir() else 0o666)
        closed = location.common_dir / folder
        closed.chmod(0o555)
        answer = in_a_child(lambda: attempt(location))
        assert answer["exit"] == 4
        assert "can't be written" in str(answer["message"])
        assert str(closed) in str(answer["message"])
        assert rev(repo, MEMORY) == tip
        assert garbage(location) == set()
        closed.chmod(0o777)


def attempt(location: Location) -> dict[str, object]:
    try:
        write_entry(location, "refused", "x\n")
    except GitmemError as error:
        return {**error.to_json(), "exit": error.exit_code}
    return {}


def in_a_child(do: object) -> dict[str, object]:
    """What a function answers in a process that isn't root."""
    assert callable(do)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            os.write(writing, json.dumps(do()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    found = json.loads(answer)
    assert isinstance(found, dict)
    return found
