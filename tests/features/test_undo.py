"""Undo: the inverse of a commit or of a session, refused where it would lose something."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from gitmem.features import reading
from gitmem.features.undo import undo_commit, undo_session
from gitmem.model.errors import NotFound, UpdateError
from gitmem.store.root import ROOT_COMMIT

from tests.helpers import commit_files, git
from tests.store import kit
from tests.store.kit import unsynced as unsynced


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[kit.Memory]:
    memory = kit.new_memory(tmp_path / "repo")
    yield memory
    memory.close()


def tree(memory: kit.Memory, commit: str = "memory") -> str:
    return git(memory.repo, "rev-parse", f"{commit}^{{tree}}")


def test_an_undo_can_be_undone(memory: kit.Memory) -> None:
    one = memory.add("An entry")
    changed = memory.edit(one.id, "body=changed").commit
    undone = undo_commit(memory.workspace, changed[:10], "a mistake")
    assert (undone.undoes, undone.ids) == ((changed,), (one.id,))
    assert tree(memory) == tree(memory, one.commit)
    undo_commit(memory.workspace, undone.commits[0])
    assert tree(memory) == tree(memory, changed)
    kit.assert_sound(memory)


def test_an_undo_leaves_later_changes_of_others_alone(memory: kit.Memory) -> None:
    one = memory.add("An entry")
    other = memory.add("Another")
    memory.edit(other.id, "body=Later.")
    undo_commit(memory.workspace, one.commit)
    assert [each["id"] for each in reading.list_entries(memory.workspace, tier="all").entries] == [
        other.id
    ]
    assert reading.show(memory.workspace, other.id)["content"]["body"] == "Later."


@pytest.mark.parametrize("later", ["edit", "move", "hand"])
def test_a_change_that_was_built_upon_isnt_undone(memory: kit.Memory, later: str) -> None:
    one = memory.add("An entry")
    changed = memory.edit(one.id, "body=changed").commit
    if later == "edit":
        memory.edit(one.id, "body=changed again")
    elif later == "move":
        memory.move("archive", one.id)
    else:
        commit_files(memory.repo, {"register/notes/an-entry.md": None}, "by hand")
    before = memory.tip
    with pytest.raises(UpdateError, match=r"register/notes/an-entry\.md") as refused:
        undo_commit(memory.workspace, changed)
    assert "gitmem log" in str(refused.value.fix)
    assert memory.tip == before


def test_what_comes_back_needs_its_slug(memory: kit.Memory) -> None:
    memory.add("The name")
    gone = commit_files(memory.repo, {"register/notes/the-name.md": None}, "by hand")
    other = memory.add("The name", tier="working")
    with pytest.raises(UpdateError, match="working/notes/the-name"):
        undo_commit(memory.workspace, gone)
    memory.edit(other.id, "title=Quite another thing")
    undo_commit(memory.workspace, gone)
    kit.assert_sound(memory)


def test_the_first_commit_isnt_undone(memory: kit.Memory) -> None:
    with pytest.raises(UpdateError, match="first commit"):
        undo_commit(memory.workspace, ROOT_COMMIT)


def test_a_commit_that_changed_nothing_has_nothing_to_undo(memory: kit.Memory) -> None:
    empty = commit_files(memory.repo, {}, "usage\n\nGitmem-Op: usage\nGitmem-Session: s-9\n")
    with pytest.raises(UpdateError, match="nothing to undo"):
        undo_commit(memory.workspace, empty)


def test_a_commit_of_the_code_is_none_of_the_memorys(memory: kit.Memory) -> None:
    (memory.repo / "main.py").unlink()
    git(memory.repo, "commit", "-qam", "removed")
    code = git(memory.repo, "rev-parse", "main")
    for name in (code, code[:12], "0" * 40):
        with pytest.raises(NotFound):
            undo_commit(memory.workspace, name)
    assert "main.py" not in kit.tree_of(memory.repo)


def test_an_undo_of_a_setting_takes_back_only_that_key(memory: kit.Memory) -> None:
    first = memory.set("delete.grace_period_days", 3).commit
    memory.set("delete.archive_retired", True)
    undo_commit(memory.workspace, first)
    config = memory.store.snapshot().config
    assert config.get("delete.grace_period_days") == 30
    assert config.get("delete.archive_retired") is True
    again = memory.set("delete.grace_period_days", 5).commit
    memory.set("delete.grace_period_days", 6)
    with pytest.raises(UpdateError, match=r"delete\.grace_period_days"):
        undo_commit(memory.workspace, again)


# Sessions


def test_a_session_is_undone_newest_first_one_commit_each(memory: kit.Memory) -> None:
    memory.add("From before")
    before = tree(memory)
    memory.workspace.session = "s-2"
    one = memory.add("An entry")
    memory.edit(one.id, "body=changed")
    memory.move("promote", one.id)
    memory.set("delete.grace_period_days", 3)
    done = kit.commits_of(memory.repo)[:4]
    memory.workspace.session = "s-3"
    undone = undo_session(memory.workspace, "s-2")
    assert list(undone.undoes) == done
    assert len(undone.commits) == 4
    assert tree(memory) == before
    kit.assert_sound(memory)


def test_a_session_is_undone_as_a_whole_or_not_at_all(memory: kit.Memory) -> None:
    memory.workspace.session = "s-2"
    one = memory.add("Built upon")
    memory.add("Another")
    memory.workspace.session = "s-3"
    memory.edit(one.id, "body=changed")
    before = memory.tip
    with pytest.raises(UpdateError):
        undo_session(memory.workspace, "s-2")
    assert memory.tip == before


def test_a_session_is_undone_once(memory: kit.Memory) -> None:
    memory.workspace.session = "s-2"
    memory.add("An entry")
    undo_session(memory.workspace, "s-2")
    with pytest.raises(UpdateError, match="no change"):
        undo_session(memory.workspace, "s-2")
    with pytest.raises(NotFound):
        undo_session(memory.workspace, "never heard of")


def test_what_was_undone_one_by_one_is_passed_over(memory: kit.Memory) -> None:
    memory.workspace.session = "s-2"
    one = memory.add("An entry")
    changed = memory.edit(one.id, "body=changed").commit
    undo_commit(memory.workspace, changed)
    assert undo_session(memory.workspace, "s-2").undoes == (one.commit,)
    assert reading.list_entries(memory.workspace, tier="all").entries == ()
