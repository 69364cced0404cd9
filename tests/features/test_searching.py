"""Search: what is found, where, and how it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gitmem.features.recall.finding import STRATEGIES
from gitmem.features.recalling import texts
from gitmem.features.searching import search
from gitmem.model.config import row_of
from gitmem.model.errors import Ambiguous, NotFound, UsageError

from tests.store import kit
from tests.store.kit import unsynced as unsynced


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[kit.Memory]:
    memory = kit.new_memory(tmp_path / "repo")
    yield memory
    memory.close()


def titles(memory: kit.Memory, query: str, **more: Any) -> list[str]:
    return [hit["title"] for hit in search(memory.workspace, query, **more).hits]


def test_strategies_are_those_that_can_be_configured() -> None:
    row = row_of("retrieval.match_strategy")
    assert row is not None
    assert set(row.choices) == set(STRATEGIES)


def test_a_hit_says_where_the_entry_is_and_what_of_it_fits(memory: kit.Memory) -> None:
    made = memory.add("Storage of reports", "decision")
    found = search(memory.workspace, "postgresql")
    assert found.commit == memory.tip
    (hit,) = found.hits
    assert {**hit, "score": 0} == {
        "id": made.id,
        "title": "Storage of reports",
        "category": "decision",
        "target": "register/decisions/storage-of-reports",
        "slug": "storage-of-reports",
        "score": 0,
        "snippet": hit["snippet"],
        "matches": hit["matches"],
    }
    assert hit["score"] > 0
    assert [hit["snippet"][start:end] for start, end in hit["matches"]] == ["PostgreSQL"]


def test_only_active_entries_unless_others_are_asked_for(memory: kit.Memory) -> None:
    for title, move in (("Plan one", ""), ("Plan two", "retire"), ("Plan three", "archive")):
        one = memory.add(title)
        if move:
            memory.move(move, one.id, "over")
    for strategy in STRATEGIES:
        assert titles(memory, "plan", strategy=strategy) == ["Plan one"]
        more = titles(memory, "plan", strategy=strategy, include_retired=True)
        assert set(more) == {"Plan one", "Plan two"}
        more = titles(memory, "plan", strategy=strategy, archived=True)
        assert set(more) == {"Plan one", "Plan three"}


def test_category_is_a_filter_and_must_exist(memory: kit.Memory) -> None:
    memory.add("Queue notes")
    memory.add("Queue overflow", "runbook")
    assert titles(memory, "queue", category="runbook") == ["Queue overflow"]
    with pytest.raises(UsageError) as caught:
        search(memory.workspace, "queue", category="runbok")
    assert "runbook" in str(caught.value.expected)


def test_an_older_commit_answers_as_it_did_then(memory: kit.Memory) -> None:
    one = memory.add("Queue", content={"body": "We use RabbitMQ."})
    memory.add("Holes in the road")
    before = memory.tip
    then = search(memory.workspace, "which queue: rabbitmq?", explain=True)
    memory.edit(one.id, "body=We use Kafka.")
    memory.add("Another queue")
    assert titles(memory, "rabbitmq") == []
    again = search(memory.workspace, "which queue: rabbitmq?", explain=True, at=before)
    assert again == then


def test_identifiers_paths_other_scripts_and_accents_find_their_entry(memory: kit.Memory) -> None:
    memory.add("Accounts", content={"body": "getUserById reads it."})
    memory.add(
        "Pool", content={"body": "Its size is set in the code."}, related_files=["src/db.py"]
    )
    memory.add("发布流程", content={"body": "数据库迁移在部署之前运行"})
    memory.add("Café in Zürich")
    memory.add("Lunch")
    asked = {
        "user id": "Accounts",
        "get_user_by_id": "Accounts",
        "db.py": "Pool",
        "部署之前做什么": "发布流程",
        "zurich cafe": "Café in Zürich",
    }
    assert {query: titles(memory, query)[0] for query in asked} == asked


def test_unknown_sections_are_found_too(memory: kit.Memory) -> None:
    from tests.helpers import commit_files

    text = kit.entry_text("tr0123456789", "By hand", "## Aside\n\nThe walrus.", "decision")
    commit_files(memory.repo, {"register/decisions/by-hand.md": text})
    hand = (
        "---\nid: tr0123456780\ncategory: runbook\ntitle: Drill\ncreated: 2026-11-18T07:12:03Z\n"
        "tags: [hand]\n---\n\n## Trigger\n\nSmoke.\n\n## Steps\n\n- Leave.\n\n"
        "## Verification\n\nOut.\n\n## Aside\n\nThe walrus watches.\n"
    )
    commit_files(memory.repo, {"register/runbooks/drill.md": hand})
    assert titles(memory, "walrus") == ["Drill"]


def test_a_chosen_word_is_no_text(memory: kit.Memory) -> None:
    memory.add("Storage", "decision")
    assert titles(memory, "accepted") == []


def test_title_tags_counts_points_and_explains_them(memory: kit.Memory) -> None:
    memory.add("Database cache", tags=["cache"])
    memory.add("Caching layer", tags=["speed"])
    found = search(memory.workspace, "cache data", strategy="title_tags", explain=True).hits
    assert [(hit["title"], hit["score"]) for hit in found] == [("Database cache", 7.0)]
    assert found[0]["why"] == [
        "cache: in the title, 2 points each",
        "cache: a tag, 3 points each",
        "data: begins one of them, 1 point each",
        "changed lately: 1 point",
    ]
    memory.clock.tick(40 * kit.DAY)
    later = search(memory.workspace, "cache data", strategy="title_tags").hits
    assert later[0]["score"] == 6.0


def test_description_of_a_category_counts_for_title_tags(memory: kit.Memory) -> None:
    memory.add("Queue", "runbook")
    memory.set("categories.runbook.description", "outages and incidents")
    found = search(memory.workspace, "incidents in the queue", strategy="title_tags", explain=True)
    assert "words of its category's description: 1 points" in found.hits[0]["why"]


def test_short_words_find_something_with_every_strategy(memory: kit.Memory) -> None:
    memory.add("Redis")
    assert [titles(memory, "redis", strategy=name) for name in STRATEGIES] == [["Redis"]] * 3


def test_keywords_look_at_whole_entries_when_told(memory: kit.Memory) -> None:
    memory.add("Printer", content={"body": "First line.\nIt is on floor three."})
    assert titles(memory, "floor", strategy="keywords") == []
    assert titles(memory, "floor", strategy="keywords", content=True) == ["Printer"]
    memory.set("retrieval.content", True)
    memory.set("retrieval.match_strategy", "keywords")
    assert titles(memory, "floor") == ["Printer"]


def test_limit_keeps_the_best(memory: kit.Memory) -> None:
    for number in range(5):
        memory.add(f"Queue number {number}")
    for strategy in STRATEGIES:
        assert len(titles(memory, "queue", strategy=strategy, limit=3)) == 3
    assert titles(memory, "queue", limit=0) == []


def test_explanation_names_words_and_fields(memory: kit.Memory) -> None:
    memory.add("Rollback", content={"body": "How to roll back."}, keywords=["deploy"])
    (hit,) = search(memory.workspace, "deploy", explain=True).hits
    assert any("in keywords" in reason for reason in hit["why"])
    assert "why" not in search(memory.workspace, "deploy").hits[0]


def test_recall_gives_the_text_alone(memory: kit.Memory) -> None:
    memory.add("A fact", content={"body": "Line one.\n\nLine two."})
    memory.add("A choice", "decision")
    found = texts(memory.workspace, ["a-fact", "a-choice"])
    assert found.commit == memory.tip
    assert found.entries[0]["text"] == "Line one.\n\nLine two."
    assert found.entries[1]["text"].startswith("## Context\n\nReports need JSON queries.\n\n## Dec")


@pytest.mark.parametrize(
    "name",
    [
        "a-fact",
        "a-fact.md",
        "memory/a-fact.md",
        "register/notes/a-fact",
        ".claude/memory/register/notes/a-fact.md",
    ],
)
def test_recall_takes_every_form_of_a_name(memory: kit.Memory, name: str) -> None:
    made = memory.add("A fact")
    assert texts(memory.workspace, [name]).entries[0]["id"] == made.id


def test_recall_of_nothing_and_of_two_is_refused(memory: kit.Memory) -> None:
    memory.add("A fact")
    memory.add("A fact", "procedure")
    with pytest.raises(NotFound):
        texts(memory.workspace, ["nothing"])
    with pytest.raises(Ambiguous):
        texts(memory.workspace, ["a-fact"])


def test_recall_of_an_entry_without_text_gives_its_title(memory: kit.Memory) -> None:
    memory.add("Nothing but a title", content={"body": ""})
    assert texts(memory.workspace, ["nothing-but-a-title"]).entries[0]["text"] == (
        "Nothing but a title"
    )
