"""user-prompt-submit: what a prompt is shown, once per session, and never an error."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from gitmem.features.recall.ledger import injected, note_given, receipts
from gitmem.features.settings import set_key

from tests.helpers import commit_files, git
from tests.hooks.kit import PROMPT, Hooks, hooks
from tests.store.kit import entry_text

TITLE = "The reporting service uses PostgreSQL as its database"
SLUG = "the-reporting-service-uses-postgresql-as-its-database"


@pytest.fixture
def run(tmp_path: Path) -> Hooks:
    return hooks(tmp_path / "repo")


def configure(run: Hooks, **keys: object) -> None:
    with run.memory.open() as workspace:
        for key, value in keys.items():
            set_key(workspace, key.replace("__", "."), value)


def test_a_prompt_is_shown_what_memory_knows_of_it(run: Hooks) -> None:
    shown = run.prompt()
    head, *lines, tail = shown.out.splitlines()
    assert head.startswith('<memory-context source="project memory"')
    assert tail == "</memory-context>"
    assert len(lines) == 1
    assert re.match(rf"- \[NOTE\] {TITLE} -> register/notes/\S+ #tags:test\Z", lines[0])
    assert (shown.code, shown.err) == (0, "")


def test_the_block_names_files_of_the_view_where_there_is_one(tmp_path: Path) -> None:
    run = hooks(tmp_path / "repo", view=True)
    shown = run.prompt()
    assert '<memory-context source=".claude/memory/"' in shown.out
    (path,) = re.findall(r" -> (\S+)", shown.out)
    assert TITLE in (run.repo / path).read_text()


def test_the_old_name_of_the_prompts_field_is_understood(run: Hooks) -> None:
    shown = run.call("user-prompt-submit", {"user_prompt": PROMPT, "cwd": str(run.repo)})
    assert TITLE in shown.out


def test_a_memory_is_shown_once_per_session(run: Hooks) -> None:
    assert TITLE in run.prompt().out
    assert run.prompt().out == ""
    assert TITLE in run.prompt(session="s-2").out


@pytest.mark.parametrize("source", ["resume", "clear", "compact"])
def test_a_session_that_lost_its_context_is_shown_it_again(run: Hooks, source: str) -> None:
    run.prompt()
    assert run.start("s-1", "startup").out == ""
    assert run.prompt().out == ""
    run.start("s-1", source)
    assert TITLE in run.prompt().out


def test_what_a_session_was_given_otherwise_is_neither_repeated_nor_counted(run: Hooks) -> None:
    with run.memory.open() as workspace:
        (entry,) = [
            one for one in workspace.snapshot().entries(("register",)) if one.title == TITLE
        ]
        note_given(workspace, "s-1", [entry.id])
    assert run.prompt().out == ""
    run.end()
    assert run.trailer(run.usage_commits()[0], "Gitmem-Used") == []


@pytest.mark.parametrize("text", ["", "  ", "database?", "thanks, that looks great to me"])
def test_short_prompts_and_small_talk_get_nothing(run: Hooks, text: str) -> None:
    assert run.prompt(text).out == ""


def test_recall_that_is_switched_off_says_nothing(run: Hooks) -> None:
    configure(run, retrieval__enabled=False)
    assert run.prompt().out == ""


def test_a_category_that_is_switched_off_is_not_recalled(run: Hooks) -> None:
    configure(run, categories__note__enabled=False)
    assert run.prompt().out == ""


def test_no_more_is_shown_than_config_allows(run: Hooks) -> None:
    for number in range(4):
        run.memory.add(f"Reporting database replica number {number}")
    configure(run, retrieval__max_inject=2)
    assert len(run.prompt().lines) == 2
    configure(run, retrieval__max_inject=0)
    assert run.prompt(session="s-2").out == ""


@pytest.mark.parametrize("strategy", ["title_tags", "keywords"])
def test_the_original_strategies_can_be_chosen(run: Hooks, strategy: str) -> None:
    configure(run, retrieval__match_strategy=strategy)
    assert TITLE in run.prompt("database of the reporting service").out


def test_retired_and_archived_entries_are_not_recalled(run: Hooks) -> None:
    from gitmem.features.lifecycle import Request, move

    with run.memory.open() as workspace:
        (entry,) = [
            one for one in workspace.snapshot().entries(("register",)) if one.title == TITLE
        ]
        move(workspace, "retire", Request(entry.id, "gone", None))
    assert run.prompt().out == ""


def test_a_commit_by_plain_git_is_seen_by_the_next_prompt(run: Hooks) -> None:
    run.prompt()
    text = entry_text("tr0123456789", "Kestrel listens on port 5080")
    commit_files(run.repo, {"register/notes/kestrel.md": text}, "by hand")
    shown = run.prompt("which port does kestrel listen on?")
    assert "Kestrel listens on port 5080" in shown.out
    assert "#source:unknown" in shown.out


def test_a_memory_without_any_index_answers(run: Hooks) -> None:
    for file in (run.repo / ".git" / "gitmem").glob("index-*"):
        file.unlink()
    assert TITLE in run.prompt().out


def test_a_fresh_clone_answers_without_being_set_up(run: Hooks, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(run.repo), "clone")
    run.memory.repo = tmp_path / "clone"
    assert TITLE in run.prompt().out


def test_a_linked_work_tree_shares_the_memory(run: Hooks, tmp_path: Path) -> None:
    commit_files(run.repo, {"main.py": "pass\n"}, "code", ref="refs/heads/main")
    git(run.repo, "worktree", "add", "-q", "-b", "side", str(tmp_path / "other"), "main")
    shown = run.prompt(cwd=str(tmp_path / "other"))
    assert TITLE in shown.out
    assert run.prompt().out == ""


def test_a_folder_below_the_root_will_do(run: Hooks) -> None:
    deep = run.repo / "src" / "deep"
    deep.mkdir(parents=True)
    assert TITLE in run.prompt(cwd=str(deep)).out


def test_a_repository_with_settings_of_its_own_kind_answers_too(run: Hooks) -> None:
    git(run.repo, "config", "include.path", "more")
    (run.repo / ".git" / "more").write_text("[gitmem]\n\tref = refs/heads/memory\n")
    git(run.repo, "config", "extensions.worktreeConfig", "true")
    assert TITLE in run.prompt().out


def test_two_hooks_at_once_each_answer_and_count_the_session_once(run: Hooks) -> None:
    run.prompt("thanks, that looks great to me")
    given = json.dumps({"session_id": "s-1", "cwd": str(run.repo), "prompt": PROMPT}).encode()
    words = [sys.executable, "-P", "-m", "gitmem", "hook", "user-prompt-submit"]
    both = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(2)
    ]
    said = [process.communicate(given)[0].decode() for process in both]
    assert any(TITLE in one for one in said)
    run.end()
    (commit,) = run.usage_commits()
    assert len(run.trailer(commit, "Gitmem-Used")) == 1


def test_a_store_of_a_newer_format_is_left_alone(run: Hooks) -> None:
    commit_files(run.repo, {"config.json": '{\n  "format": 99\n}\n'}, "from the future")
    shown = run.prompt()
    assert (shown.out, shown.err, shown.code) == ("", "", 0)


def test_the_source_is_told_when_it_is_not_the_user(run: Hooks) -> None:
    run.memory.source = "agent"
    run.memory.add("Kestrel listens on port 5080")
    shown = run.prompt("which port does kestrel listen on?")
    assert "#source:agent" in shown.out
    assert "#source:" not in run.prompt().out


def test_what_a_store_says_of_its_categories_is_told(run: Hooks) -> None:
    configure(run, categories__note__description="Small <things> worth keeping")
    assert 'descriptions="note: Small &lt;things&gt; worth keeping"' in run.prompt().out


# Two stores


def user_memory(run: Hooks, home: Path) -> Hooks:
    from gitmem.features.starting import Wanted, init

    init(run.repo, run.memory.environ, run.memory.clock, Wanted(user=True, view=False))
    own = Hooks(run.memory.__class__(home / ".local/share/gitmem/memory.git", run.memory.at))
    own.memory.add("I prefer tabs in the reporting service's database code")
    return own


def test_the_personal_store_answers_after_the_projects(run: Hooks, clean_environment: Path) -> None:
    user_memory(run, clean_environment)
    shown = run.prompt("the database code of the reporting service")
    sources = re.findall(r'source="([^"]*)"', shown.out)
    assert sources == ["project memory", "user memory"]
    assert shown.out.index(TITLE) < shown.out.index("I prefer tabs")
    configure(run, retrieval__user_store=False)
    again = run.prompt("the database code of the reporting service", session="s-2")
    assert "user memory" not in again.out


def test_the_personal_store_answers_outside_of_any_repository(
    run: Hooks, clean_environment: Path, tmp_path: Path
) -> None:
    user_memory(run, clean_environment)
    outside = tmp_path / "nowhere"
    outside.mkdir()
    shown = run.prompt("tabs in the database code?", cwd=str(outside))
    assert re.findall(r'source="([^"]*)"', shown.out) == ["user memory"]


# Receipts


def test_a_receipt_tells_what_each_prompt_was_shown_at_which_commit(run: Hooks) -> None:
    tip = git(run.repo, "rev-parse", "memory")
    shown = run.prompt()
    run.prompt("thanks, that looks great to me")
    run.prompt("on which days do deploys happen?")
    with run.memory.open() as workspace:
        first, second = receipts(workspace, "s-1")
        counted = injected(workspace)
    assert (first["prompt"], second["prompt"]) == (1, 3)
    assert (first["commit"], first["characters"]) == (tip, len(shown.out))
    assert [one["title"] for one in first["entries"]] == [TITLE]
    assert (counted.sessions, counted.prompts, counted.answered, counted.entries) == (1, 3, 2, 2)
    assert counted.characters == first["characters"] + second["characters"]
