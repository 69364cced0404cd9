"""Refs as gitmem moves them, beside C git."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from gitmem.git import ref as ref_module
from gitmem.git.locate import locate
from gitmem.git.ref import Refs
from gitmem.git.settings import set_setting
from gitmem.model.errors import Corrupt, Locked, PreconditionError

from tests.faults.writer import BACKUP, MEMORY, WHO
from tests.helpers import commit_files, fsck, git, git_succeeds, make_repository, rev, run_git


@pytest.fixture
def commits(repo: Path) -> list[str]:
    """Three commits, one on the other, on a branch of their own."""
    return [commit_files(repo, {"f": str(n)}, ref="refs/heads/main") for n in range(3)]


@pytest.fixture
def refs(repo: Path) -> Refs:
    return Refs(locate(repo))


def move(
    refs: Refs, old: str | None, new: str | None, ref: str = MEMORY, *, flock: bool = True
) -> bool:
    return refs.move(ref, old, new, who=WHO, message="a change", flock_held=flock)


def left_over(repo: Path) -> list[str]:
    """Lock files, and files of ours that should have gone."""
    git_dir = repo / ".git"
    found = [*git_dir.rglob("*.lock"), *(git_dir / "gitmem" / "locks").glob("*")]
    return [str(path) for path in found]


@pytest.mark.parametrize("flock", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_a_ref_is_created_moved_and_deleted_as_git_sees_it(
    repo: Path, refs: Refs, commits: list[str], flock: bool, packed: bool
) -> None:
    def pack_refs() -> None:
        if packed:
            git(repo, "pack-refs", "--all", "--prune")

    assert move(refs, None, commits[0], flock=flock)
    assert rev(repo, MEMORY) == refs.read(MEMORY) == commits[0]
    pack_refs()
    assert move(refs, commits[0], commits[1], flock=flock)
    assert rev(repo, MEMORY) == refs.read(MEMORY) == commits[1]
    pack_refs()
    assert move(refs, commits[1], None, flock=flock)
    assert rev(repo, MEMORY) is refs.read(MEMORY) is None
    assert rev(repo, "refs/heads/main") == commits[2]
    assert left_over(repo) == []
    assert fsck(repo) == ""


@pytest.mark.parametrize("packed", [True, False])
def test_a_ref_that_stands_elsewhere_is_not_moved(
    repo: Path, refs: Refs, commits: list[str], packed: bool
) -> None:
    assert not move(refs, commits[0], commits[1])
    git(repo, "update-ref", MEMORY, commits[1])
    if packed:
        git(repo, "pack-refs", "--all")
    assert not move(refs, None, commits[2])
    assert not move(refs, commits[0], commits[2])
    assert not move(refs, commits[0], None)
    assert rev(repo, MEMORY) == commits[1]
    assert left_over(repo) == []


def test_deleting_a_packed_ref_keeps_every_other(
    repo: Path, refs: Refs, commits: list[str]
) -> None:
    git(repo, "tag", "-a", "-m", "a tag", "v1", commits[0])
    for name in ("memory", "memory2", "a/memory"):
        git(repo, "update-ref", f"refs/heads/{name}", commits[1])
    git(repo, "pack-refs", "--all", "--prune")
    before = git(repo, "show-ref", "-d").splitlines()
    assert move(refs, commits[1], None)
    after = git(repo, "show-ref", "-d").splitlines()
    assert after == [line for line in before if not line.endswith(f" {MEMORY}")]


def test_a_deleted_ref_can_be_made_again_and_its_log_begins_anew(
    repo: Path, refs: Refs, commits: list[str]
) -> None:
    move(refs, None, commits[0])
    move(refs, commits[0], None)
    assert move(refs, None, commits[1])
    assert git(repo, "reflog", "show", "--format=%H", MEMORY) == commits[1]


def test_a_ref_that_points_at_another_is_left_alone(
    repo: Path, refs: Refs, commits: list[str]
) -> None:
    git(repo, "symbolic-ref", MEMORY, "refs/heads/main")
    with pytest.raises(PreconditionError, match=r"gitmem\.ref|points at another"):
        move(refs, commits[2], commits[1])
    assert rev(repo, "refs/heads/main") == commits[2]
    assert left_over(repo) == []


def test_a_damaged_ref_is_reported_not_overwritten(
    repo: Path, refs: Refs, commits: list[str]
) -> None:
    path = repo / ".git" / MEMORY
    path.write_bytes(b"")
    with pytest.raises(Corrupt):
        move(refs, None, commits[1])
    assert path.read_bytes() == b""
    assert left_over(repo) == []


@pytest.mark.parametrize(
    "name", ["memory", "refs/heads/../x", "refs/heads/a.lock", "refs/heads/a b"]
)
def test_what_is_no_name_of_a_ref_is_refused(refs: Refs, commits: list[str], name: str) -> None:
    with pytest.raises(PreconditionError):
        move(refs, None, commits[0], name)


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("rival", ["refs/heads/memory/x", "refs/heads/memory/x/y"])
def test_a_ref_below_is_in_the_way(
    repo: Path, refs: Refs, commits: list[str], rival: str, packed: bool
) -> None:
    git(repo, "update-ref", rival, commits[0])
    if packed:
        git(repo, "pack-refs", "--all", "--prune")
    with pytest.raises(PreconditionError, match=rival):
        move(refs, None, commits[1])
    assert rev(repo, rival) == commits[0]
    assert left_over(repo) == []


@pytest.mark.parametrize("packed", [True, False])
def test_a_ref_above_is_in_the_way(
    repo: Path, refs: Refs, commits: list[str], packed: bool
) -> None:
    git(repo, "update-ref", MEMORY, commits[0])
    if packed:
        git(repo, "pack-refs", "--all", "--prune")
    with pytest.raises(PreconditionError, match=MEMORY):
        move(refs, None, commits[1], f"{MEMORY}/x/y")
    assert rev(repo, MEMORY) == commits[0]


def test_folders_that_held_refs_once_are_no_obstacle(
    repo: Path, refs: Refs, commits: list[str]
) -> None:
    (repo / ".git" / MEMORY / "a" / "b").mkdir(parents=True)
    assert move(refs, None, commits[0])
    assert rev(repo, MEMORY) == commits[0]


def test_a_ref_in_a_folder_of_its_own_is_made_durable_with_the_folder(
    repo: Path, refs: Refs, commits: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync

    def note(fd: int) -> None:
        folder = os.fstat(fd)
        known = [path for path in (repo / ".git").rglob("*") if path.is_dir()]
        synced.extend(path.name for path in known if os.path.samestat(path.stat(), folder))
        real(fd)

    monkeypatch.setattr(os, "fsync", note)
    assert move(refs, None, commits[0], "refs/gitmem/deep/memory")
    assert synced == ["refs", "gitmem", "deep"]
    assert rev(repo, "refs/gitmem/deep/memory") == commits[0]


def test_a_lock_of_another_program_is_waited_for_and_never_broken(
    repo: Path, refs: Refs, commits: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ref_module, "LOCK_TIMEOUT", 0.02)
    lock = repo / ".git" / f"{MEMORY}.lock"
    lock.write_text("somebody else's\n")
    os.utime(lock, (lock.stat().st_atime, lock.stat().st_mtime - 3600))
    with pytest.raises(Locked, match=r"36\d\d s old") as caught:
        move(refs, None, commits[0])
    assert caught.value.exit_code == 5
    assert lock.read_text() == "somebody else's\n"
    assert rev(repo, MEMORY) is None
    lock.unlink()
    assert move(refs, None, commits[0])


def leave_a_lock(repo: Path, commits: list[str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stop a writer that holds the flock while it holds the ref's lock."""

    def die(_: Refs, __: str) -> str:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Refs, "_current", die)
        patch.setattr("gitmem.git.ref._Lock.release", lambda self: None)
        with pytest.raises(KeyboardInterrupt):
            move(Refs(locate(repo)), None, commits[0])
    lock = repo / ".git" / f"{MEMORY}.lock"
    assert lock.exists()
    assert not git_succeeds(repo, "update-ref", MEMORY, commits[1])
    return lock


