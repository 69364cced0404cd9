"""The candidate of a real store: which entry, what is told of it, what may be done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from gitmem.features.capture.selecting import candidate, without_store
from gitmem.model.errors import UsageError

from tests.store import kit
from tests.store.kit import unsynced as unsynced


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[kit.Memory]:
    memory = kit.new_memory(tmp_path / "repo")
    yield memory
    memory.close()


def test_the_candidate_is_shown_with_its_last_change(memory: kit.Memory) -> None:
    made = memory.add("Use PostgreSQL", "decision", tags=["Database"])
    memory.edit(made.id, "status=deprecated", reason="we moved on")
    answer = candidate(memory.workspace, "decision", "another database than postgresql")
    assert answer["commit"] == memory.tip
    assert answer["structural_cud"] == "UPDATE"
    found = answer["candidate"]
    assert found["path"] == "register/decisions/use-postgresql.md"
    assert (found["id"], found["target"]) == (made.id, "register/decisions/use-postgresql")
    assert found["excerpt"] == {
        "title": "Use PostgreSQL",
        "record_status": "active",
        "tags": ["database"],
        "last_change_summary": "we moved on",
        "key_fields": {
            "context": "Reports need JSON queries.",
            "decision": "All services use PostgreSQL 16.",
            "rationale": "The team knows it.; It is fast enough.",
        },
    }


def test_a_new_entry_s_last_change_is_its_creation(memory: kit.Memory) -> None:
    memory.add("Queue overflow", "runbook", tags=["queue"])
    found = candidate(memory.workspace, "runbook", "queue overflow", "resolved")
    assert found["candidate"]["excerpt"]["last_change_summary"] == "Initial creation"
    assert found["structural_cud"] == "UPDATE_OR_DELETE"


def test_other_categories_and_retired_entries_are_no_candidates(memory: kit.Memory) -> None:
    memory.add("Queue overflow", "note", tags=["queue"])
    gone = memory.add("Queue overflow", "runbook", tags=["queue"])
    memory.move("retire", gone.id, "over")
    answer = candidate(memory.workspace, "runbook", "queue overflow")
    assert (answer["candidate"], answer["pre_action"]) == (None, "CREATE")


def test_an_unknown_category_is_refused(memory: kit.Memory) -> None:
    with pytest.raises(UsageError):
        candidate(memory.workspace, "decisions", "queue")


def test_where_no_memory_is_nothing_can_be_a_candidate() -> None:
    assert without_store("decision", "a queue", None)["structural_cud"] == "CREATE"
    assert without_store("decision", "a queue", "removed")["structural_cud"] == "NOOP"
