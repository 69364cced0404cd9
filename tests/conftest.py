"""Fixtures for all tests: no test sees the user's home, git configuration or terminal."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.helpers import make_repository

settings.register_profile(
    "gitmem",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=100,
    # The only function-scoped fixture in reach is the environment, which examples don't change.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("gitmem")

UNWANTED_PREFIXES = ("GIT_", "GITMEM_", "CLAUDE", "XDG_", "ANTHROPIC_")
UNWANTED = {
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "EMAIL",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "COLUMNS",
    "LINES",
}


@pytest.fixture(autouse=True)
def clean_environment(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """An empty home, no git configuration, nothing that changes output. Returns the home."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name in UNWANTED or name.startswith(UNWANTED_PREFIXES):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A fresh ordinary repository on the unborn branch main."""
    return make_repository(tmp_path / "repo")


@pytest.fixture
def bare_repo(tmp_path: Path) -> Path:
    """A fresh bare repository."""
    return make_repository(tmp_path / "bare.git", bare=True)
