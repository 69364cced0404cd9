"""The files as the hook opens them: what writers write, and never a file that isn't there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from gitmem.index import bare, db, state
from gitmem.index.sessions import VERSION, Sessions

from tests.store import kit
from tests.store.kit import unsynced as unsynced

NOW = 1_790_000_000


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[kit.Memory]:
    memory = kit.new_memory(tmp_path / "repo")
    yield memory
    memory.close()


def test_the_hook_knows_the_versions_that_writers_write() -> None:
    folder = Path("folder")
    assert db.index_file(folder) == folder / f"index-{bare.INDEX_VERSION}.db"
    assert bare.STATE_FILE == state.FILE
    assert len(state._MIGRATIONS) >= VERSION
    assert "CREATE TABLE receipts" in state._MIGRATIONS[VERSION - 1]


def test_the_index_is_read_with_its_commit_and_config(memory: kit.Memory) -> None:
    memory.add("A fact")
    memory.set("delete.grace_period_days", 7)
    opened = bare.open_index(str(memory.store.folder))
    assert opened is not None
    connection, commit, config = opened
    assert commit == memory.tip
    assert '"delete.grace_period_days": 7' in config
    with pytest.raises(Exception, match="readonly"):
        connection.execute("DELETE FROM meta")
    connection.close()


def test_nothing_is_made_where_nothing_is(tmp_path: Path) -> None:
    assert bare.open_index(str(tmp_path)) is None
    assert bare.open_state(str(tmp_path), VERSION) is None
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_odd_characters_is_opened(tmp_path: Path) -> None:
    odd = kit.new_memory(tmp_path / "50% a#b?c d")
    assert bare.open_index(str(odd.store.folder)) is not None
    odd.close()


def test_sources_are_those_of_the_newest_claim(memory: kit.Memory) -> None:
    entry = memory.add("A fact")
    memory.workspace.source = "agent"
    memory.edit(entry.id, "body=Another.")
    memory.workspace.source = "user"
    memory.move("promote", entry.id)
    opened = bare.open_index(str(memory.store.folder))
    assert opened is not None
    assert bare.sources(opened[0], [entry.id, "tr0000000000"]) == {entry.id: "agent"}
    opened[0].close()


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[Sessions]:
    with state.open_state(tmp_path) as opened, opened.sessions() as found:
        yield found


def test_a_prompt_is_numbered_and_what_it_was_shown_is_known(sessions: Sessions) -> None:
    assert sessions.add_prompt("s", NOW, "c1", [], 0) == 1
    assert sessions.add_prompt("s", NOW + 1, "c2", ["a", "b"], 50) == 2
    assert sessions.shown("s") == {"a", "b"}
    (receipt,) = sessions.receipts("s")
    assert (receipt.prompt, receipt.commit, receipt.ids) == (2, "c2", ("a", "b"))
    sessions.forget_shown("s")
    assert sessions.shown("s") == set()
    assert [one.ids for one in sessions.pending()] == [("a", "b")]


def test_what_is_told_waits_no_longer_and_what_is_old_goes(sessions: Sessions) -> None:
    sessions.add_prompt("old", NOW, "c", ["a"], 5)
    sessions.add_prompt("untold", NOW, "c", ["a"], 5)
    waiting = {one.session: one for one in sessions.pending()}
    sessions.mark_told([waiting["old"]])
    assert [one.session for one in sessions.pending()] == ["untold"]
    sessions.drop_before(NOW + 1)
    assert [one.session for one in sessions.pending()] == ["untold"]
    assert sessions.receipts() == []
    assert sessions.sessions_like("") == ["untold"]
