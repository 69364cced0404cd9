"""What recall asks of the index: right after every kind of change, and filtered."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from gitmem.features.recall import ranked
from gitmem.features.upkeep.collect import gc
from gitmem.index.analyser import stem
from gitmem.index.db import index_file
from gitmem.index.search import TermSource

from tests.store import kit
from tests.store.kit import unsynced as unsynced


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[kit.Memory]:
    memory = kit.new_memory(tmp_path / "repo")
    yield memory
    memory.close()


def source(memory: kit.Memory, **more: object) -> TermSource:
    return TermSource(memory.store.snapshot().index, **more)  # type: ignore[arg-type]


def found(asked: TermSource, text: str) -> list[str]:
    """The titles that a query finds, best first."""
    hits = ranked.search(text, asked, 10)
    entries = asked.entries([hit.row for hit in hits])
    return [entries[hit.row].title for hit in hits]


def test_empty_memory_has_no_terms(memory: kit.Memory) -> None:
    asked = source(memory)
    assert (asked.count, asked.average) == (0, 1.0)
    assert asked.frequencies(["database"]) == {}
    assert asked.stored([]) == []


def test_frequencies_count_entries_not_words(memory: kit.Memory) -> None:
    memory.add("Valkey valkey", content={"body": "valkey"}, tags=["valkey"])
    memory.add("Valkey once")
    term = stem("valkey")
    assert source(memory).frequencies([term, "absent"]) == {term: 2}


def test_update_takes_back_the_words_that_went(memory: kit.Memory) -> None:
    one = memory.add("The cache", content={"body": "It is kept in Memcached."})
    assert found(source(memory), "memcached") == ["The cache"]
    memory.edit(one.id, "body=It is kept in Valkey.")
    assert found(source(memory), "valkey") == ["The cache"]
    assert found(source(memory), "memcached") == []
    assert source(memory).frequencies([stem("memcached"), stem("valkey")]) == {stem("valkey"): 1}
    kit.assert_index_is_true(memory)


def test_what_gc_takes_away_leaves_no_words(memory: kit.Memory) -> None:
    one = memory.add("Zanzibar")
    memory.move("retire", one.id, "over")
    memory.clock.tick(100 * kit.DAY)
    gc(memory.workspace)
    assert source(memory).frequencies([stem("zanzibar")]) == {}
    assert source(memory).count == 0
    kit.assert_index_is_true(memory)


def test_an_entry_moves_between_tiers_with_its_words(memory: kit.Memory) -> None:
    one = memory.add("Quicksilver")
    memory.move("retire", one.id, "over")
    assert found(source(memory), "quicksilver") == []
    assert found(source(memory, tiers=("retired",)), "quicksilver") == ["Quicksilver"]
    memory.move("restore", one.id)
    assert found(source(memory), "quicksilver") == ["Quicksilver"]
    kit.assert_index_is_true(memory)


def test_categories_and_ids_are_left_out(memory: kit.Memory) -> None:
    note = memory.add("Queue of notes")
    memory.add("Queue runbook", "runbook")
    assert found(source(memory, categories_off=frozenset({"runbook"})), "queue") == [
        "Queue of notes"
    ]
    assert found(source(memory, category="runbook"), "queue") == ["Queue runbook"]
    assert found(source(memory, hide=frozenset({note.id})), "queue") == ["Queue runbook"]
    assert [one.title for one in source(memory, category="runbook").all_entries()] == [
        "Queue runbook"
    ]


def test_entries_of_one_session_stand_in_the_order_of_their_making(memory: kit.Memory) -> None:
    titles = ["Zebra", "Antelope", "Mongoose"]
    for title in titles:
        memory.add(title)
    memory.workspace.session = None
    memory.add("Stray")

    def places(asked: TermSource) -> list[tuple[str, int]]:
        rows = [row for title in titles for row in asked.rows(stem(title.lower()), 10)]
        entries = asked.entries(rows)
        stored = asked.stored(rows)
        assert len({session for _, _, session, _ in stored}) == 1
        return sorted((entries[row].title, place) for row, _, _, place in stored)

    expected = [("Antelope", 2), ("Mongoose", 3), ("Zebra", 1)]
    assert places(source(memory)) == expected
    memory.store.rebuild_index()
    assert places(source(memory)) == expected
    asked = source(memory)
    stray = asked.stored(asked.rows(stem("stray"), 10))[0]
    assert stray[2] not in {
        session for _, _, session, _ in asked.stored(asked.rows(stem("zebra"), 10))
    }


def test_words_near_a_mistyped_one_are_known(memory: kit.Memory) -> None:
    memory.add("Kubernetes cluster")
    assert found(source(memory), "kubernets") == ["Kubernetes cluster"]


def test_more_rows_than_one_query_takes(memory: kit.Memory) -> None:
    asked = source(memory)
    assert asked.stored(range(1, 100_000)) == []
    assert asked.frequencies(f"term{number}" for number in range(2_000)) == {}


def test_a_bare_connection_answers_as_the_index_does(memory: kit.Memory) -> None:
    memory.add("Postgres tuning")
    memory.add("Lunch")
    memory.close()
    connection = sqlite3.connect(index_file(memory.store.folder))
    assert found(TermSource(connection), "postgres") == ["Postgres tuning"]
    connection.close()


def test_the_source_and_the_ranking_load_nothing_slow() -> None:
    code = (
        "import sys; before = set(sys.modules); import gitmem.index.search,"
        " gitmem.features.recall.ranked; print(*(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    slow = {"dataclasses", "typing", "re", "pathlib", "json", "sqlite3", "enum", "inspect"}
    assert not slow & set(done.stdout.split())
