"""The ranking keeps the quality it had, on questions that no constant was chosen on."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "recall_quality.py"


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("recall_quality", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up by name.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def data(bench: Any) -> Any:
    entries, questions = bench.read_data()
    return bench.build(entries), [question for question in questions if question.half == "test"]


@pytest.mark.parametrize(
    ("kind", "least"),
    [("observations", 0.67), ("turns", 0.60), ("projects", 0.93), ("personal", 0.80)],
)
def test_the_entries_that_a_question_needs_are_among_the_first_five(
    bench: Any, data: Any, kind: str, least: float
) -> None:
    stores, questions = data
    asked = [question for question in questions if question.store in bench.KINDS[kind]]
    ranked = bench.STRATEGIES["ranked"]
    assert bench.recall_at(ranked, stores, asked, mixed=False)[-1] >= least


@pytest.mark.parametrize("kind", ["chitchat", "unrelated"])
def test_prompts_that_need_nothing_mostly_get_nothing(bench: Any, data: Any, kind: str) -> None:
    stores, questions = data
    prompts = [question for question in questions if question.kind == kind]
    hook = bench.STRATEGIES["ranked, hook"]
    assert bench.disturbed(hook, stores, prompts, mixed=False) <= 0.05


def test_ranked_beats_the_other_strategies_everywhere(bench: Any, data: Any) -> None:
    stores, questions = data
    for group in bench.KINDS.values():
        asked = [question for question in questions if question.store in group]
        best, *others = (
            bench.recall_at(bench.STRATEGIES[name], stores, asked, mixed=False)[-1]
            for name in ("ranked", "title_tags", "keywords")
        )
        assert all(best > other for other in others)


def test_entries_come_and_go_one_by_one_as_if_they_had_been_there_from_the_start(
    bench: Any,
) -> None:
    entries, questions = bench.read_data()
    kept, gone = entries[:40], entries[40:60]
    fresh, worn = bench.SqliteSource(), bench.SqliteSource()
    for row, entry in enumerate([*kept, *gone]):
        worn.add(row, entry.session, entry.words)
        worn.flush()
    for row in range(len(kept), len(kept) + len(gone)):
        worn.remove(row)
        worn.flush()
    for row, entry in enumerate(kept):
        fresh.add(row, entry.session, entry.words)
    fresh.flush()
    assert (fresh.count, fresh.average) == (worn.count, worn.average)
    for question in questions[:60]:
        found = [
            [(hit.row, hit.score) for hit in bench.ranked.search(question.text, source, 5)]
            for source in (fresh, worn)
        ]
        assert found[0] == found[1]