@pytest.mark.parametrize("links", [True, False])
def test_a_lock_of_a_dead_gitmem_is_removed_by_the_next_one_under_the_flock(
    repo: Path, refs: Refs, commits: list[str], monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        refuse_links(monkeypatch)
    leave_a_lock(repo, commits, monkeypatch)
    assert move(refs, None, commits[0])
    assert left_over(repo) == []
    git(repo, "update-ref", MEMORY, commits[1])


def test_it_is_removed_also_after_another_ref_was_moved(
    repo: Path, refs: Refs, commits: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_a_lock(repo, commits, monkeypatch)
    assert move(refs, None, commits[0], "refs/heads/other")
    refs.set_quietly(BACKUP, commits[0])
    assert move(refs, None, commits[0])


def test_without_the_flock_no_lock_is_ever_broken(
    repo: Path, refs: Refs, commits: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = leave_a_lock(repo, commits, monkeypatch)
    monkeypatch.setattr(ref_module, "LOCK_TIMEOUT", 0.02)
    with pytest.raises(Locked):
        move(refs, None, commits[0], flock=False)
    assert lock.exists()


def refuse_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on FAT."""

    def refuse(source: Path, target: Path) -> None:
        raise OSError(errno.EPERM, "Operation not permitted", str(source), None, str(target))

    monkeypatch.setattr(os, "link", refuse)


@pytest.mark.parametrize("flock", [True, False])
def test_file_systems_without_hard_links_work_too(
    repo: Path, refs: Refs, commits: list[str], monkeypatch: pytest.MonkeyPatch, flock: bool
) -> None:
    refuse_links(monkeypatch)
    assert move(refs, None, commits[0], flock=flock)
    assert not move(refs, None, commits[1], flock=flock)
    assert move(refs, commits[0], commits[1], flock=flock)
    refs.set_quietly(BACKUP, commits[1])
    assert (rev(repo, MEMORY), rev(repo, BACKUP)) == (commits[1], commits[1])
    assert move(refs, commits[1], None, flock=flock)
    assert left_over(repo) == []
    lock = repo / ".git" / f"{MEMORY}.lock"
    lock.write_text("")
    monkeypatch.setattr(ref_module, "LOCK_TIMEOUT", 0.02)
    with pytest.raises(Locked):
        move(refs, None, commits[0], flock=flock)
    assert lock.exists()


def test_the_reflog_reads_as_if_git_had_written_it(
    repo: Path, refs: Refs, commits: list[str]
) -> None:
    move(refs, None, commits[0])
    move(refs, commits[0], commits[1])
    for ref in (MEMORY, "refs/heads/theirs"):
        if ref != MEMORY:
            git(repo, "update-ref", "-m", "a change", ref, commits[0], "")
            git(repo, "update-ref", "-m", "a change", ref, commits[1], commits[0])
    ours, theirs = ((repo / ".git/logs" / r).read_bytes() for r in (MEMORY, "refs/heads/theirs"))
    assert ours == theirs
    assert fsck(repo) == ""


@pytest.mark.parametrize(
    ("value", "ref", "kept"),
    [
        (None, MEMORY, True),
        (None, "refs/gitmem/memory", False),
        ("false", MEMORY, False),
        ("always", "refs/gitmem/memory", True),
    ],
)
def test_a_reflog_is_begun_where_git_would_begin_one(
    repo: Path, commits: list[str], value: str | None, ref: str, kept: bool
) -> None:
    set_setting(repo / ".git", "core.logallrefupdates", value)
    move(Refs(locate(repo)), None, commits[0], ref)
    assert (repo / ".git/logs" / ref).exists() is kept


def test_a_bare_repository_keeps_no_reflog_unless_there_is_one(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "bare.git", bare=True)
    one = commit_files(repo, {"f": "1"}, ref="refs/heads/main")
    refs = Refs(locate(repo))
    move(refs, None, one)
    log = repo / "logs" / MEMORY
    assert not log.exists()
    log.parent.mkdir(parents=True)
    log.touch()
    two = commit_files(repo, {"f": "2"}, ref="refs/heads/main")
    move(refs, one, two)
    assert log.read_text() == f"{one} {two} {WHO}\ta change\n"


def test_a_reflog_that_cannot_be_written_fails_nothing(
    repo: Path, refs: Refs, commits: list[str]
) -> None:
    (repo / ".git/logs").mkdir(exist_ok=True)
    (repo / ".git/logs" / MEMORY).mkdir(parents=True)
    assert move(refs, None, commits[0])
    assert rev(repo, MEMORY) == commits[0]


@pytest.mark.parametrize("after_move", [True, False])
def test_the_backup_is_set_and_stays_when_the_branch_goes_on(
    repo: Path, refs: Refs, commits: list[str], after_move: bool
) -> None:
    if after_move:
        move(refs, None, commits[0])
    refs.set_quietly(BACKUP, commits[0])
    refs.set_quietly(BACKUP, commits[0])
    assert rev(repo, BACKUP) == commits[0]
    git(repo, "update-ref", MEMORY, commits[1])
    assert rev(repo, BACKUP) == commits[0]
    refs.set_quietly(BACKUP, commits[1])
    move(refs, commits[1], commits[2])
    git(repo, "update-ref", "-d", MEMORY)
    assert rev(repo, BACKUP) == commits[1]
    git(repo, "pack-refs", "--all", "--prune")
    refs.set_quietly(BACKUP, commits[2])
    assert rev(repo, BACKUP) == commits[2]
    assert left_over(repo) == []
    assert fsck(repo) == ""


def test_a_backup_costs_no_fsync_and_no_complaint(
    repo: Path, refs: Refs, commits: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(fd: int) -> None:
        raise AssertionError("an fsync")

    monkeypatch.setattr(os, "fsync", refuse)
    refs.set_quietly(BACKUP, commits[0])
    assert rev(repo, BACKUP) == commits[0]
    refs.set_quietly(f"{BACKUP}/below", commits[1])
    assert rev(repo, BACKUP) == commits[0]


def test_refs_of_a_worktree_are_those_of_the_repository(
    repo: Path, commits: list[str], tmp_path: Path
) -> None:
    git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / "tree"), commits[0])
    assert move(Refs(locate(tmp_path / "tree")), None, commits[0])
    assert rev(repo, MEMORY) == commits[0]


@pytest.mark.parametrize("shared", ["group", "0640"])
def test_a_shared_repository_keeps_its_refs_shared(tmp_path: Path, shared: str) -> None:
    repo = make_repository(tmp_path / "shared", f"--shared={shared}")
    commit = commit_files(repo, {"f": "1"}, ref="refs/heads/main")
    before = os.umask(0o077)
    try:
        git(repo, "update-ref", "refs/heads/new/theirs", commit)
        move(Refs(locate(repo)), None, commit, "refs/heads/other/ours")
    finally:
        os.umask(before)
    for theirs, ours in (("new", "other"), ("new/theirs", "other/ours")):
        for folder in ("refs/heads", "logs/refs/heads"):
            expected = (repo / ".git" / folder / theirs).stat().st_mode
            assert oct((repo / ".git" / folder / ours).stat().st_mode) == oct(expected), (
                folder,
                ours,
            )


def test_git_waits_for_our_lock_as_for_its_own(
    repo: Path, refs: Refs, commits: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    real = Refs._current

    def meanwhile(self: Refs, ref: str) -> str | None:
        seen.append(run_git(repo, ["update-ref", MEMORY, commits[2]]).returncode)
        return real(self, ref)

    monkeypatch.setattr(Refs, "_current", meanwhile)
    assert move(refs, None, commits[0])
    assert seen == [128]
    assert rev(repo, MEMORY) == commits[0]
