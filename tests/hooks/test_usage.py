"""Usage: counted while a session runs, told by one commit when it is over."""

from __future__ import annotations

from pathlib import Path

import pytest
from gitmem.features.facts import usage_of

from tests.helpers import fsck, git
from tests.hooks.kit import Hooks, hooks

SLUG = "the-reporting-service-uses-postgresql-as-its-database"
OTHER = "on which days do deploys happen?"


@pytest.fixture
def run(tmp_path: Path) -> Hooks:
    return hooks(tmp_path / "repo")


def usage(run: Hooks, ref: str = SLUG) -> tuple[int, int | None, int]:
    with run.memory.open() as workspace:
        snapshot = workspace.snapshot()
        counted = usage_of(snapshot, snapshot.find(ref).id)
    return counted.frequency, counted.last_session, counted.sessions_since


def test_a_session_leaves_one_commit_with_the_same_tree(run: Hooks) -> None:
    before = git(run.repo, "rev-parse", "memory")
    run.prompt()
    run.prompt(OTHER)
    run.prompt()
    assert git(run.repo, "rev-parse", "memory") == before
    ended = run.end()
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    (commit,) = run.usage_commits()
    assert git(run.repo, "rev-parse", f"{commit}^{{tree}}") == git(
        run.repo, "rev-parse", f"{before}^{{tree}}"
    )
    assert run.trailer(commit, "Gitmem-Session") == ["s-1"]
    assert run.trailer(commit, "Gitmem-Actor") == ["hook:session-end"]
    assert [line.split()[1] for line in run.trailer(commit, "Gitmem-Used")] == ["1", "1"]
    assert usage(run) == (1, 1, 0)
    assert fsck(run.repo) == ""


def test_a_session_counts_from_its_first_prompt_even_if_nothing_was_recalled(run: Hooks) -> None:
    run.prompt("hello")
    run.end()
    (commit,) = run.usage_commits()
    assert run.trailer(commit, "Gitmem-Used") == []
    assert usage(run) == (0, None, 1)


def test_a_session_without_a_prompt_leaves_nothing(run: Hooks) -> None:
    run.start("s-1")
    run.end("s-1")
    assert run.usage_commits() == []


def test_a_session_is_told_once_however_often_it_ends(run: Hooks) -> None:
    run.prompt()
    run.end()
    run.end()
    run.start("s-2")
    assert len(run.usage_commits()) == 1


def test_a_resumed_session_is_told_again_only_with_something_new(run: Hooks) -> None:
    run.prompt()
    run.end()
    run.start("s-1", "resume")
    run.prompt()
    run.end()
    assert len(run.usage_commits()) == 1
    run.prompt(OTHER)
    run.end()
    _, second = run.usage_commits()
    assert len(run.trailer(second, "Gitmem-Used")) == 2
    assert usage(run) == (1, 1, 0)


def test_a_session_that_never_ended_is_told_by_the_next_start(run: Hooks) -> None:
    run.prompt(session="lost")
    run.prompt(OTHER, session="lost too")
    assert run.start("s-2").err == ""
    sessions = [run.trailer(one, "Gitmem-Session") for one in run.usage_commits()]
    assert sorted(sessions) == [["lost"], ["lost%20too"]]
    assert run.trailer(run.usage_commits()[0], "Gitmem-Actor") == ["hook:session-start"]


def test_a_start_leaves_its_own_session_alone(run: Hooks) -> None:
    run.prompt(session="s-1")
    run.start("s-1", "compact")
    assert run.usage_commits() == []


def test_frequency_is_the_number_of_sessions_that_were_shown_it(run: Hooks) -> None:
    for session in ("a", "b", "c"):
        run.prompt(session=session)
        run.end(session)
    assert usage(run) == (3, 3, 0)
    assert usage(run, "deploys-happen-on-tuesdays") == (0, None, 3)


def test_a_memory_that_is_only_a_remotes_is_never_written(run: Hooks, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(run.repo), str(clone))
    before = git(clone, "for-each-ref")
    run.memory.repo = clone
    assert run.prompt().lines
    assert (run.end().err, run.start("s-2").err) == ("", "")
    assert git(clone, "for-each-ref") == before
