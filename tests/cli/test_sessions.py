"""hook, receipts, stats and hook-log on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hooks.kit import Hooks, hooks


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Hooks:
    """A memory with one session of two prompts."""
    run = hooks(tmp_path_factory.mktemp("cli") / "repo")
    run.prompt(session="session-one")
    run.prompt("on which days do deploys happen?", session="session-one")
    return run


def gitmem(run: Hooks, *words: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "gitmem", *words],
        cwd=run.repo,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stdout


def test_receipts_of_a_session_are_listed(run: Hooks) -> None:
    answer = json.loads(gitmem(run, "receipts", "sess", "--json"))
    assert [one["prompt"] for one in answer["receipts"]] == [1, 2]
    assert "PostgreSQL" in gitmem(run, "receipts")


def test_receipts_of_a_session_that_never_came_by_are_not_found(run: Hooks) -> None:
    answer = json.loads(gitmem(run, "receipts", "nobody", "--json", code=1))
    assert answer["error"]["code"] == "NOT_FOUND"


def test_stats_count_what_was_put_into_contexts(run: Hooks) -> None:
    counted = json.loads(gitmem(run, "stats", "--injected", "--json"))["injected"]
    assert (counted["sessions"], counted["prompts"], counted["answered"]) == (1, 2, 2)
    assert counted["characters"] > 200
    assert "2 prompts" in gitmem(run, "stats")


def test_the_log_of_hooks_is_shown(run: Hooks) -> None:
    assert gitmem(run, "hook-log") == "no hook of yours has failed\n"
    run.call("user-prompt-submit", b"{")
    assert "JSONDecodeError" in gitmem(run, "hook-log", "--limit", "3")


def test_a_hook_behind_global_options_works_in_that_folder(run: Hooks, tmp_path: Path) -> None:
    given = {"prompt": "which database does the reporting service use?", "session_id": "far"}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "gitmem", "-C", str(run.repo), "hook", "user-prompt-submit"],
        input=json.dumps({**given, "cwd": str(tmp_path)}),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "PostgreSQL" in done.stdout


def test_a_hooks_answer_is_one_json_value_on_request(run: Hooks) -> None:
    answer = json.loads(gitmem(run, "hook", "user-prompt-submit", "--json"))
    assert answer == {"event": "user-prompt-submit", "text": ""}


def test_a_hook_without_an_event_is_wrong_usage(run: Hooks) -> None:
    gitmem(run, "hook", code=2)
    assert "EVENT" in gitmem(run, "hook", "--help")
