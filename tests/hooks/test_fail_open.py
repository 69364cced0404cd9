"""Whatever a hook is given and wherever it runs, the user's session goes on (I8)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from gitmem.git.platform import FileLock
from gitmem.hooks import EVENTS

from tests.hooks.kit import PROMPT, Hooks, hooks

GARBAGE = {
    "empty": b"",
    "blank": b" \n\t ",
    "truncated": b'{"prompt": "which data',
    "binary": bytes(range(256)),
    "bom": b'\xef\xbb\xbf{"prompt": 7}',
    "list": b"[1, 2]",
    "null": b"null",
    "deep": b"[" * 200_000,
    "surrogate": b'{"prompt": "\\ud800 which database is used", "session_id": "\\udfff"}',
    "types": json.dumps(
        {"prompt": ["x"], "session_id": {"a": 1}, "cwd": 5, "hook_event_name": None}
    ).encode(),
    "nul in cwd": json.dumps({"prompt": PROMPT, "cwd": "/tmp\0/x", "session_id": "a\0b"}).encode(),
    "no such cwd": json.dumps({"prompt": PROMPT, "cwd": "/no/such/folder"}).encode(),
    "huge prompt": json.dumps({"prompt": "database " * 150_000, "session_id": "s-9"}).encode(),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Hooks:
    return hooks(tmp_path_factory.mktemp("open") / "repo")


@pytest.mark.parametrize("name", GARBAGE)
def test_no_input_makes_the_prompt_hook_fail(run: Hooks, name: str) -> None:
    ended = run.call("user-prompt-submit", GARBAGE[name])
    assert ended.code == 0
    assert len(ended.err.splitlines()) <= 1
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("event", ["session-start", "session-end", "stop", "no-such-event"])
@pytest.mark.parametrize("name", ["empty", "truncated", "types"])
def test_no_input_makes_another_hook_fail(run: Hooks, event: str, name: str) -> None:
    ended = run.call(event, GARBAGE[name])
    assert (ended.code, ended.out) == (0, "")
    assert len(ended.err.splitlines()) <= 1


def test_more_input_than_anybody_types_is_not_read(run: Hooks) -> None:
    ended = run.call("user-prompt-submit", b'{"prompt": "' + b"x" * (11 * 1024 * 1024) + b'"}')
    assert (ended.code, ended.out) == (0, "")


def test_a_pipe_that_is_never_closed_is_not_waited_for(run: Hooks) -> None:
    words = [sys.executable, "-P", "-m", "gitmem", "hook", "user-prompt-submit"]
    with subprocess.Popen(
        words, cwd=run.repo, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"prompt": PROMPT, "cwd": str(run.repo)}).encode())
        process.stdin.flush()
        assert process.stdout.read().startswith(b"<memory-context")
        assert process.wait() == 0


def test_agents_that_a_hook_started_start_no_hooks(run: Hooks) -> None:
    given = {"prompt": PROMPT, "cwd": str(run.repo), "session_id": "blocked"}
    ended = run.call("user-prompt-submit", given, BLOCK_HOOK_AGENTS="1")
    assert (ended.code, ended.out, ended.err) == (0, "", "")


@pytest.mark.parametrize("event", EVENTS)
def test_outside_of_any_repository_there_is_nothing_to_do(event: str, tmp_path: Path) -> None:
    given = json.dumps({"prompt": PROMPT, "cwd": str(tmp_path), "session_id": "s"}).encode()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "gitmem", "hook", event],
        input=given,
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def damaged(run: Hooks, tmp_path: Path) -> Hooks:
    fresh = hooks(tmp_path / "repo")
    fresh.prompt("thanks, that looks great to me", session="before")
    return fresh


def test_a_damaged_index_is_built_anew(run: Hooks, tmp_path: Path) -> None:
    fresh = damaged(run, tmp_path)
    for file in (fresh.repo / ".git" / "gitmem").glob("index-*.db"):
        file.write_bytes(b"no database" * 100)
    assert len(fresh.prompt().lines) == 1


def test_a_damaged_ledger_keeps_no_answer_back(run: Hooks, tmp_path: Path) -> None:
    fresh = damaged(run, tmp_path)
    for part in ("", "-wal", "-shm"):
        (fresh.repo / ".git" / "gitmem" / f"state.db{part}").unlink(missing_ok=True)
    (fresh.repo / ".git" / "gitmem" / "state.db").write_bytes(b"no database" * 100)
    ended = fresh.prompt()
    assert (ended.code, len(ended.lines)) == (0, 1)


def test_a_branch_that_is_damaged_is_one_line_and_a_log(run: Hooks, tmp_path: Path) -> None:
    fresh = damaged(run, tmp_path)
    (fresh.repo / ".git" / "refs" / "heads" / "memory").write_text("no hash\n")
    ended = fresh.prompt()
    assert (ended.code, ended.out) == (0, "")
    (line,) = ended.err.splitlines()
    assert line.startswith("gitmem: user-prompt-submit")
    assert "hook-log" in line
    log = (Path.home() / ".local/state/gitmem/hooks.log").read_text()
    assert "Traceback" in log
    assert PROMPT not in log


def test_a_folder_that_cannot_hold_the_log_is_no_reason_to_fail(run: Hooks, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    given = b'{"prompt": "which data'
    ended = run.call("user-prompt-submit", given, XDG_STATE_HOME=str(tmp_path / "file"))
    assert ended.code == 0
    assert len(ended.err.splitlines()) == 1


def test_the_log_stays_small(run: Hooks, tmp_path: Path) -> None:
    folder = tmp_path / "state" / "gitmem"
    folder.mkdir(parents=True)
    (folder / "hooks.log").write_text("old\n" * 100_000)
    run.call("user-prompt-submit", b"{", XDG_STATE_HOME=str(tmp_path / "state"))
    assert (folder / "hooks.log").stat().st_size < 10_000
    assert (folder / "hooks.log.1").read_text().startswith("old\n")
    run.call("user-prompt-submit", b"{", XDG_STATE_HOME=str(tmp_path / "state"))
    assert sorted(file.name for file in folder.iterdir()) == ["hooks.log", "hooks.log.1"]


def test_a_reader_that_is_gone_is_no_failure(run: Hooks) -> None:
    read, write = os.pipe()
    os.close(read)
    given = json.dumps({"prompt": PROMPT, "cwd": str(run.repo), "session_id": "pipe"}).encode()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "gitmem", "hook", "user-prompt-submit"],
        input=given,
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_hook_that_takes_too_long_ends_and_the_next_makes_up(run: Hooks, tmp_path: Path) -> None:
    fresh = damaged(run, tmp_path)
    lock = FileLock(fresh.repo / ".git" / "gitmem" / "lock")
    lock.acquire()
    given = {"session_id": "before", "cwd": str(fresh.repo)}
    ended = fresh.call("session-end", given, GITMEM_HOOK_SECONDS="0.1")
    lock.release()
    assert (ended.code, ended.out, fresh.usage_commits()) == (0, "", [])
    assert "more than 0.1 s" in ended.err
    fresh.end("before")
    assert len(fresh.usage_commits()) == 1
