"""The hook keeps silent where no entry is about the prompt; `search` never does."""

from __future__ import annotations

import pytest
from gitmem.features.recall import ranked

from tests.features.recall.sources import MemorySource
from tests.features.recall.test_ranked import filled


@pytest.mark.parametrize(
    "prompt",
    [
        "hello there, how are you today?",
        "thanks a lot, that was really helpful",
        "ok great, please continue",
        "can you do the same for the other one",
        "that didn't work, same error as before",
        "write a haiku about autumn leaves over a mountain lake",
        "what is the capital of Mongolia",
        "ありがとうございます、続けてください",
        "谢谢，继续吧",
    ],
)
def test_a_greeting_or_another_subject_gets_nothing(prompt: str) -> None:
    assert ranked.recall(prompt, filled(), 5) == []


@pytest.mark.parametrize(
    ("prompt", "row"),
    [
        ("the migration fails on my machine", 1),
        ("where do session cookies go", 2),
        ("why are webhook deliveries stuck again", 3),
        ("火曜日の会議は何時ですか", 4),
        ("what holds Redis for us", 2),
        ("fix get_user_by_id please", 3),
    ],
)
def test_a_prompt_that_an_entry_is_about_gets_it(prompt: str, row: int) -> None:
    assert ranked.recall(prompt, filled(), 5)[0].row == row


def test_a_short_prompt_gets_nothing_and_search_still_answers() -> None:
    assert ranked.recall("migration", filled(), 5) == []
    assert ranked.search("migration", filled(), 5)


def test_the_same_order_as_search_once_it_speaks() -> None:
    source = filled()
    prompt = "session cookies and login in Redis"
    found = [(hit.row, hit.score) for hit in ranked.recall(prompt, source, 5)]
    assert found == [(hit.row, hit.score) for hit in ranked.search(prompt, source, 5)]


def test_one_word_of_any_topic_is_not_enough_but_a_name_is() -> None:
    source = MemorySource()
    source.add("Tobias learns pottery on Mondays")
    source.add("The window of the workshop is broken")
    for number in range(30):
        source.add(f"Filler number {number} about nothing")
    assert ranked.recall("please clean every window of the castle", source, 5) == []
    assert ranked.recall("When did somebody last meet Tobias?", source, 5)
