"""Repositories of every shape are found as git finds them; unreadable kinds are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from gitmem.git.create import create_repository
from gitmem.git.locate import Location, locate
from gitmem.model.errors import GitmemError, NotAStore, PreconditionError, WriteError

from tests.helpers import commit_files, fsck, git, git_succeeds, make_repository, run_git


def check(start: Path, found: Location) -> None:
    """git sees the same places from there."""
    assert found.git_dir == Path(git(start, "rev-parse", "--absolute-git-dir")).resolve()
    common = Path(git(start, "rev-parse", "--path-format=absolute", "--git-common-dir"))
    assert found.common_dir == common.resolve()
    if git(start, "rev-parse", "--is-inside-work-tree") == "true":
        assert found.work_tree == Path(git(start, "rev-parse", "--show-toplevel")).resolve()
    assert found.gitmem_dir == found.common_dir / "gitmem"


def test_an_ordinary_repository_is_found_from_below(repo: Path) -> None:
    below = repo / "some" / "folder"
    below.mkdir(parents=True)
    for start in (repo, below):
        found = locate(start)
        check(start, found)
        assert not found.bare
    assert locate(below / "not there yet").git_dir == (repo / ".git").resolve()


def test_a_path_with_blanks_and_other_scripts_works(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "mein Gedächtnis 記憶 ")
    check(repo, locate(repo))
    git(repo, "commit", "-q", "--allow-empty", "-m", "x")
    linked = tmp_path / "zweiter Baum é "
    git(repo, "worktree", "add", "-q", "--detach", str(linked))
    check(linked, locate(linked))


def test_a_bare_repository_has_no_work_tree(bare_repo: Path) -> None:
    for start in (bare_repo, bare_repo / "refs"):
        found = locate(start)
        check(start, found)
        assert found.bare


def test_inside_the_git_folder_the_work_tree_is_known(repo: Path) -> None:
    found = locate(repo / ".git" / "objects")
    assert (found.git_dir, found.work_tree) == ((repo / ".git").resolve(), repo.resolve())


def test_a_linked_work_tree_shares_the_repository(repo: Path, tmp_path: Path) -> None:
    commit_files(repo, {"a": "1"}, ref="refs/heads/main")
    linked = tmp_path / "linked"
    git(repo, "worktree", "add", "-q", "-b", "other", str(linked), "main")
    (linked / "below").mkdir()
    for start in (linked, linked / "below"):
        found = locate(start)
        check(start, found)
        assert found.work_tree == linked.resolve()
    inside = locate(found.git_dir)
    assert inside.work_tree == linked.resolve()


def test_a_linked_work_tree_of_a_bare_repository_is_no_bare_one(
    bare_repo: Path, tmp_path: Path
) -> None:
    commit_files(bare_repo, {"a": "1"}, ref="refs/heads/main")
    linked = tmp_path / "linked"
    git(bare_repo, "worktree", "add", "-q", str(linked), "main")
    found = locate(linked)
    check(linked, found)
    assert not found.bare
    assert locate(bare_repo).bare


def test_a_submodule_is_a_repository_of_its_own(repo: Path, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "other")
    commit_files(other, {"a": "1"}, ref="refs/heads/main")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "sub")
    found = locate(repo / "sub")
    check(repo / "sub", found)
    assert found.common_dir == (repo / ".git/modules/sub").resolve()
    assert locate(repo / ".git/modules/sub").work_tree == (repo / "sub").resolve()


def test_a_repository_kept_elsewhere_is_found(tmp_path: Path) -> None:
    work = tmp_path / "work"
    make_repository(work, f"--separate-git-dir={tmp_path / 'kept'}")
    check(work, locate(work))


def test_detached_and_unborn_heads_are_repositories(repo: Path) -> None:
    locate(repo)
    tip = commit_files(repo, {"a": "1"}, ref="refs/heads/main")
    git(repo, "checkout", "-q", "--detach", tip)
    check(repo, locate(repo))


def test_a_git_folder_that_isnt_one_is_passed_by(repo: Path) -> None:
    for name in ("empty", "half"):
        (repo / name / ".git").mkdir(parents=True)
    (repo / "half" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for name in ("empty", "half"):
        check(repo / name, locate(repo / name))


def test_behind_a_symbolic_link_lies_what_lies_there(repo: Path, tmp_path: Path) -> None:
    (repo / "below").mkdir()
    other = make_repository(tmp_path / "other")
    (other / "link").symlink_to(repo / "below")
    check(other / "link", locate(other / "link"))
    assert locate(other / "link" / "..").git_dir == (repo / ".git").resolve()


def test_no_repository_is_not_a_store(tmp_path: Path) -> None:
    with pytest.raises(NotAStore) as caught:
        locate(tmp_path)
    assert str(tmp_path.resolve()) in caught.value.message
    assert caught.value.fix is not None


@pytest.mark.parametrize("text", ["gitdir: ../nowhere\n", "no such line\n", ""])
def test_a_git_file_that_leads_nowhere_is_explained(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").write_text(text)
    assert not git_succeeds(tmp_path, "rev-parse")
    with pytest.raises(NotAStore, match=r"\.git"):
        locate(tmp_path)


def config(repo: Path, version: str, key: str, value: str) -> None:
    """Not by `git config` inside the repository: git refuses to enter some of them."""
    file = str(repo / ".git" / "config")
    git(repo.parent, "config", "-f", file, key, value)
    git(repo.parent, "config", "-f", file, "core.repositoryformatversion", version)


def test_sha256_is_refused(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", "--object-format=sha256")
    with pytest.raises(PreconditionError, match="sha256") as caught:
        locate(repo)
    assert caught.value.fix is not None
    assert "standalone" in caught.value.fix


@pytest.mark.parametrize(
    ("version", "key", "value", "said"),
    [
        ("1", "extensions.refStorage", "reftable", "reftable"),
        ("0", "extensions.objectFormat", "sha256", "sha256"),
        ("1", "extensions.brandNew", "true", "brandnew"),
        ("2", "core.x", "y", "version 2"),
        ("x", "core.x", "y", "version x"),
    ],
)
def test_other_kinds_are_refused_by_name(
    repo: Path, version: str, key: str, value: str, said: str
) -> None:
    config(repo, version, key, value)
    with pytest.raises(PreconditionError, match=said) as caught:
        locate(repo)
    assert str(repo) in caught.value.message
    assert caught.value.fix


@pytest.mark.parametrize(
    ("version", "key", "value"),
    [
        ("1", "extensions.objectFormat", "sha1"),
        ("1", "extensions.worktreeConfig", "true"),
        ("1", "extensions.preciousObjects", "true"),
        ("0", "extensions.brandNew", "true"),
    ],
)
def test_harmless_extensions_are_taken(repo: Path, version: str, key: str, value: str) -> None:
    config(repo, version, key, value)
    check(repo, locate(repo))


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("head", ["refs/heads/main", "refs/heads/memory"])
def test_git_takes_a_created_repository_for_its_own(tmp_path: Path, bare: bool, head: str) -> None:
    path = tmp_path / "new é"
    create_repository(path, bare=bare, head=head)
    check(path, locate(path))
    assert git(path, "symbolic-ref", "HEAD") == head
    assert git(path, "rev-parse", "--is-bare-repository") == str(bare).lower()
    assert fsck(path) == ""
    assert (path / "HEAD").exists() is bare
    if not bare:
        (path / "a.md").write_text("text")
        git(path, "add", "a.md")
        git(path, "commit", "-q", "-m", "first")
        assert git(path, "status", "--porcelain") == ""
        assert (path / ".git/logs/HEAD").exists()
    by_git = make_repository(tmp_path / "by-git", bare=bare)
    expected = git(by_git, "config", "--local", "--list")
    assert git(path, "config", "--local", "--list") == expected


def test_a_repository_that_is_there_is_left_alone(repo: Path, bare_repo: Path) -> None:
    for path, bare in ((repo, False), (bare_repo, True)):
        before = sorted((p, p.stat().st_mtime_ns) for p in path.rglob("*"))
        with pytest.raises(PreconditionError, match="already"):
            create_repository(path, bare=bare)
        assert sorted((p, p.stat().st_mtime_ns) for p in path.rglob("*")) == before


def test_a_half_made_repository_is_completed(tmp_path: Path) -> None:
    (tmp_path / ".git" / "objects").mkdir(parents=True)
    (tmp_path / ".git" / "HEAD.new").write_text("ref")
    assert run_git(tmp_path, ["rev-parse"]).returncode
    create_repository(tmp_path, bare=False)
    check(tmp_path, locate(tmp_path))


def test_a_place_that_cant_be_written_is_a_write_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteError, match="file"):
        create_repository(tmp_path / "file" / "repo", bare=False)
    with pytest.raises(GitmemError):
        locate(tmp_path / "file")
