"""Which store, whose change: options and environment as the command line reads them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.helpers import git, make_repository


def trailers(store: Path) -> str:
    return git(store, "log", "-1", "--format=%b", "memory")


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        ({}, ["Gitmem-Actor: cli", "Gitmem-Source: user"]),
        ({"GITMEM_SESSION": "s-1"}, ["Gitmem-Session: s-1"]),
        ({"CLAUDE_CODE_SESSION_ID": "s-2"}, ["Gitmem-Session: s-2"]),
        ({"GITMEM_SESSION": "s-1", "CLAUDE_CODE_SESSION_ID": "s-2"}, ["Gitmem-Session: s-1"]),
        (
            {"GITMEM_ACTOR": "agent:update", "GITMEM_SOURCE": "agent"},
            ["Gitmem-Actor: agent:update", "Gitmem-Source: agent"],
        ),
    ],
)
def test_environment_says_who_writes(
    cli: Cli, store: Path, environ: dict[str, str], wanted: list[str]
) -> None:
    cli.ok("pin", "old-cache", **environ)
    for line in wanted:
        assert line in trailers(store).splitlines()


def test_source_that_does_not_exist_is_refused(cli: Cli, store: Path) -> None:
    assert cli("pin", "old-cache", "--json", GITMEM_SOURCE="robot").error["code"] == "USAGE_ERROR"


def test_agents_notes_land_in_the_register(cli: Cli, store: Path) -> None:
    assert cli.json("remember", "By a person")["target"] == "working/notes/by-a-person"
    by_agent = cli.json("remember", "By an agent", GITMEM_SOURCE="agent")
    assert by_agent["target"] == "register/notes/by-an-agent"


def test_folder_option_is_like_starting_there(
    cli: Cli, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = store / "src"
    inside.mkdir()
    monkeypatch.chdir(tmp_path)
    listed = cli.json("-C", str(inside), "list")
    assert listed["entries"]
    assert cli.json("list", "-C", str(store)) == listed
    assert cli.json("-C", str(store), "list", "-C", "src") == listed


def test_input_file_is_sought_where_the_command_works(
    cli: Cli, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = cli.json("-C", str(store), "add", "decision", "--input", "draft.json")
    assert made["title"] == "Use feature flags"


def test_personal_store_is_a_store_of_its_own(cli: Cli, store: Path) -> None:
    started = cli.json("init", "--user")
    cli.ok("--store", "user", "remember", "Only for me")
    assert Path(started["store"]) == Path.home() / ".local/share/gitmem/memory.git"
    (mine,) = cli.json("--store", "user", "list")["entries"]
    assert mine["slug"] == "only-for-me"
    assert cli("show", "only-for-me").code == 1


def test_store_option_takes_a_path(cli: Cli, store: Path, tmp_path: Path) -> None:
    own = str(tmp_path / "own.git")
    assert cli.json("init", "--standalone", own)["status"] == "initialized"
    cli.ok("--store", own, "remember", "Elsewhere")
    assert len(cli.json("list", "--store", own)["entries"]) == 1


def test_store_that_is_missing_is_not_sought_above(cli: Cli, store: Path) -> None:
    done = cli("--store", str(store / "slip"), "remember", "Not here", "--json")
    assert done.error["code"] == "NOT_A_STORE"


def test_linked_worktrees_share_one_memory(
    cli: Cli, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(store, "commit", "--allow-empty", "-q", "-m", "code")
    git(store, "worktree", "add", "-q", str(tmp_path / "linked"))
    monkeypatch.chdir(tmp_path / "linked")
    cli.ok("pin", "old-cache")
    assert cli.json("-C", str(store), "show", "old-cache")["pinned"]


def test_bare_repository_has_a_memory_too(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(make_repository(tmp_path / "bare.git", bare=True))
    cli.ok("init")
    cli.ok("remember", "In a bare one")
    assert len(cli.json("list")["entries"]) == 1


@pytest.mark.parametrize("locale", ["C", "de_DE.ISO-8859-1"])
def test_output_is_utf8_in_every_locale(cli: Cli, store: Path, locale: str) -> None:
    cli.ok("add", "note", "--title", "Größe 日本", "--slug", "size", "--body", "— ä —")
    environ = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "gitmem", "show", "size"]
    done = subprocess.run(command, env=environ, capture_output=True, check=True)
    assert "Größe 日本" in done.stdout.decode("utf-8")


def test_version_is_told_in_both_forms(cli: Cli) -> None:
    number = json.loads(cli.ok("--json", "--version").out)["version"]
    assert cli.ok("--version").out == f"gitmem {number}\n"
