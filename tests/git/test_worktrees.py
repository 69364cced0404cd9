"""Work trees on the memory branch follow it; what a person changed there is never touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from gitmem.git import worktrees
from gitmem.git.locate import locate
from gitmem.git.objects import Objects
from gitmem.git.worktrees import bring_along

from tests.helpers import MEMORY, FileMap, commit_files, git, make_repository, rev

START = {"working/notes/a.md": "a\n", "register/notes/ü b.md": "b\n", "config.json": "{}\n"}


@pytest.fixture
def linked(repo: Path, tmp_path: Path) -> Path:
    """A linked work tree that has the memory branch checked out."""
    commit_files(repo, START)
    path = tmp_path / "linked é"
    git(repo, "worktree", "add", "-q", str(path), "memory")
    return path


def move(repo: Path, files: FileMap) -> tuple[str | None, str]:
    old = rev(repo, MEMORY)
    return old, commit_files(repo, files)


def follow(start: Path, moved: tuple[str | None, str]) -> list[str]:
    location = locate(start)
    with Objects(location.common_dir) as objects:
        return bring_along(location, objects, MEMORY, *moved)


def status(path: Path) -> str:
    return git(path, "status", "--porcelain", "--untracked-files=all")


def follows(repo: Path, tree: Path, files: FileMap) -> None:
    """After a move of the branch the work tree is clean and holds the new version."""
    assert follow(repo, move(repo, files)) == []
    assert status(tree) == ""
    git(tree, "fsck", "--no-dangling")
    for path, content in files.items():
        if content is None:
            assert not (tree / path).exists()
        else:
            assert (tree / path).read_text() == content
    # git's caches in the index don't lie: a commit made there has the branch's tree.
    assert git(tree, "write-tree") == git(tree, "rev-parse", "HEAD^{tree}")


def test_changed_new_and_removed_files_are_brought_along(repo: Path, linked: Path) -> None:
    follows(repo, linked, {"working/notes/a.md": "changed\n"})
    follows(repo, linked, {"graph/new/deep.md": "new\n", "config.json": '{"a": 1}\n'})
    follows(repo, linked, {"working/notes/a.md": None, "register/notes/a.md": "changed\n"})
    assert not (linked / "working").exists()
    follows(repo, linked, {"register/notes/ü b.md": None, "register/notes/a.md": None})
    follows(linked, linked, {"again.md": "from inside\n"})


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_every_version_of_the_index_is_kept_up(repo: Path, linked: Path, version: str) -> None:
    git(linked, "update-index", "--index-version", version)
    if version == "3":
        (linked / "planned.md").write_text("x")
        git(linked, "add", "--intent-to-add", "planned.md")
    assert follow(repo, move(repo, {"working/notes/a.md": "x\n", "new/one.md": "y\n"})) == []
    expected = " A planned.md" if version == "3" else ""
    assert status(linked) == expected


def test_the_main_work_tree_is_brought_along(repo: Path) -> None:
    commit_files(repo, START)
    git(repo, "checkout", "-q", "memory")
    follows(repo, repo, {"working/notes/a.md": "changed\n", "x/y.md": "z\n"})


def test_an_unborn_branch_gets_its_first_files(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "store")
    git(repo, "symbolic-ref", "HEAD", MEMORY)
    follows(repo, repo, dict(START))


def test_a_linked_tree_of_a_bare_repository_is_brought_along(
    bare_repo: Path, tmp_path: Path
) -> None:
    commit_files(bare_repo, START)
    git(bare_repo, "worktree", "add", "-q", str(tmp_path / "linked"), "memory")
    follows(bare_repo, tmp_path / "linked", {"working/notes/a.md": "changed\n"})


def test_trees_on_other_branches_are_not_looked_at(repo: Path, tmp_path: Path) -> None:
    commit_files(repo, START)
    commit_files(repo, {"code.py": "1\n"}, ref="refs/heads/main")
    git(repo, "reset", "-q", "--hard")
    detached = tmp_path / "detached"
    git(repo, "worktree", "add", "-q", "--detach", str(detached), MEMORY)
    assert follow(repo, move(repo, {"working/notes/a.md": "changed\n"})) == []
    assert status(repo) == status(detached) == ""
    assert (detached / "working/notes/a.md").read_text() == "a\n"
    assert not (repo / "working").exists()


def test_a_tree_that_was_deleted_is_passed_by(repo: Path, linked: Path) -> None:
    linked.rename(linked.with_name("elsewhere"))
    assert follow(repo, move(repo, {"working/notes/a.md": "changed\n"})) == []


def edit(tree: Path) -> None:
    (tree / "working/notes/a.md").write_text("mine\n")


def stage(tree: Path) -> None:
    edit(tree)
    git(tree, "add", "working/notes/a.md")


def stage_and_restore(tree: Path) -> None:
    stage(tree)
    (tree / "working/notes/a.md").write_text("a\n")


def delete(tree: Path) -> None:
    (tree / "working/notes/a.md").unlink()


def unstage(tree: Path) -> None:
    git(tree, "rm", "-q", "--cached", "working/notes/a.md")


def untracked(tree: Path) -> None:
    (tree / "new.md").write_text("mine\n")


def folder(tree: Path) -> None:
    (tree / "new.md").mkdir()


def executable(tree: Path) -> None:
    (tree / "working/notes/a.md").chmod(0o755)


def link(tree: Path) -> None:
    (tree / "working/notes/a.md").unlink()
    (tree / "working/notes/a.md").symlink_to("b")


def sparse(tree: Path) -> None:
    git(tree, "update-index", "--skip-worktree", "working/notes/a.md")


def split(tree: Path) -> None:
    git(tree, "update-index", "--split-index")


def damaged(tree: Path) -> None:
    Path(git(tree, "rev-parse", "--git-path", "index")).write_bytes(b"DIRC what")


def locked(tree: Path) -> None:
    Path(git(tree, "rev-parse", "--git-path", "index.lock")).write_bytes(b"")


@pytest.mark.parametrize(
    "change",
    [edit, stage, stage_and_restore, delete, unstage, untracked, folder, executable, link,
     sparse, split, damaged, locked],
)  # fmt: skip
def test_a_tree_with_changes_in_the_way_is_left_alone(
    repo: Path, linked: Path, change: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worktrees, "LOCK_TIMEOUT", 0.0)
    assert callable(change)
    change(linked)
    git_dir = locate(linked).git_dir
    before = contents(linked), (git_dir / "index").read_bytes(), (git_dir / "index.lock").exists()
    moved = move(repo, {"working/notes/a.md": "new\n", "new.md": "new\n", "config.json": "{ }\n"})
    warnings = follow(repo, moved)
    assert len(warnings) == 1
    assert str(linked) in warnings[0]
    assert "git status" in warnings[0]
    after = contents(linked), (git_dir / "index").read_bytes(), (git_dir / "index.lock").exists()
    assert after == before


def contents(tree: Path) -> dict[str, bytes | None]:
    return {str(p): p.read_bytes() if p.is_file() else None for p in sorted(tree.rglob("*"))}


def test_changes_elsewhere_in_the_tree_stay_and_are_in_nobodys_way(
    repo: Path, linked: Path
) -> None:
    edit(linked)
    (linked / "mine.txt").write_text("untracked")
    git(linked, "rm", "-q", "config.json")
    before = status(linked)
    assert follow(repo, move(repo, {"register/notes/ü b.md": "changed\n"})) == []
    assert status(linked) == before
    assert (linked / "register/notes/ü b.md").read_text() == "changed\n"
    assert (linked / "working/notes/a.md").read_text() == "mine\n"


def test_a_tree_that_was_brought_along_halfway_is_completed(repo: Path, linked: Path) -> None:
    (linked / "working/notes/a.md").write_text("new\n")
    (linked / "new.md").write_text("new\n")
    follows(repo, linked, {"working/notes/a.md": "new\n", "new.md": "new\n", "config.json": "1\n"})


def test_nothing_is_written_through_a_link(repo: Path, linked: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (linked / "graph").symlink_to(outside)
    assert len(follow(repo, move(repo, {"graph/x.md": "x\n"}))) == 1
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("name", [".git", ".GIT", "..", "."])
def test_a_tree_with_names_that_lead_outside_is_not_checked_out(
    repo: Path, linked: Path, name: str
) -> None:
    blob = git(repo, "hash-object", "-w", "--stdin", data="bad")
    inner = git(repo, "mktree", data=f"100644 blob {blob}\tconfig\n")
    raw = f"40000 {name}\0".encode() + bytes.fromhex(inner)
    tree = git(repo, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", data=raw)
    old = rev(repo, MEMORY)
    new = git(repo, "commit-tree", tree, data="bad")
    config = (repo / ".git/config").read_bytes()
    assert len(follow(repo, (old, new))) == 1
    assert (linked / "working/notes/a.md").read_text() == "a\n"
    assert (repo / ".git/config").read_bytes() == config
    assert (linked / ".git").is_file()


def test_links_and_programs_are_brought_along_as_such(repo: Path, linked: Path) -> None:
    blob = git(repo, "hash-object", "-w", "--stdin", data="target")
    made = git(repo, "mktree", data=f"120000 blob {blob}\tlink\n100755 blob {blob}\tprogram\n")
    old = rev(repo, MEMORY)
    new = git(repo, "commit-tree", "-p", str(old), made, data="kinds")
    git(repo, "update-ref", MEMORY, new)
    assert follow(repo, (old, new)) == []
    assert status(linked) == ""
    assert (linked / "link").readlink() == Path("target")
    assert (linked / "program").stat().st_mode & 0o100
    follows(repo, linked, {"link": "a file now\n", "program": None})


def test_a_shared_repository_keeps_its_index_shared(repo: Path, linked: Path) -> None:
    git(repo, "config", "core.sharedRepository", "group")
    follows(repo, linked, {"working/notes/a.md": "changed\n"})
    assert (locate(linked).git_dir / "index").stat().st_mode & 0o060 == 0o060
