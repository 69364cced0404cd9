"""Refs moved by many at once, and by those who die doing it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from gitmem.git import ref as ref_module
from gitmem.git.locate import Location, locate
from gitmem.git.ref import Refs
from gitmem.model.errors import Locked

from tests.faults.writer import (
    BACKUP,
    MEMORY,
    WHO,
    Stopped,
    start,
    stopping_at,
    write_entry,
)
from tests.git.test_ref import refuse_links
from tests.helpers import commit_files, fsck, git, git_environment, git_succeeds, rev

STEPS = range(1, 100)


@pytest.fixture
def commits(repo: Path) -> list[str]:
    return [commit_files(repo, {"f": str(n)}, ref="refs/heads/main") for n in range(2)]


def move(location: Location, old: str | None, new: str | None) -> bool:
    return Refs(location).move(MEMORY, old, new, who=WHO, message="a change", flock_held=True)


@pytest.mark.parametrize(("links", "packed"), [(True, False), (True, True), (False, True)])
@pytest.mark.parametrize("kind", ["create", "move", "delete"])
def test_a_move_stopped_at_any_step_leaves_the_old_value_or_the_new(
    repo: Path,
    commits: list[str],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    links: bool,
    packed: bool,
) -> None:
    """Also where a lock is left: the next gitmem under the flock moves the ref, then git can.

    Without hard links there is one step after which nobody can tell whose the lock is.
    """
    if not links:
        refuse_links(monkeypatch)
    location = locate(repo)
    old = None if kind == "create" else commits[0]
    new = None if kind == "delete" else commits[1]
    outcomes: list[bool] = []
    for step in STEPS:
        if old is None:
            git(repo, "update-ref", "-d", MEMORY)
        else:
            git(repo, "update-ref", MEMORY, old)
        if packed:
            git(repo, "pack-refs", "--all", "--prune")
        try:
            with stopping_at(step, monkeypatch):
                assert move(location, old, new)
        except Stopped:
            assert rev(repo, MEMORY) in (old, new)
            outcomes.append(rev(repo, MEMORY) == new)
            for lock in locks_of_anybody(repo) if not links else []:
                with monkeypatch.context() as patch, pytest.raises(Locked):
                    patch.setattr(ref_module, "LOCK_TIMEOUT", 0.0)
                    move(location, rev(repo, MEMORY), None)
                lock.unlink()
            assert move(location, rev(repo, MEMORY), commits[0])
            if (repo / ".git/packed-refs.lock").exists():
                # Only who changes packed refs looks at this one.
                assert move(location, commits[0], None)
                assert move(location, None, commits[0])
            git(repo, "update-ref", "--no-deref", MEMORY, commits[1], commits[0])
        else:
            break
    git(repo, "pack-refs", "--all")
    assert fsck(repo) == ""
    assert outcomes == sorted(outcomes)
    assert len(outcomes) > 8
    assert not all(outcomes)


def locks_of_anybody(repo: Path) -> list[Path]:
    locks = [repo / ".git" / f"{MEMORY}.lock", repo / ".git/packed-refs.lock"]
    return [lock for lock in locks if lock.exists() and not lock.read_bytes()]


def test_a_backup_stopped_at_any_step_blocks_nobody(
    repo: Path, commits: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    location = locate(repo)
    steps = 0
    for step in STEPS:
        git(repo, "update-ref", BACKUP, commits[0])
        refs = Refs(location)
        git(repo, "update-ref", "-d", MEMORY)
        assert refs.move(MEMORY, None, commits[1], who=WHO, message="a change", flock_held=True)
        try:
            with stopping_at(step, monkeypatch):
                refs.set_quietly(BACKUP, commits[1])
        except Stopped:
            steps += 1
            assert rev(repo, BACKUP) in commits
            assert git_succeeds(repo, "pack-refs", "--all", "--prune")
            refs.set_quietly(BACKUP, commits[1])
            assert rev(repo, BACKUP) == commits[1]
        else:
            break
    assert steps >= 2
    assert fsck(repo) == ""


def commit_with_git(repo: Path, name: str) -> None:
    """One commit by C git's plumbing, with its own compare-and-swap; again until it wins."""
    while True:
        tip = git(repo, "rev-parse", MEMORY)
        tree = git(repo, "rev-parse", f"{tip}^{{tree}}")
        new = git(repo, "commit-tree", tree, "-p", tip, data=name)
        done = subprocess.run(
            ["git", "update-ref", MEMORY, new, tip],
            cwd=repo,
            env=git_environment(),
            capture_output=True,
            check=False,
        )
        if done.returncode == 0:
            return
        assert b"lock" in done.stderr, done.stderr


@pytest.mark.parametrize(
    "rounds", [12, pytest.param(300, marks=pytest.mark.long)], ids=["short", "long"]
)
@pytest.mark.parametrize("flock", [True, False])
def test_writers_beside_each_other_and_beside_git_lose_nothing(
    repo: Path, rounds: int, flock: bool
) -> None:
    """The compare-and-swap alone is enough: without the flock nothing is lost either."""
    location = locate(repo)
    write_entry(location, "first", "before all\n")
    options = [] if flock else ["no-flock"]
    writers = [start(repo, label, rounds, *options) for label in ("a", "b")]
    for number in range(rounds):
        commit_with_git(repo, f"by git {number}")
    acknowledged: list[str] = []
    for writer in writers:
        said, complaint = writer.communicate()
        assert complaint == ""
        acknowledged += said.split()
    kept = git(repo, "log", "--format=%H", MEMORY).split()
    assert len(acknowledged) == 2 * rounds
    assert set(acknowledged) <= set(kept)
    assert len(kept) == 1 + 3 * rounds
    assert len(git(repo, "ls-tree", "-r", "--name-only", MEMORY).split()) == 1 + 2 * rounds
    said_by_git = {
        line for line in git(repo, "log", "--format=%s", MEMORY).splitlines() if "git" in line
    }
    assert said_by_git == {f"by git {n}" for n in range(rounds)}
    assert list((repo / ".git/gitmem/locks").iterdir()) == []
    assert fsck(repo) == ""
