"""Every benchmark runs; how fast anything is, is for `scripts/bench` to say."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from benchmarks import MODULES
from benchmarks.measure import SMALL
from benchmarks.stores import Place


@pytest.mark.parametrize("name", MODULES)
def test_the_benchmark_measures_something(name: str, tmp_path: Path) -> None:
    results = list(import_module(MODULES[name]).measure(Place(tmp_path, SMALL)))
    assert results
    assert all(result.value >= 0 and result.absolute for result in results)
