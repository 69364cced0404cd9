"""init: where a memory begins, and what it leaves alone (kinds of repositories: tests/compat)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gitmem.features.starting import Wanted, init, user_store
from gitmem.model.errors import NotAStore, PreconditionError, UsageError
from gitmem.store.root import ROOT_COMMIT

from tests.helpers import git, make_repository, rev
from tests.store import kit
from tests.store.kit import unsynced as unsynced


def begin(where: Path, **wanted: Any) -> object:
    return init(where, kit.AUTHOR, kit.Clock(), Wanted(view=False, **wanted))


def test_init_writes_a_ref_and_a_setting_and_nothing_else(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    (repo / "main.py").write_text("pass\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "code")
    before, config = kit.code_state(repo), git(repo, "config", "--list", "--local")
    started = init(repo, kit.AUTHOR, kit.Clock(), Wanted(view=False))
    assert started.to_json() == {
        "status": "initialized",
        "branch": "refs/heads/memory",
        "commit": ROOT_COMMIT,
        "store": str(repo),
        "notes": [],
    }
    assert kit.code_state(repo) == before
    after = git(repo, "config", "--list", "--local")
    assert after.removeprefix(config).split() == ["gitmem.ref=refs/heads/memory"]
    assert sorted(path.name for path in (repo / ".git" / "hooks").iterdir() if not
                  path.name.endswith(".sample")) == []  # fmt: skip


@pytest.mark.parametrize(
    ("wanted", "ref"),
    [
        ({}, "refs/heads/memory"),
        ({"hidden": True}, "refs/gitmem/memory"),
        ({"branch": "notes/ours"}, "refs/heads/notes/ours"),
        ({"branch": "refs/elsewhere/memory"}, "refs/elsewhere/memory"),
    ],
)
def test_the_place_that_was_chosen_is_found_again(
    tmp_path: Path, wanted: dict[str, Any], ref: str
) -> None:
    memory = kit.new_memory(tmp_path / "repo", **wanted)
    memory.add("An entry")
    assert rev(memory.repo, ref) == memory.tip
    again = memory.reopened()
    assert again.store.branch.ref == ref
    again.close()
    memory.close()


@pytest.mark.parametrize("branch", ["a..b", "has blank", "end.lock", "~x"])
def test_a_name_that_git_refuses_is_refused(tmp_path: Path, branch: str) -> None:
    repo = make_repository(tmp_path / "repo")
    with pytest.raises(UsageError):
        begin(repo, branch=branch)


def test_two_places_at_once_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        begin(make_repository(tmp_path / "repo"), branch="ok", hidden=True)


def test_outside_of_a_repository_it_says_what_can_be_done(tmp_path: Path) -> None:
    with pytest.raises(NotAStore) as refused:
        begin(tmp_path)
    assert "--standalone" in str(refused.value.fix)


def test_a_store_of_its_own_is_a_bare_repository(tmp_path: Path) -> None:
    own = tmp_path / "stores" / "own.git"
    begin(tmp_path, standalone=own)
    assert git(own, "rev-parse", "--is-bare-repository") == "true"
    assert git(own, "rev-parse", "HEAD") == ROOT_COMMIT
    memory = kit.opened(own)
    memory.add("An entry")
    kit.assert_sound(memory)
    memory.close()
    assert init(tmp_path, {}, kit.Clock(), Wanted(standalone=own, view=False)).status == (
        "already_initialized"
    )


def test_a_folder_that_holds_other_things_is_no_place_for_a_store(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("Dear …\n")
    with pytest.raises(NotAStore):
        begin(tmp_path, standalone=other)
    assert [path.name for path in other.iterdir()] == ["letter.txt"]


def test_the_personal_store_lies_where_the_user_keeps_data(tmp_path: Path) -> None:
    environ = {**kit.AUTHOR, "XDG_DATA_HOME": str(tmp_path / "data")}
    init(tmp_path, environ, kit.Clock(), Wanted(user=True, view=False))
    assert user_store(environ) == tmp_path / "data" / "gitmem" / "memory.git"
    assert rev(user_store(environ), "memory") == ROOT_COMMIT
    assert user_store({"XDG_DATA_HOME": "relative"}) == user_store({})


def test_a_remotes_branch_that_is_no_memory_isnt_taken_over(tmp_path: Path) -> None:
    theirs = make_repository(tmp_path / "theirs")
    (theirs / "code").write_text("x\n")
    git(theirs, "add", ".")
    git(theirs, "commit", "-qm", "code")
    git(theirs, "branch", "memory")
    git(tmp_path, "clone", "-q", str(theirs), "ours")
    with pytest.raises(PreconditionError, match="isn't a gitmem memory"):
        begin(tmp_path / "ours")
    assert rev(tmp_path / "ours", "refs/heads/memory") is None
