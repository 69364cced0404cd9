"""What a REF finds, and what a reader at an older commit sees."""

from __future__ import annotations

import pytest
from gitmem.model.categories import ACTIVE
from gitmem.model.errors import Ambiguous, NotFound, PathError, UsageError

from tests.helpers import commit_files
from tests.store import kit


def test_an_entry_is_found_by_id_prefix_slug_and_address(memory: kit.Memory) -> None:
    one = memory.add("Printer on floor three")
    memory.add("Another")
    for ref in (
        one.id,
        one.id[:6],
        "printer-on-floor-three",
        "register/notes/printer-on-floor-three",
        "register/notes/printer-on-floor-three.md",
    ):
        assert memory.store.snapshot().find(ref).id == one.id


@pytest.mark.parametrize("ref", ["nothing", "tr", "", "register/notes/nothing", "../../etc", "a/b"])
def test_what_names_nothing_is_not_found(memory: kit.Memory, ref: str) -> None:
    memory.add("Printer on floor three")
    with pytest.raises((NotFound, PathError)) as refused:
        memory.store.snapshot().find(ref)
    assert refused.value.exit_code == 1


def test_an_entry_isnt_found_at_the_address_that_it_left(memory: kit.Memory) -> None:
    one = memory.add("Printer on floor three")
    memory.move("archive", one.id)
    with pytest.raises(NotFound):
        memory.store.snapshot().find("register/notes/printer-on-floor-three")


def test_a_slug_of_two_folders_is_ambiguous_and_names_both(memory: kit.Memory) -> None:
    one, other = memory.add("The same name"), memory.add("The same name", "procedure")
    with pytest.raises(Ambiguous) as refused:
        memory.store.snapshot().find("the-same-name")
    assert {match["id"] for match in refused.value.details["matches"]} == {one.id, other.id}


def test_a_prefix_of_several_ids_is_ambiguous(memory: kit.Memory) -> None:
    commit_files(
        memory.repo,
        {
            "register/notes/a.md": kit.entry_text("traaaa000001", "A"),
            "register/notes/b.md": kit.entry_text("traaaa000002", "B"),
        },
    )
    with pytest.raises(Ambiguous):
        memory.store.snapshot().find("traaaa")
    assert memory.store.snapshot().find("traaaa000001").title == "A"


def test_an_older_commit_is_seen_as_it_was(memory: kit.Memory) -> None:
    one = memory.add("First title of it")
    then = memory.tip
    memory.edit(one.id, "title=Quite another name now")
    memory.move("retire", one.id)
    other = memory.add("Came later")
    past = memory.store.snapshot(then)
    assert past.commit == then
    assert [entry.title for entry in past.entries(ACTIVE)] == ["First title of it"]
    assert past.find("first-title-of-it").id == one.id
    assert len(past.history(one.id)) == 1
    with pytest.raises(NotFound):
        past.find(other.id)
    assert [entry.title for entry in memory.store.snapshot().entries(ACTIVE)] == ["Came later"]


def test_at_takes_a_commit_a_beginning_of_one_a_date_and_a_phrase(memory: kit.Memory) -> None:
    one = memory.add("First")
    memory.clock.tick(3 * kit.DAY)
    memory.add("Second")
    memory.clock.tick(3 * kit.DAY)
    # 1_790_000_000 is 2026-09-21.
    for at in (one.commit, one.commit[:10], "2026-09-21", "2026-09-22", "5 days ago"):
        past = memory.workspace.snapshot(at)
        assert [entry.title for entry in past.entries(ACTIVE)] == ["First"]
    assert list(memory.workspace.snapshot("2 weeks ago").entries(ACTIVE)) == []
    with pytest.raises(NotFound):
        memory.workspace.snapshot("1999-12-31")


def test_at_refuses_what_is_neither_commit_nor_date(memory: kit.Memory) -> None:
    with pytest.raises(UsageError):
        memory.workspace.snapshot("some day")
    with pytest.raises(NotFound):
        memory.workspace.snapshot("0" * 40)
    blob = memory.store.snapshot().find(memory.add("An entry").id).blob
    with pytest.raises(NotFound):
        memory.workspace.snapshot(blob)


def test_the_config_of_an_older_commit_counts_there(memory: kit.Memory) -> None:
    then = memory.add("An entry").commit
    memory.set("delete.grace_period_days", 3)
    assert memory.store.snapshot(then).config.get("delete.grace_period_days") == 30
    assert memory.store.snapshot().config.get("delete.grace_period_days") == 3
