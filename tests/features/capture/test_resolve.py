"""The table that settles what structure and an agent want."""

from __future__ import annotations

import pytest
from gitmem.features.capture.candidate import Row, select
from gitmem.features.capture.resolve import ACTIONS, STRUCTURAL, resolve
from gitmem.model.errors import InputError


@pytest.mark.parametrize(
    ("structural", "proposed", "action"),
    [
        ("CREATE", "CREATE", "CREATE"),
        ("UPDATE_OR_DELETE", "UPDATE", "UPDATE"),
        ("UPDATE_OR_DELETE", "DELETE", "DELETE"),
        ("CREATE", "UPDATE", "CREATE"),
        ("CREATE", "DELETE", "NOOP"),
        ("UPDATE_OR_DELETE", "CREATE", "CREATE"),
        ("UPDATE", "UPDATE", "UPDATE"),
        ("UPDATE", "CREATE", "CREATE"),
        ("UPDATE", "DELETE", "NOOP"),
        ("NOOP", "CREATE", "NOOP"),
        ("NOOP", "UPDATE", "NOOP"),
        ("NOOP", "DELETE", "NOOP"),
        *((structural, "NOOP", "NOOP") for structural in STRUCTURAL),
    ],
)
def test_the_table(structural: str, proposed: str, action: str) -> None:
    assert resolve(structural, proposed).action == action
    assert resolve(structural.lower(), f" {proposed.lower()} ").action == action


def test_every_pair_has_an_answer_with_a_reason() -> None:
    for structural in STRUCTURAL:
        for proposed in ACTIONS:
            assert resolve(structural, proposed).rationale


def test_a_veto_forbids_only_the_action_it_names() -> None:
    verdict = select("decision", "cache keys", [Row("a", "Cache keys", ())])
    assert verdict.vetoes
    assert resolve(verdict.structural_cud, "UPDATE", verdict.vetoes).action == "UPDATE"
    assert resolve(verdict.structural_cud, "DELETE", verdict.vetoes).action == "NOOP"


def test_a_veto_of_what_would_be_done_is_obeyed_and_told() -> None:
    answer = resolve("UPDATE_OR_DELETE", "DELETE", ["Cannot DELETE runbook (pinned)"])
    assert answer.to_json() == {
        "action": "NOOP",
        "rationale": "veto: Cannot DELETE runbook (pinned)",
    }


def test_a_veto_that_names_no_action_forbids_all() -> None:
    assert resolve("CREATE", "CREATE", ["the store is frozen"]).action == "NOOP"


def test_what_the_table_makes_of_a_forbidden_wish_may_be_done() -> None:
    vetoes = ["Cannot UPDATE with 0 candidates", "Cannot DELETE with 0 candidates"]
    assert resolve("CREATE", "UPDATE", vetoes).action == "CREATE"


@pytest.mark.parametrize(("structural", "proposed"), [("MAYBE", "CREATE"), ("CREATE", "VETO")])
def test_unknown_words_are_refused(structural: str, proposed: str) -> None:
    with pytest.raises(InputError):
        resolve(structural, proposed)
