"""Every command on an entry in every state: its answer, or its error (ORIGINALS 9 and 10)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gitmem.features import lifecycle, reading
from gitmem.features.lifecycle import Request
from gitmem.features.undo import undo_commit
from gitmem.features.upkeep.collect import gc
from gitmem.model.errors import (
    GitmemError,
    NotFound,
    RestoreError,
    SecretFound,
    UpdateError,
    ValidationError,
)
from gitmem.model.times import format_time

from tests.helpers import git
from tests.store import kit
from tests.store.kit import unsynced as unsynced


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[kit.Memory]:
    memory = kit.new_memory(tmp_path / "repo")
    yield memory
    memory.close()


STATES: dict[str, tuple[str, ...]] = {
    "working": ("promote",),
    "register": (),
    "archive": ("archive",),
    "retired": ("retire",),
}
ANSWERS = {
    # command: what it answers to an entry in working, register, archive, retired
    "retire": ("retired", "retired", "DELETE_ERROR", "already_retired"),
    "restore": ("already_active", "already_active", "RESTORE_ERROR", "restored"),
    "archive": ("archived", "archived", "already_archived", "ARCHIVE_ERROR"),
    "unarchive": ("UNARCHIVE_ERROR", "UNARCHIVE_ERROR", "unarchived", "UNARCHIVE_ERROR"),
    "promote": ("already_working", "promoted", "UPDATE_ERROR", "UPDATE_ERROR"),
    "demote": ("demoted", "already_register", "UPDATE_ERROR", "UPDATE_ERROR"),
    "pin": ("pinned", "pinned", "UPDATE_ERROR", "UPDATE_ERROR"),
    "unpin": ("already_unpinned", "already_unpinned", "UPDATE_ERROR", "UPDATE_ERROR"),
    "snooze": ("snoozed", "snoozed", "UPDATE_ERROR", "UPDATE_ERROR"),
    "review": ("reviewed", "reviewed", "UPDATE_ERROR", "UPDATE_ERROR"),
    "appreciate": ("appreciated", "appreciated", "UPDATE_ERROR", "UPDATE_ERROR"),
    "supersede": ("superseded", "superseded", "superseded", "UPDATE_ERROR"),
}
MARKS: dict[str, Callable[[kit.Memory, str], object]] = {
    "pin": lambda memory, ref: lifecycle.pin(memory.workspace, Request(ref)),
    "unpin": lambda memory, ref: lifecycle.pin(memory.workspace, Request(ref), pinned=False),
    "snooze": lambda memory, ref: lifecycle.snooze(memory.workspace, Request(ref)),
    "review": lambda memory, ref: lifecycle.review(memory.workspace, Request(ref)),
    "appreciate": lambda memory, ref: lifecycle.appreciate(memory.workspace, Request(ref)),
    "supersede": lambda memory, ref: lifecycle.supersede(memory.workspace, Request(ref)),
}


def do(memory: kit.Memory, command: str, ref: str) -> str:
    """What the command answers, or the code of its error."""
    try:
        if command in MARKS:
            memory.clock.tick()
            return str(MARKS[command](memory, ref).status)  # type: ignore[attr-defined]
        return memory.move(command, ref).status
    except GitmemError as error:
        assert error.fix
        return error.code


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("command", ANSWERS)
def test_each_command_answers_to_each_state(memory: kit.Memory, command: str, state: str) -> None:
    one = memory.add("An entry")
    for move in STATES[state]:
        memory.move(move, one.id)
    before = memory.tip
    expected = ANSWERS[command][list(STATES).index(state)]
    assert do(memory, command, one.id) == expected
    changes = not expected.startswith("already_") and expected.islower()
    assert (memory.tip != before) == changes


@pytest.mark.parametrize("command", ANSWERS)
def test_a_command_on_nothing_finds_nothing(memory: kit.Memory, command: str) -> None:
    expected = "RESTORE_ERROR" if command == "restore" else "NOT_FOUND"
    assert do(memory, command, "tr0123456789") == expected


@pytest.mark.parametrize("command", ["retire", "archive", "pin", "snooze", "review", "supersede"])
def test_a_repeated_command_says_so_and_writes_nothing(memory: kit.Memory, command: str) -> None:
    one = memory.add("An entry")
    first = do(memory, command, one.id)
    before = memory.tip
    memory.clock.tick(-60)
    assert do(memory, command, one.id) == f"already_{first}"
    assert memory.tip == before


@pytest.mark.parametrize(("away", "back"), [("retire", "restore"), ("archive", "unarchive")])
@pytest.mark.parametrize("tier", ["working", "register"])
def test_an_entry_comes_back_to_the_tier_that_it_left(
    memory: kit.Memory, away: str, back: str, tier: str
) -> None:
    one = memory.add("An entry", tier=tier)
    assert memory.move(away, one.id).target.split("/")[0] != tier
    assert memory.move(back, one.id).target == f"{tier}/notes/an-entry"


def test_an_entry_comes_back_to_the_tier_it_left_last(memory: kit.Memory) -> None:
    one = memory.add("An entry")
    for move in ("retire", "restore", "promote", "retire"):
        memory.move(move, one.id)
    assert memory.move("restore", one.id).target == "working/notes/an-entry"


def test_a_repeated_answer_names_the_state_it_saw(memory: kit.Memory) -> None:
    one = memory.add("An entry")
    memory.move("retire", one.id, "obsolete")
    answer = memory.move("retire", one.id, "again").to_json()
    assert answer["commit"] == memory.tip
    assert answer["target"] == "retired/notes/an-entry"


# Retiring and restoring


def test_a_retirement_tells_its_reason_and_time(memory: kit.Memory) -> None:
    one = memory.add("An entry")
    assert memory.move("retire", one.id, "obsolete").reason == "obsolete"
    shown = reading.show(memory.workspace, one.id)
    assert shown["retired_reason"] == "obsolete"
    assert shown["retired_at"] == format_time(memory.clock.now)
    memory.move("restore", one.id)
    assert "retired_at" not in reading.show(memory.workspace, one.id)


def test_a_retirement_without_a_reason_says_so(memory: kit.Memory) -> None:
    one = memory.add("An entry")
    assert memory.move("retire", one.id).reason == "No reason provided"
    assert reading.show(memory.workspace, one.id)["retired_reason"] == "No reason provided"


def test_a_secret_in_a_reason_is_refused(memory: kit.Memory) -> None:
    one = memory.add("An entry")
    with pytest.raises(SecretFound):
        memory.move("retire", one.id, "AKIA" + "IOSFODNN7EXAMPLQ")
    assert reading.show(memory.workspace, one.id)["record_status"] == "active"


def test_a_late_restore_warns_and_one_past_the_grace_period_is_refused(
    memory: kit.Memory,
) -> None:
    one = memory.add("An entry")
    memory.move("retire", one.id)
    memory.clock.tick(8 * kit.DAY)
    answer = memory.move("restore", one.id)
    assert any("8 days" in warning for warning in answer.warnings)
    memory.move("retire", one.id)
    memory.clock.tick(30 * kit.DAY)
    with pytest.raises(RestoreError, match="30 days") as refused:
        memory.move("restore", one.id)
    assert "delete.grace_period_days" in str(refused.value.fix)
    memory.set("delete.grace_period_days", 60)
    assert memory.move("restore", one.id).status == "restored"


def test_a_collected_entry_is_brought_back_by_undo_and_then_restored(memory: kit.Memory) -> None:
    one = memory.add("An entry")
    memory.move("retire", one.id)
    memory.clock.tick(31 * kit.DAY)
    removed = str(gc(memory.workspace).removed[0]["commit"])
    with pytest.raises(RestoreError) as refused:
        memory.move("restore", one.id)
    assert f"gitmem undo {removed[:12]}" in str(refused.value.fix)
    undo_commit(memory.workspace, removed)
    assert memory.move("restore", one.id).target == "register/notes/an-entry"
    kit.assert_sound(memory)


# Marks


def test_a_pin_is_a_line_that_an_unpin_takes_away(memory: kit.Memory) -> None:
    one = memory.add("An entry")
    before = kit.tree_of(memory.repo)
    do(memory, "pin", one.id)
    assert "\npinned: true\n" in kit.file_at(memory.repo, "register/notes/an-entry.md")
    do(memory, "unpin", one.id)
    assert kit.tree_of(memory.repo) == before


def test_a_snooze_lasts_thirty_days_or_as_long_as_is_said(memory: kit.Memory) -> None:
    one = memory.add("An entry")
    now = memory.clock.now
    answer = lifecycle.snooze(memory.workspace, Request(one.id))
    assert answer.until == format_time(now + 30 * kit.DAY)
    lifecycle.snooze(memory.workspace, Request(one.id), now + 5)
    assert reading.show(memory.workspace, one.id)["snoozed_until"] == format_time(now + 5)
    for past in (now, now - 1):
        with pytest.raises(ValidationError) as refused:
            lifecycle.snooze(memory.workspace, Request(one.id), past)
        assert refused.value.field == "snoozed_until"


def test_a_review_counts_and_so_does_a_pin(memory: kit.Memory) -> None:
    one = memory.add("An entry")
    for command in ("review", "pin", "snooze", "supersede"):
        memory.clock.tick(kit.DAY)
        do(memory, command, one.id)
        now = format_time(memory.clock.now)
        assert reading.show(memory.workspace, one.id)["reviewed_at"] == now
    memory.edit(one.id, "body=changed")
    assert reading.show(memory.workspace, one.id)["reviewed_at"] == now


def test_appreciation_adds_up_and_nothing_is_no_amount(memory: kit.Memory) -> None:
    one = memory.add("An entry")
    for amount, total in ((1, 1), (5, 6), (-6, 0), (-2, -2)):
        answer = lifecycle.appreciate(memory.workspace, Request(one.id), amount)
        assert answer.appreciation == total
    with pytest.raises(ValidationError):
        lifecycle.appreciate(memory.workspace, Request(one.id), 0)
    with pytest.raises(ValidationError):
        lifecycle.appreciate(memory.workspace, Request(one.id), 10**9)


def test_superseding_edits_the_old_entry_only(memory: kit.Memory) -> None:
    old, new = memory.add("The old way", "decision"), memory.add("The new way", "decision")
    blob = memory.store.snapshot().find(new.id).blob
    answer = lifecycle.supersede(memory.workspace, Request(old.id), new.target)
    shown = reading.show(memory.workspace, old.id)
    assert (answer.status, shown["superseded_by"]) == ("superseded", new.id)
    assert shown["content"]["status"] == "superseded"
    assert shown["address"] == old.target
    assert memory.store.snapshot().find(new.id).blob == blob
    again = lifecycle.supersede(memory.workspace, Request(old.id), new.id)
    assert again.status == "already_superseded"


def test_superseding_without_a_successor_says_none(memory: kit.Memory) -> None:
    one = memory.add("An entry")
    lifecycle.supersede(memory.workspace, Request(one.id))
    assert reading.show(memory.workspace, one.id)["superseded_by"] == "none"
    with pytest.raises(UpdateError):
        lifecycle.supersede(memory.workspace, Request(one.id), one.id)
    with pytest.raises(NotFound):
        lifecycle.supersede(memory.workspace, Request(one.id), "nobody")


# Entities


def test_an_entity_is_never_promoted(memory: kit.Memory) -> None:
    one = memory.add("Mail server", "entity")
    with pytest.raises(UpdateError, match="entity"):
        memory.move("promote", one.id)


def test_an_entity_is_retired_archived_and_comes_back_to_its_folder(memory: kit.Memory) -> None:
    one = memory.add("Mail server", "entity")
    assert memory.move("retire", one.id).target == "retired/graph/mail-server"
    assert memory.move("restore", one.id).target == "graph/mail-server"
    assert memory.move("archive", one.id).target == "archive/graph/mail-server"
    assert memory.move("unarchive", one.id).target == "graph/mail-server"
    assert git(memory.repo, "ls-tree", "--name-only", "memory", "graph/") == "graph/mail-server.md"
