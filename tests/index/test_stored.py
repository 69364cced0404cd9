"""What the index keeps of an entry for recall."""

from __future__ import annotations

import pytest
from gitmem.index.stored import FIELDS, MOST_BODY, distinct, length, stored_words


def fields(**given: object) -> dict[str, list[str]]:
    words = stored_words(**given)  # type: ignore[arg-type]
    return dict(zip(FIELDS, (line.split() for line in words.split("\n")), strict=True))


def test_each_field_has_its_line() -> None:
    found = fields(
        title="Use Redis",
        body="Sessions live there",
        when="the prompt mentions login",
        keywords=["cache"],
        tags=["auth"],
        created="2026-03-09T00:00:00Z",
    )
    assert found == {
        "keywords": ["cach"],
        "title": ["use", "redis"],
        "when": ["prompt", "mention", "login"],
        "tags": ["auth"],
        "note": [],
        "body": ["session", "liv"],
        "date": ["march", "9", "2026"],
    }


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("The staging database is read-only", "The staging database is read-only on Fridays."),
        ("The staging database is …", "The staging  database\nis read-only on Fridays."),
        ("Redis", "Redis"),
    ],
)
def test_a_title_that_only_begins_the_body_counts_once(title: str, body: str) -> None:
    found = fields(title=title, body=body)
    assert found["note"]
    assert not found["title"]
    assert not found["body"]


def test_a_title_of_its_own_stays_beside_the_body() -> None:
    found = fields(title="Read-only staging", body="The database is closed on Fridays.")
    assert found["title"]
    assert found["body"]
    assert not found["note"]


def test_a_long_body_is_cut() -> None:
    body = " ".join(f"word{number}" for number in range(5_000))
    assert len(fields(title="Long", body=body)["body"]) == MOST_BODY


def test_distinct_and_length_count_over_all_fields() -> None:
    words = stored_words(title="cache cache", tags=["cache"], created="2026-03-09")
    assert distinct(words) == {"cach", "march", "9", "2026"}
    assert length(words) == 6
