"""Every kind of repository that git makes: served, or refused with what to do instead."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from gitmem.features import reading
from gitmem.features.starting import Wanted, init
from gitmem.model.errors import PreconditionError
from gitmem.store.root import ROOT_COMMIT
from gitmem.store.store import Store

from tests.helpers import commit_files, fsck, git, make_repository, rev
from tests.store import kit

TITLES = ["First", "Second"]


def works(memory: kit.Memory) -> None:
    """Entries are written, changed, read; git is content."""
    ids = [memory.add(title).id for title in TITLES]
    memory.edit(ids[0], "body=changed")
    memory.move("retire", ids[1])
    listed = reading.list_entries(memory.workspace, tier="all").entries
    assert sorted(one["title"] for one in listed) == TITLES
    assert fsck(memory.repo) == ""
    kit.assert_index_is_true(memory)


def start(where: Path) -> kit.Memory:
    clock = kit.Clock()
    init(where, kit.AUTHOR, clock, Wanted(view=False))
    return kit.opened(where, clock)


@pytest.mark.parametrize("name", ["with blanks", "ünïcödé ☃", 'quo\'te "double"', "-dash", "a\tb"])
def test_a_path_with_any_character(tmp_path: Path, name: str) -> None:
    repo = make_repository(tmp_path / name / name)
    memory = start(repo)
    works(memory)
    memory.close()


def test_a_bare_repository(tmp_path: Path) -> None:
    memory = start(make_repository(tmp_path / "bare.git", bare=True))
    works(memory)
    memory.close()


def test_a_repository_without_a_commit_of_code(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    memory = start(repo)
    works(memory)
    assert rev(repo, "HEAD") is None
    assert "Gitmem-Code" not in git(repo, "log", "-1", "--format=%B", "memory")
    memory.close()


def test_a_folder_deep_inside_the_work_tree(memory: kit.Memory) -> None:
    inside = memory.repo / "a" / "b"
    inside.mkdir(parents=True)
    made = memory.add("Written at the top")
    deep = kit.opened(inside)
    assert reading.show(deep.workspace, made.id)["title"] == "Written at the top"
    deep.close()


def test_a_detached_head_is_told_without_a_branch(memory: kit.Memory) -> None:
    git(memory.repo, "checkout", "-q", "--detach")
    memory.add("Written there")
    code = git(memory.repo, "log", "-1", "--format=%(trailers:key=Gitmem-Code,valueonly)", "memory")
    assert code.strip() == git(memory.repo, "rev-parse", "HEAD")


def test_linked_work_trees_share_one_memory(memory: kit.Memory, tmp_path: Path) -> None:
    tree = tmp_path / "linked tree"
    git(memory.repo, "worktree", "add", "-q", "-b", "feature", str(tree))
    made = memory.add("Seen from everywhere")
    linked = kit.opened(tree)
    assert reading.show(linked.workspace, made.id)["title"] == "Seen from everywhere"
    linked.edit(made.id, "body=Changed in the linked one.")
    code = git(tree, "log", "-1", "--format=%(trailers:key=Gitmem-Code,valueonly)", "memory")
    assert code.split()[1:] == ["feature"]
    assert reading.show(memory.workspace, made.id)["times_updated"] == 1
    linked.close()
    kit.assert_sound(memory)


def test_a_work_tree_that_has_the_memory_checked_out_is_brought_along(
    memory: kit.Memory, tmp_path: Path
) -> None:
    tree = tmp_path / "memory tree"
    git(memory.repo, "worktree", "add", "-q", str(tree), "memory")
    made = memory.add("Appears there")
    assert made.warnings == ()
    file = tree / "register" / "notes" / "appears-there.md"
    assert "title: Appears there" in file.read_text()
    assert git(tree, "status", "--porcelain") == ""
    file.write_text("edited\n")
    warned = memory.edit(made.id, "body=changed")
    assert any("memory tree" in warning for warning in warned.warnings)
    assert file.read_text() == "edited\n"


def test_a_submodule_has_a_memory_of_its_own(memory: kit.Memory, tmp_path: Path) -> None:
    outer = make_repository(tmp_path / "outer")
    git(
        outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(memory.repo), "sub"
    )
    inner = start(outer / "sub")
    works(inner)
    assert rev(outer, "refs/heads/memory") is None
    inner.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_a_shared_repository_gives_its_group_what_is_written(tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        repo = make_repository(tmp_path / "shared.git", "--shared=group", bare=True)
        memory = start(repo)
        works(memory)
        memory.close()
    finally:
        os.umask(old)
    ours = [
        *(repo / "objects").rglob("*"),
        *(repo / "refs").rglob("*"),
    ]
    for path in ours:
        mode = stat.S_IMODE(path.stat().st_mode)
        wanted = 0o070 if path.is_dir() else 0o040
        assert mode & wanted == wanted, f"{path} has mode {mode:o}"
    assert stat.S_IMODE((repo / "refs" / "heads" / "memory").stat().st_mode) & 0o060 == 0o060


# Starting


def test_the_first_commit_is_the_same_in_every_store(tmp_path: Path) -> None:
    for name in ("one", "two"):
        memory = kit.new_memory(tmp_path / name, kit.Clock(kit.START + len(name) * 1000))
        assert memory.tip == ROOT_COMMIT == "6285be261812fac5af7d57b8028bf1552545a461"
        assert fsck(memory.repo) == ""
        memory.close()


def test_init_takes_over_the_memory_that_a_remote_has(memory: kit.Memory, tmp_path: Path) -> None:
    made = memory.add("From the remote")
    git(tmp_path, "clone", "-q", str(memory.repo), "clone")
    reader = kit.opened(tmp_path / "clone")
    with pytest.raises(PreconditionError, match="only be read"):
        reader.add("Before init")
    reader.close()
    started = init(tmp_path / "clone", kit.AUTHOR, kit.Clock(), Wanted(view=False))
    assert (started.status, started.commit) == ("initialized", made.commit)
    writer = kit.opened(tmp_path / "clone", memory.clock)
    writer.add("After init")
    assert git(writer.repo, "rev-parse", "memory^") == made.commit
    kit.assert_sound(writer)
    writer.close()


def test_init_brings_a_deleted_branch_back(memory: kit.Memory) -> None:
    made = memory.add("Deleted and brought back")
    git(memory.repo, "branch", "-q", "-D", "memory")
    started = init(memory.repo, kit.AUTHOR, kit.Clock(), Wanted(view=False))
    assert started.commit == made.commit
    assert any("brought" in note for note in started.notes)
    kit.assert_sound(memory)
    assert reading.show(memory.workspace, made.id)["title"] == "Deleted and brought back"


def test_init_twice_changes_nothing(memory: kit.Memory) -> None:
    memory.add("An entry")
    before = kit.commits_of(memory.repo), (memory.repo / ".git" / "config").read_bytes()
    started = init(memory.repo, kit.AUTHOR, kit.Clock(), Wanted(view=False))
    assert (started.status, started.commit) == ("already_initialized", memory.tip)
    after = kit.commits_of(memory.repo), (memory.repo / ".git" / "config").read_bytes()
    assert after == before


def test_a_hidden_memory_is_no_branch(tmp_path: Path) -> None:
    memory = kit.new_memory(tmp_path / "repo", hidden=True)
    works(memory)
    assert git(memory.repo, "branch", "--format=%(refname:short)") == "main"
    assert rev(memory.repo, "refs/gitmem/memory") == memory.tip
    memory.close()


# Refusals


def sha256(path: Path) -> None:
    make_repository(path, "--object-format=sha256")


def reftable(path: Path) -> None:
    make_repository(path)
    git(path, "config", "core.repositoryformatversion", "1")
    git(path, "config", "extensions.refStorage", "reftable")


def an_unknown_extension(path: Path) -> None:
    make_repository(path)
    git(path, "config", "core.repositoryformatversion", "1")
    git(path, "config", "extensions.fromTheFuture", "true")


def a_newer_repository_format(path: Path) -> None:
    make_repository(path)
    git(path, "config", "core.repositoryformatversion", "2")


@pytest.mark.parametrize(
    "make", [sha256, reftable, an_unknown_extension, a_newer_repository_format]
)
def test_a_repository_that_we_cant_read_is_refused(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    repo = tmp_path / "repo"
    make(repo)
    for act in (lambda: start(repo), lambda: Store.open(repo, {})):
        with pytest.raises(PreconditionError) as refused:
            act()
        assert str(repo) in refused.value.message
        assert refused.value.fix
    assert not (repo / ".git" / "gitmem").exists()


def test_a_branch_of_that_name_that_is_somebodys_code_is_never_written(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    commit = commit_files(repo, {"README": "code\n", "config.json": '{"port": 80}\n'}, "code")
    with pytest.raises(PreconditionError, match="isn't a gitmem memory"):
        start(repo)
    memory = kit.opened(repo)
    with pytest.raises(PreconditionError, match="isn't a gitmem memory") as refused:
        memory.add("Not here")
    assert "--hidden" in str(refused.value.fix)
    assert rev(repo, "memory") == commit
    memory.close()
    elsewhere = kit.new_memory(repo, hidden=True)
    works(elsewhere)
    assert rev(repo, "refs/heads/memory") == commit
    elsewhere.close()


@pytest.mark.parametrize("packed", [False, True])
def test_a_branch_below_that_name_is_in_the_way(tmp_path: Path, packed: bool) -> None:
    repo = make_repository(tmp_path / "repo")
    commit_files(repo, {"README": "code\n"}, "code", ref="refs/heads/memory/leak")
    if packed:
        git(repo, "pack-refs", "--all")
    with pytest.raises(PreconditionError, match="refs/heads/memory/leak"):
        start(repo)
    assert fsck(repo) == ""


def test_a_newer_store_is_read_and_not_written(memory: kit.Memory) -> None:
    made = memory.add("Written by this version")
    commit_files(memory.repo, {"config.json": '{"format": 2, "new.key": [1]}\n'}, "newer")
    assert reading.show(memory.workspace, made.id)["title"] == "Written by this version"
    for act in (
        lambda: memory.add("Another"),
        lambda: memory.move("retire", made.id),
        lambda: memory.set("delete.grace_period_days", 3),
    ):
        with pytest.raises(PreconditionError, match="newer"):
            act()


def test_a_memory_whose_past_is_cut_off_is_refused(memory: kit.Memory, tmp_path: Path) -> None:
    for title in TITLES:
        memory.add(title)
    url = memory.repo.as_uri()
    git(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", url, "shallow")
    shallow = kit.opened(tmp_path / "shallow")
    with pytest.raises(PreconditionError, match="shallow") as refused:
        reading.list_entries(shallow.workspace)
    assert "unshallow" in str(refused.value.fix)
    git(tmp_path / "shallow", "fetch", "-q", "--unshallow")
    shallow.close()
    whole = kit.opened(tmp_path / "shallow")
    assert len(reading.list_entries(whole.workspace).entries) == len(TITLES)
    whole.close()


def test_code_may_be_shallow_where_the_memory_is_whole(memory: kit.Memory, tmp_path: Path) -> None:
    (memory.repo / "main.py").write_text("more\n")
    git(memory.repo, "commit", "-q", "-am", "more")
    memory.add("First")
    git(tmp_path, "clone", "-q", "--depth=1", "-b", "main", memory.repo.as_uri(), "shallow")
    git(tmp_path / "shallow", "fetch", "-q", "origin", "memory:memory")
    whole = kit.opened(tmp_path / "shallow")
    assert len(reading.list_entries(whole.workspace).entries) == 1
    whole.close()
