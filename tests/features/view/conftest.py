"""A memory with a view."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.features.scratch import Scratch, scratch


@pytest.fixture
def memory(tmp_path: Path) -> Scratch:
    return scratch(tmp_path / "code")
