"""The library's page tells the truth: its examples run, in order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.helpers import git

PAGE = Path(__file__).parents[2] / "docs" / "library.md"


def test_every_example_of_the_library_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "--quiet")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    examples = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    for example in examples:
        exec(compile(example, str(PAGE), "exec"), names)
    assert len(examples) > 5
