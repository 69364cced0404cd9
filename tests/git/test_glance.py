"""The hook's quick look finds what everybody else finds, or says that it takes a closer one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from gitmem.git.glance import Unusual, code_head, glance, repository_of
from gitmem.git.locate import locate
from gitmem.git.tip import memory_branch, read_ref

from tests.helpers import commit_files, git, make_repository

Prepare = Callable[[Path], Path]


def plain(path: Path) -> Path:
    repo = make_repository(path / "repo")
    commit_files(repo, {"a": "1"}, ref="refs/heads/main")
    commit_files(repo, {"m": "1"})
    return repo


def packed(path: Path) -> Path:
    repo = plain(path)
    git(repo, "pack-refs", "--all")
    return repo


def hidden(path: Path) -> Path:
    repo = plain(path)
    git(repo, "update-ref", "refs/gitmem/memory", "refs/heads/memory")
    git(repo, "update-ref", "-d", "refs/heads/memory")
    return repo


def chosen(path: Path) -> Path:
    repo = plain(path)
    git(repo, "branch", "Notes/Mine", "main")
    git(repo, "config", "gitmem.ref", "refs/heads/Notes/Mine")
    return repo


def chosen_by_name(path: Path) -> Path:
    repo = plain(path)
    git(repo, "branch", "notes", "main")
    git(repo, "config", "gitmem.ref", "notes")
    git(repo, "config", "remote.gitmem.url", "https://example.org/gitmem.git")
    return repo


def chosen_but_missing(path: Path) -> Path:
    repo = plain(path)
    git(repo, "config", "gitmem.ref", "refs/heads/elsewhere")
    return repo


def symbolic(path: Path) -> Path:
    repo = plain(path)
    git(repo, "update-ref", "refs/heads/real", "refs/heads/memory")
    git(repo, "symbolic-ref", "refs/heads/memory", "refs/heads/real")
    return repo


def bare(path: Path) -> Path:
    repo = make_repository(path / "bare.git", bare=True)
    commit_files(repo, {"m": "1"})
    return repo


def linked(path: Path) -> Path:
    repo = plain(path)
    git(repo, "worktree", "add", "-q", "-b", "side", str(path / "linked"), "main")
    return path / "linked"


def cloned(path: Path) -> Path:
    git(path, "clone", "-q", str(plain(path)), "clone")
    return path / "clone"


def cloned_and_packed(path: Path) -> Path:
    repo = cloned(path)
    git(repo, "pack-refs", "--all")
    git(repo, "remote", "rename", "origin", "upstream")
    return repo


def without_memory(path: Path) -> Path:
    repo = make_repository(path / "repo")
    commit_files(repo, {"a": "1"}, ref="refs/heads/main")
    return repo


SHAPES = [
    plain, packed, hidden, chosen, chosen_by_name, chosen_but_missing, symbolic, bare, linked,
    cloned, cloned_and_packed, without_memory,
]  # fmt: skip


@pytest.mark.parametrize("prepare", SHAPES, ids=lambda prepare: prepare.__name__)
def test_a_glance_agrees_with_the_full_look(prepare: Prepare, tmp_path: Path) -> None:
    repo = prepare(tmp_path)
    location = locate(repo)
    branch = memory_branch(location)
    tip = read_ref(location.common_dir, branch.ref) if branch else None
    found = glance(str(repo))
    if tip is None:
        assert found is None
        return
    assert branch is not None
    assert found is not None
    assert (found.ref, found.tip) == (branch.ref, tip)
    assert Path(found.common_dir) == location.common_dir
    assert Path(found.git_dir) == location.git_dir
    assert (Path(found.work_tree) if found.work_tree else None) == location.work_tree


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("include.path", "other"),
        ("extensions.worktreeConfig", "true"),
        ("extensions.objectformat", "sha1"),
        ("gitmem.ref", '"refs/heads/a b"'),
    ],
)
def test_what_needs_gits_own_rules_is_left_to_them(tmp_path: Path, key: str, value: str) -> None:
    repo = plain(tmp_path)
    git(repo, "config", key, value)
    with pytest.raises(Unusual):
        glance(str(repo))


def test_a_damaged_ref_takes_a_closer_look(tmp_path: Path) -> None:
    repo = plain(tmp_path)
    (repo / ".git/refs/heads/memory").write_text("nothing\n")
    with pytest.raises(Unusual):
        glance(str(repo))


def test_a_repository_is_found_from_below_and_from_nowhere_else(tmp_path: Path) -> None:
    repo = plain(tmp_path)
    deep = repo / "a" / "b"
    deep.mkdir(parents=True)
    assert repository_of(str(deep)) == str(repo.resolve())
    outside = tmp_path / "outside"
    outside.mkdir()
    assert repository_of(str(outside)) is None


def test_the_codes_head_is_a_commit_and_a_branch(tmp_path: Path) -> None:
    repo = plain(tmp_path)
    dot_git = str(repo / ".git")
    main = git(repo, "rev-parse", "main")
    assert code_head(dot_git, dot_git) == (main, "main")
    git(repo, "checkout", "-q", "--detach", "main")
    assert code_head(dot_git, dot_git) == (main, "")
    git(repo, "checkout", "-q", "--orphan", "fresh")
    assert code_head(dot_git, dot_git) == ("", "fresh")
