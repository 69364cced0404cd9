"""`title_tags` answers as the original program does."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from gitmem.features.recall.title_tags import search

CASES = Path(__file__).parents[2] / "data" / "title_tags.jsonl"
NOW = 1_800_000_000.0
DAY = 86_400.0


@dataclass(frozen=True)
class Row:
    title: str
    tags: tuple[str, ...] = ()
    category: str = "decision"
    days: float = 90
    retired: bool = False

    @property
    def updated(self) -> float:
        return NOW - self.days * DAY


def stores() -> list[dict[str, Any]]:
    return [json.loads(line) for line in CASES.read_bytes().splitlines()]


def found(prompt: str, *rows: Row, limit: int = 5, **more: Any) -> list[str]:
    return [row.title for row, _ in search(prompt, rows, limit, NOW, **more)]


@pytest.mark.parametrize("store", stores(), ids=range(len(stores())))
def test_every_prompt_shows_what_the_original_shows(store: dict[str, Any]) -> None:
    rows = [
        Row(entry["title"], tuple(entry["tags"]), entry["category"], entry["days_since_update"])
        for entry in store["entries"]
        if entry["state"] == "active"
    ]
    for answer in store["answers"]:
        hits = search(answer["prompt"], rows, store["max_inject"], NOW, store["descriptions"])
        assert [[row.category, row.title] for row, _ in hits] == answer["shown"], answer["prompt"]


def test_a_retired_entry_in_the_best_twenty_goes() -> None:
    rows = Row("Cache rules", retired=True), Row("Cache keys")
    assert found("what about the cache", *rows) == ["Cache keys"]


def test_a_recent_change_lifts_an_entry_and_thirty_days_and_a_half_are_recent() -> None:
    rows = Row("Cache a", days=31), Row("Cache b", days=30.5)
    assert found("what about the cache", *rows) == ["Cache b", "Cache a"]


def test_of_equals_the_higher_category_comes_first_then_the_title() -> None:
    rows = Row("cache z"), Row("Cache a", category="runbook"), Row("cache B")
    assert found("what about the cache", *rows) == ["cache B", "cache z", "Cache a"]


def test_a_category_that_nobody_ranked_comes_last() -> None:
    rows = Row("Cache a", category="note"), Row("Cache b", category="session_summary")
    assert found("what about the cache", *rows) == ["Cache b", "Cache a"]


def test_a_description_gives_at_most_two_points_and_finds_entries_by_itself() -> None:
    rows = Row("Queues", category="runbook"), Row("Database", category="decision")
    described = {"runbook": "database errors timeouts locks"}
    prompt = "database errors timeouts locks"
    hits = search(prompt, rows, 5, NOW, described)
    assert [(row.title, score) for row, score in hits] == [("Database", 2), ("Queues", 2)]


@pytest.mark.parametrize(
    "prompt", ["cache", "  cache   ", "what would you do", "キャッシュの話をしよう"]
)
def test_short_prompts_and_prompts_of_common_words_get_nothing(prompt: str) -> None:
    assert found(prompt, Row("Cache keys", ("cache",))) == []


def test_nothing_is_asked_for_nothing_is_given() -> None:
    assert found("what about the cache", Row("Cache keys"), limit=0) == []
