"""A repository with a memory that the tests of the command line start from."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from gitmem.cli.main import main

from tests.conftest import UNWANTED_PREFIXES
from tests.helpers import git, make_repository

DECISION = {
    "category": "decision",
    "title": "Use feature flags",
    "tags": ["release"],
    "content": {
        "status": "accepted",
        "context": "Releases were large.",
        "decision": "Every change hides behind a flag.",
        "rationale": ["Small steps fail small."],
    },
}
CHANGED = {
    "category": "decision",
    "title": "Use PostgreSQL",
    "tags": ["database", "storage"],
    "content": {
        "status": "deprecated",
        "context": "Reports need JSON queries.",
        "decision": "All services use PostgreSQL 17.",
        "rationale": ["The team knows it.", "It is one thing less."],
    },
}


@dataclass(frozen=True)
class Result:
    """What a run printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        error = self.json["error"]
        assert isinstance(error, dict)
        return error


class Cli:
    """Runs command lines in this process, in the folder that it is in."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.patch = monkeypatch

    def __call__(self, *arguments: str, stdin: bytes = b"", **environ: str) -> Result:
        with self.patch.context() as patch:
            out, err = (io.TextIOWrapper(io.BytesIO(), encoding="ascii") for _ in range(2))
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            for name, value in environ.items():
                patch.setenv(name, value)
            code = main(arguments)
            printed = [_text(stream) for stream in (out, err)]
        return Result(code, *printed)

    def ok(self, *arguments: str, **more: Any) -> Result:
        """A run that has to succeed."""
        done = self(*arguments, **more)
        assert done.code == 0, (arguments, done)
        return done

    def json(self, *arguments: str, **more: Any) -> Any:
        """The JSON answer of a run that has to succeed."""
        return self.ok("--json", *arguments, **more).json


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(monkeypatch)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with entries in every tier; copied for each test."""
    home = tmp_path_factory.mktemp("template-home")
    with pytest.MonkeyPatch.context() as patch:
        # It is made before the environment of any test is cleaned.
        for name in list(os.environ):
            if name.startswith(UNWANTED_PREFIXES):
                patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        repo = make_repository(tmp_path_factory.mktemp("template") / "repo")
        git(repo, "config", "user.name", "A. Person")
        git(repo, "config", "user.email", "person@example.org")
        patch.chdir(repo)
        _fill(Cli(patch), repo)
    return repo


def _fill(cli: Cli, repo: Path) -> None:
    (repo / "draft.json").write_text(json.dumps(DECISION))
    (repo / "changed.json").write_text(json.dumps(CHANGED))
    cli.ok("init")
    content = CHANGED["content"]
    assert isinstance(content, dict)
    first = {**content, "status": "accepted", "rationale": ["The team knows it."]}
    whole = {**CHANGED, "tags": ["database"], "content": first}
    text = json.dumps(whole).encode()
    cli.ok("add", "decision", "--input", "-", "--slug", "use-postgres", stdin=text)
    for title, tier in (("Old cache", "register"), ("Deploy on Fridays", "working")):
        cli.ok("add", "note", "--title", title, "--body", f"About: {title}.", "--tier", tier)
    for title, command in (("Archived plan", "archive"), ("Retired plan", "retire")):
        cli.ok("add", "note", "--title", title, "--body", "A plan.")
        cli.ok(command, title.lower().replace(" ", "-"), "--reason", "it is over")
    cli.ok("export", "memories.jsonl")
    cli.ok("add", "note", "--title", "From a session", "--body", "Text.", GITMEM_SESSION="3f9c")
    cli.ok("remember", "The last commit is nobody's session")


@pytest.fixture
def store(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the template, which is also the current folder."""
    repo = tmp_path / "store"
    shutil.copytree(template, repo, symlinks=True)
    monkeypatch.chdir(repo)
    return repo
