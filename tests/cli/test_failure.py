"""Whatever goes wrong: the exit code of the contract, one JSON value, and nothing lost."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.helpers import git

GITMEM = [sys.executable, "-m", "gitmem"]
SECRET = "AKIA" + "Z7Q4M2XK9P5T3WJ6"

REFUSALS: dict[str, tuple[list[str], int, str]] = {
    "unknown command": (["lst"], 2, "USAGE_ERROR"),
    "unknown option": (["list", "--bogus"], 2, "USAGE_ERROR"),
    "missing argument": (["show"], 2, "USAGE_ERROR"),
    "bad choice": (["list", "--tier", "attic"], 2, "USAGE_ERROR"),
    "no number": (["log", "--limit", "some"], 2, "USAGE_ERROR"),
    "no command": ([], 2, "USAGE_ERROR"),
    "unknown subcommand": (["config", "unset"], 2, "USAGE_ERROR"),
    "no such folder": (["-C", "nowhere", "list"], 2, "USAGE_ERROR"),
    "no date": (["list", "--at", "someday"], 2, "USAGE_ERROR"),
    "nothing to change": (["update", "use-postgres"], 2, "USAGE_ERROR"),
    "no such store": (["--store", "nowhere", "list"], 1, "NOT_A_STORE"),
    "no personal store": (["--store", "user", "list"], 1, "NOT_A_STORE"),
    "unknown entry": (["show", "nowhere"], 1, "NOT_FOUND"),
    "unknown category": (["add", "recipe", "--title", "Soup"], 1, "VALIDATION_ERROR"),
    "unknown field": (["update", "use-postgres", "--field", "stat=x"], 1, "VALIDATION_ERROR"),
    "no title": (["add", "note", "--body", "Text."], 1, "VALIDATION_ERROR"),
    "unknown key": (["config", "set", "delete.grace", "3"], 1, "CONFIG_ERROR"),
    "secret": (["remember", f"the key is {SECRET}"], 1, "SECRET_FOUND"),
    "no input file": (["add", "note", "--input", "nowhere.json"], 1, "INPUT_ERROR"),
    "no JSON": (["add", "note", "--input", "-"], 1, "INPUT_ERROR"),
    "other category": (["add", "note", "--input", "draft.json"], 1, "VALIDATION_ERROR"),
    "retired entry": (["update", "retired-plan", "--field", "body=x"], 1, "UPDATE_ERROR"),
    "back too soon": (
        ["add", "note", "--title", "Retired plan", "--body", "x"],
        1,
        "ANTI_RESURRECTION_ERROR",
    ),
    "unknown commit": (
        ["update", "use-postgres", "--field", "status=deprecated", "--expect", "0" * 40],
        3,
        "OCC_CONFLICT",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusal_is_one_json_value_with_its_exit_code(cli: Cli, store: Path, name: str) -> None:
    words, exit_code, error_code = REFUSALS[name]
    tip = git(store, "rev-parse", "memory")
    done = cli(*words, "--json")
    assert (done.code, done.error["code"]) == (exit_code, error_code)
    assert done.error["message"]
    assert git(store, "rev-parse", "memory") == tip


@pytest.mark.parametrize("name", [name for name, row in REFUSALS.items() if row[0]])
def test_refusal_in_text_is_on_standard_error_with_a_remedy(
    cli: Cli, store: Path, name: str
) -> None:
    words, exit_code, _ = REFUSALS[name]
    done = cli(*words)
    assert (done.code, done.out) == (exit_code, "")
    error, fix = done.err.splitlines()
    assert error.startswith("error: ")
    assert fix.startswith("fix: ")


@pytest.mark.parametrize("words", [["--json", "show"], ["show", "--json"], ["--json", "no"]])
def test_json_is_taken_before_and_behind_the_command(cli: Cli, words: list[str]) -> None:
    assert cli(*words).error["code"] == "USAGE_ERROR"


def test_json_as_the_value_of_an_option_is_no_option(cli: Cli, store: Path) -> None:
    done = cli("add", "note", "--title", "--json", "--body", "Text.")
    assert done.code == 0
    assert done.out.startswith("created ")


def test_stale_expect_is_refused_and_another_entry_does_not_matter(cli: Cli, store: Path) -> None:
    seen = cli.json("show", "use-postgres")["commit"]
    cli.ok("update", "old-cache", "--field", "body=other")
    cli.ok("update", "use-postgres", "--field", "status=deprecated", "--expect", seen)
    done = cli("retire", "use-postgres", "--expect", seen, "--json")
    assert (done.code, done.error["code"]) == (3, "OCC_CONFLICT")
    assert cli.json("show", "use-postgres")["tier"] == "register"


def test_secret_is_never_repeated(cli: Cli, store: Path) -> None:
    done = cli("remember", f"the key is {SECRET}", "--json")
    assert SECRET not in done.out + done.err


def test_folder_without_repository_says_how_to_start(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = cli("list", "--json")
    assert (done.code, done.error["code"]) == (1, "NOT_A_STORE")
    assert "init" in done.error["fix"]


def test_bug_leaves_its_trace_in_a_file_that_is_named(
    cli: Cli, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the heart of the matter")

    monkeypatch.setattr("gitmem.features.reading.list_entries", broken)
    done = cli("list", "--json")
    assert (done.code, done.error["code"]) == (1, "INTERNAL_ERROR")
    log = Path(done.error["log"])
    assert log.parent == Path.home() / ".local/state/gitmem/log"
    assert "the heart of the matter" in log.read_text("utf-8")
    assert "the heart of the matter" not in done.out + done.err


def test_bug_without_a_place_for_logs_shows_its_trace(
    cli: Cli, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the heart of the matter")

    (tmp_path / "file").write_text("")
    monkeypatch.setattr("gitmem.features.reading.list_entries", broken)
    done = cli("list", "--json", XDG_STATE_HOME=str(tmp_path / "file"))
    assert done.error["code"] == "INTERNAL_ERROR"
    assert "the heart of the matter" in done.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
def test_interrupt_ends_with_130_and_one_json_value(store: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [*GITMEM, "--json", "add", "note", "--input", str(pipe)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # Opening waits until the child reads: it is well inside the command by then.
    with child, pipe.open("wb"):
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate()
    assert child.returncode == 130
    assert json.loads(out)["error"]["code"] == "INTERRUPTED"


def test_reader_that_leaves_early_ends_the_run_quietly(store: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = subprocess.run([*GITMEM, "list"], stdout=pipe, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_full_disk_behind_standard_output_is_an_error(store: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*GITMEM, "list"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 4
    assert b"can't write to standard output" in done.stderr


def test_damaged_index_heals_while_reading(cli: Cli, store: Path) -> None:
    before = cli.json("log", "use-postgres")
    (index,) = (store / ".git/gitmem").glob("index-*.db")
    connection = sqlite3.connect(index)
    connection.execute("DROP TABLE changes")
    connection.commit()
    connection.close()
    assert cli.json("log", "use-postgres") == before


def test_garbage_in_place_of_the_index_heals_while_reading(cli: Cli, store: Path) -> None:
    before = cli.json("list")
    for file in (store / ".git/gitmem").glob("index-*.db*"):
        file.unlink()
    (store / ".git/gitmem/index-1.db").write_bytes(b"garbage" * 1000)
    assert cli.json("list") == before
