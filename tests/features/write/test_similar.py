"""Points by title and tags, and the entries that a new one resembles."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from gitmem.features.recall.title_tags import STOP_WORDS, points, tokens
from gitmem.features.write.similar import Row, similar

CASES = Path(__file__).parents[2] / "data" / "candidate.jsonl"


def _stores() -> list[dict[str, Any]]:
    return [json.loads(line) for line in CASES.read_bytes().splitlines()]


@pytest.mark.parametrize("store", _stores(), ids=range(len(_stores())))
def test_points_are_those_of_the_original(store: dict[str, Any]) -> None:
    checked = 0
    for case in store["answers"]:
        asked = tokens(case["new_info"])
        scores = [
            points(asked, tokens(entry["title"]), entry["tags"])
            for entry in store["entries"]
            if entry["category"] == case["category"] and entry["state"] == "active"
        ]
        hint = re.search(r"score=(\d+)", " ".join(case["answer"]["hints"]))
        best = max(scores, default=0)
        assert best == int(hint[1]) if hint else best < 3
        checked += 1
    assert checked


def test_a_word_counts_as_title_word_and_as_tag() -> None:
    assert points(tokens("cache"), tokens("The cache"), ("cache",)) == 5


def test_a_prefix_counts_once_and_only_forwards() -> None:
    title = tokens("Caching caches")
    assert points(tokens("cach"), title, ("cached",)) == 1
    assert points(tokens("cachingx"), title, ()) == 0
    assert points(tokens("cac"), title, ()) == 0


def test_a_tag_of_two_words_never_equals_a_word() -> None:
    assert points(tokens("data base"), frozenset(), ("data base",)) == 1


def test_stop_words_and_short_words_do_not_count() -> None:
    assert len(STOP_WORDS) == 64
    assert tokens("Where would YOU put it, DB-side?") == {"put", "side"}


def test_similar_names_the_best_three_and_nothing_weak() -> None:
    rows = [
        Row("tr0000000001", "Use PostgreSQL over MySQL", ("database", "postgres")),
        Row("tr0000000002", "Database backups", ("database",)),
        Row("tr0000000003", "Tabs over spaces", ("style",)),
        Row("tr0000000004", "PostgreSQL upgrade", ("postgres",)),
        Row("tr0000000005", "Postgres tuning of the database", ("postgres", "database")),
        Row("tr0000000006", "Use a queue", ("queue",)),
    ]
    found = similar("PostgreSQL as the database", ["postgres", "database"], rows)
    assert found == [
        {"id": "tr0000000005", "title": "Postgres tuning of the database"},
        {"id": "tr0000000001", "title": "Use PostgreSQL over MySQL"},
        {"id": "tr0000000002", "title": "Database backups"},
    ]
    assert similar("Something else", ["other"], rows) == []
    assert similar("", [], rows) == []


def test_similar_is_the_same_in_any_order_of_rows() -> None:
    rows = [Row(f"tr000000000{n}", "Cache the index", ("cache",)) for n in range(6)]
    assert similar("Cache", ["cache"], rows) == similar("Cache", ["cache"], rows[::-1])
