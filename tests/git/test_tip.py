"""Refs read as git reads them; the memory's branch is found where the design says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from gitmem.git.locate import locate
from gitmem.git.tip import Branch, memory_branch, read_ref, valid_ref
from gitmem.model.errors import ConfigError, Corrupt

from tests.helpers import MEMORY, commit_files, git, git_succeeds


@pytest.fixture
def tip(repo: Path) -> str:
    return commit_files(repo, {"a.md": "text"})


def test_a_ref_is_read_loose_and_packed(repo: Path, tip: str) -> None:
    assert read_ref(repo / ".git", MEMORY) == tip
    git(repo, "branch", "memory-2", MEMORY)
    git(repo, "branch", "x/refs/heads/memory", MEMORY)
    git(repo, "tag", "-a", "-m", "t", "v1", MEMORY)
    git(repo, "pack-refs", "--all")
    assert not (repo / ".git" / MEMORY).exists()
    assert read_ref(repo / ".git", MEMORY) == tip
    assert read_ref(repo / ".git", "refs/tags/v1") == git(repo, "rev-parse", "v1")
    newer = commit_files(repo, {"a.md": "changed"})
    assert read_ref(repo / ".git", MEMORY) == newer
    assert read_ref(repo / ".git", "refs/heads/memory-2") == tip
    git(repo, "pack-refs", "--all")
    assert read_ref(repo / ".git", MEMORY) == newer


def test_a_missing_ref_is_none(repo: Path, tip: str) -> None:
    git(repo, "pack-refs", "--all")
    (repo / ".git/refs/heads/folder").mkdir()
    for ref in ("refs/heads/other", "refs/heads/memor", "refs/heads/folder", "refs/heads/memory/x"):
        assert read_ref(repo / ".git", ref) is None
    assert read_ref(repo / ".git", "HEAD") is None


def test_symbolic_refs_are_followed_but_not_for_ever(repo: Path, tip: str) -> None:
    git(repo, "symbolic-ref", "refs/heads/alias", MEMORY)
    git(repo, "symbolic-ref", "HEAD", "refs/heads/alias")
    assert read_ref(repo / ".git", "refs/heads/alias") == tip
    assert read_ref(repo / ".git", "HEAD") == tip
    git(repo, "symbolic-ref", "refs/heads/one", "refs/heads/two")
    git(repo, "symbolic-ref", "refs/heads/two", "refs/heads/one")
    with pytest.raises(Corrupt, match="without end"):
        read_ref(repo / ".git", "refs/heads/one")


@pytest.mark.parametrize("content", ["", "\0" * 41, "0123", "ref: ../../../x\n", "ref: \n"])
def test_a_damaged_ref_is_corrupt_and_never_absent(repo: Path, tip: str, content: str) -> None:
    (repo / ".git" / MEMORY).write_text(content)
    with pytest.raises(Corrupt) as caught:
        read_ref(repo / ".git", MEMORY)
    assert caught.value.fix


@pytest.mark.parametrize(
    "ref",
    [
        "refs/x",
        "refs/heads/a",
        "refs/heads/a/b",
        "refs/heads/ü",
        "refs/gitmem/memory",
        "refs/heads/@",
        "refs/heads/a..b",
        "refs/heads/a b",
        "refs/heads/.a",
        "refs/heads/a.lock",
        "refs/heads/a/",
        "refs/heads//a",
        "refs/heads/a.",
        "refs/heads/a~",
        "refs/heads/a^",
        "refs/heads/a:b",
        "a",
        "",
        "refs/heads/a?",
        "refs/heads/*",
        "refs/heads/[a",
        "refs/heads/a\\b",
        "refs/heads/@{a",
        "refs/heads/a.lock/b",
        "refs/heads/\x7f",
        "/refs/heads/a",
    ],
)
def test_names_of_refs_are_judged_as_git_does(repo: Path, ref: str) -> None:
    full = ref.startswith("refs/") and ref.count("/") > 1
    assert valid_ref(ref) == (full and git_succeeds(repo, "check-ref-format", ref))


def test_a_repository_without_memory_has_no_branch(repo: Path, bare_repo: Path) -> None:
    commit_files(repo, {"a": "1"}, ref="refs/heads/main")
    assert memory_branch(locate(repo)) is None
    assert memory_branch(locate(bare_repo)) is None


def test_the_branch_is_looked_for_in_its_order(repo: Path, tip: str) -> None:
    places = [
        ("refs/remotes/zoo/memory", False),
        ("refs/remotes/a/b/memory", False),
        ("refs/remotes/origin/memory", False),
        ("refs/gitmem/memory", True),
        (MEMORY, True),
    ]
    git(repo, "update-ref", "-d", MEMORY)
    git(repo, "update-ref", "refs/remotes/origin/main", tip)
    git(repo, "remote", "add", "a/b", "x")
    for pack in (False, True):
        for ref, local in places:
            git(repo, "update-ref", ref, tip)
            if pack:
                git(repo, "pack-refs", "--all")
            assert memory_branch(locate(repo)) == Branch(ref, local=local, chosen=False)
        for ref, _ in places:
            git(repo, "update-ref", "-d", ref)
        assert memory_branch(locate(repo)) is None


def test_a_chosen_branch_counts_even_before_it_exists(repo: Path, tip: str) -> None:
    for value, ref, local in (
        ("refs/heads/notes", "refs/heads/notes", True),
        ("notes", "refs/heads/notes", True),
        ("refs/remotes/origin/notes", "refs/remotes/origin/notes", False),
    ):
        git(repo, "config", "gitmem.ref", value)
        assert memory_branch(locate(repo)) == Branch(ref, local=local, chosen=True)


def test_a_chosen_branch_must_be_a_ref(repo: Path) -> None:
    git(repo, "config", "gitmem.ref", "refs/heads/../../config")
    with pytest.raises(ConfigError, match=r"gitmem\.ref"):
        memory_branch(locate(repo))


def test_a_linked_work_tree_sees_the_same_branch(repo: Path, tip: str, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"), tip)
    location = locate(tmp_path / "linked")
    assert memory_branch(location) == Branch(MEMORY, local=True, chosen=False)
    assert read_ref(location.common_dir, MEMORY) == tip
    assert read_ref(location.git_dir, "HEAD") == tip


def test_asking_for_the_tip_loads_little() -> None:
    # A hook asks on every prompt; dataclasses alone cost as much as an empty Python program.
    heavy = [
        "dataclasses",
        "inspect",
        "dulwich",
        "click",
        "pydantic",
        "yaml",
        "sqlite3",
        "subprocess",
    ]
    program = f"import sys, gitmem.git.tip; print(*(m for m in {heavy} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.decode().split() == []


def test_reading_objects_loads_no_library() -> None:
    names = ["objects", "tree", "commits", "identity", "create", "worktrees"]
    imports = ", ".join(f"gitmem.git.{name}" for name in names)
    program = f"import sys, {imports}; print(*(m for m in sys.modules if m == 'dulwich'))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.decode().split() == []
