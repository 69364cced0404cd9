"""Candidate selection answers as the original program does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from gitmem.features.capture.candidate import Excerpt, Row, key_fields, select
from gitmem.model.categories import BUILT_IN, category_named
from gitmem.model.errors import InputError
from gitmem.model.slug import slugify

CASES = Path(__file__).parents[2] / "data" / "candidate.jsonl"


def stores() -> list[dict[str, Any]]:
    return [json.loads(line) for line in CASES.read_bytes().splitlines()]


@pytest.mark.parametrize("store", stores(), ids=range(len(stores())))
def test_every_answer_is_the_original_s(store: dict[str, Any]) -> None:
    for case in store["answers"]:
        category = case["category"]
        active = {
            entry["title"]: entry
            for entry in store["entries"]
            if entry["category"] == category and entry["state"] == "active"
        }
        rows = [Row(slugify(title), title, tuple(e["tags"])) for title, e in active.items()]
        verdict = select(category, case["new_info"], rows, case["lifecycle_event"])
        answer = verdict.to_json()
        found = verdict.candidate
        answer["candidate"] = found and found.title
        answer["key_fields"] = found and key_fields(
            BUILT_IN[category], active[found.title]["content"]
        )
        assert answer == case["answer"], case["new_info"]


def test_an_empty_store_says_create_and_with_an_event_nothing() -> None:
    assert select("runbook", "queue worker hangs", []).structural_cud == "CREATE"
    assert select("runbook", "queue worker hangs", [], "resolved").structural_cud == "NOOP"


def test_of_equals_the_first_path_is_the_candidate() -> None:
    rows = [Row("b", "Cache keys", ()), Row("a", "Keys cache", ())]
    found = select("note", "cache keys", rows).candidate
    assert found is not None
    assert found.path == "a"


def test_an_unknown_event_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        select("runbook", "queue", [], "finished")
    assert caught.value.field == "lifecycle_event"


def test_the_answer_shows_the_candidate_s_excerpt() -> None:
    rows = [Row("register/notes/cache-keys", "Cache keys", ("cache",))]
    excerpt = Excerpt("Cache keys", "active", ("cache",), "Initial creation", {"body": "x"})
    shown = select("note", "cache keys", rows).to_json(excerpt, id="tr0123456789")["candidate"]
    assert shown == {
        "path": "register/notes/cache-keys",
        "title": "Cache keys",
        "tags": ["cache"],
        "excerpt": excerpt.to_json(),
        "id": "tr0123456789",
    }


def test_key_fields_are_cut_and_know_free_bodies_and_other_categories() -> None:
    assert key_fields(category_named("note"), {"body": "x" * 500}) == {"body": "x" * 200}
    assert key_fields(category_named("daily_log"), {"lines": ["a", "b"]}) == {"lines": "a; b"}
    assert key_fields(category_named("decision"), {"context": None}) == {}
