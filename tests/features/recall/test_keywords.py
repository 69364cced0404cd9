"""`keywords` matches as the original pre-search does."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from gitmem.features.recall.keywords import STOP_WORDS, search

CASES = Path(__file__).parents[2] / "data" / "keywords.jsonl"


@dataclass(frozen=True)
class Row:
    name: str
    keywords: list[str] = field(default_factory=list)
    when: str = ""
    body: str = ""


def stores() -> list[dict[str, Any]]:
    return [json.loads(line) for line in CASES.read_bytes().splitlines()]


def names(prompt: str, *rows: Row, content: bool = False) -> list[str]:
    return [row.name for row in search(prompt, rows, content=content)]


@pytest.mark.parametrize("store", stores(), ids=range(len(stores())))
def test_every_prompt_matches_what_the_original_matches(store: dict[str, Any]) -> None:
    rows = [Row(**memory) for memory in store["memories"]]
    for answer in store["answers"]:
        assert names(answer["prompt"], *rows) == answer["matched"], answer["prompt"]


def test_hits_come_in_the_order_of_their_names() -> None:
    assert names("the cache", Row("z-cache"), Row("a-cache")) == ["a-cache", "z-cache"]


def test_the_description_stands_in_only_where_there_are_no_keywords() -> None:
    described = Row("a", when="Recall for the parser.", body="lexer")
    keyed = Row("b", keywords=["queue"], when="Recall for the parser.")
    assert names("parser", described, keyed) == ["a"]
    assert names("lexer", described) == []
    assert names("lexer", Row("a", body="\n Lexer notes\nmore")) == ["a"]


def test_content_is_searched_only_when_asked() -> None:
    row = Row("a", keywords=["queue"], body="about the lexer")
    assert names("lexer", row) == []
    assert names("lexer", row, content=True) == ["a"]


def test_two_letters_match_whole_words_only_and_longer_words_parts_too() -> None:
    assert names("db", Row("a", keywords=["dbus"])) == []
    assert names("db", Row("a", keywords=["db"])) == ["a"]
    assert names("post", Row("a", keywords=["postgres"])) == ["a"]


def test_a_slip_in_a_long_word_still_matches() -> None:
    assert names("paralleliztion", Row("a", keywords=["parallelization"])) == ["a"]
    assert names("pasrer", Row("a", keywords=["parser"])) == []


def test_stop_words_match_nothing() -> None:
    assert len(STOP_WORDS) == 443
    assert names("the existing feature files", Row("existing-feature-files")) == []
