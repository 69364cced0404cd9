"""search, recall, candidate and resolve as they are typed."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from gitmem.cli.context import Run
from gitmem.cli.output import Output
from gitmem.cli.search import _lines

from tests.cli.conftest import Cli
from tests.helpers import git

HIT_KEYS = {"id", "title", "category", "target", "slug", "score", "snippet", "matches"}


def test_search_answers_as_the_contract_says(cli: Cli, store: Path) -> None:
    found = cli.json("search", "postgresql", "database")
    assert found["commit"] == git(store, "rev-parse", "memory")
    assert set(found["hits"][0]) == HIT_KEYS
    assert found["hits"][0]["slug"] == "use-postgres"
    explained = cli.json("search", "postgresql", "--explain")["hits"][0]
    assert set(explained) == {*HIT_KEYS, "why"}


def test_search_shows_target_title_and_the_text_that_fits(cli: Cli, store: Path) -> None:
    lines = cli.ok("search", "postgresql database").out.splitlines()
    assert "register/decisions/use-postgres  Use PostgreSQL" in lines[0]
    assert "All services use PostgreSQL 17." in lines[1] + lines[0] or "PostgreSQL" in lines[1]


def test_search_without_a_hit_is_no_failure(cli: Cli, store: Path) -> None:
    done = cli.ok("search", "xylophone")
    assert done.out == ""
    assert "--archived" in done.err
    assert cli.json("search", "xylophone")["hits"] == []


def test_search_finds_retired_and_archived_entries_on_request(cli: Cli, store: Path) -> None:
    def targets(*flags: str) -> set[str]:
        return {hit["target"] for hit in cli.json("search", "plan", *flags)["hits"]}

    assert targets() == set()
    assert targets("--include-retired") == {"retired/notes/retired-plan"}
    assert targets("--archived") == {"archive/notes/archived-plan"}


def test_search_reads_the_query_from_standard_input(cli: Cli, store: Path) -> None:
    found = cli.json("search", "-", stdin=b"what about\nthe old cache?")
    assert found["hits"][0]["slug"] == "old-cache"


def test_search_at_an_older_commit_names_that_commit(cli: Cli, store: Path) -> None:
    first = git(store, "rev-list", "--reverse", "memory").split()[1]
    found = cli.json("search", "postgresql", "--at", first)
    assert found["commit"] == first
    assert [hit["slug"] for hit in found["hits"]] == ["use-postgres"]
    assert cli.json("search", "cache", "--at", first)["hits"] == []


@pytest.mark.parametrize("wrong", [("--limit", "0"), ("--strategy", "best"), ("--category", "no")])
def test_wrong_filters_are_wrong_usage(cli: Cli, store: Path, wrong: tuple[str, str]) -> None:
    done = cli("--json", "search", "cache", *wrong)
    assert done.code == 2
    assert done.error["code"] == "USAGE_ERROR"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_matches_are_marked_on_a_terminal_and_controls_are_not_obeyed() -> None:
    run = Run({}, Output({}, Terminal(), io.StringIO()))
    hit = {
        "id": "tr0123456789",
        "target": "register/notes/x",
        "title": "The cache",
        "snippet": "a cache \x1b[2J here",
        "matches": [[2, 7]],
    }
    first, second = _lines(run, "cache", [hit])
    assert first.endswith("The \x1b[33mcache\x1b[0m")
    assert second == "  a \x1b[33mcache\x1b[0m \\x1b[2J here"


def test_search_on_code_branches_leaves_out_what_is_not_merged(cli: Cli, store: Path) -> None:
    git(store, "commit", "-q", "--allow-empty", "-m", "code")
    git(store, "checkout", "-q", "-b", "side")
    git(store, "commit", "-q", "--allow-empty", "-m", "more code")
    cli.ok("add", "note", "--title", "Quicksilver", "--body", "Text.")
    git(store, "checkout", "-q", "main")
    assert len(cli.json("search", "quicksilver")["hits"]) == 1
    assert cli.json("search", "quicksilver", "--branch")["hits"] == []


# recall


def test_recall_prints_the_text_and_nothing_else(cli: Cli, store: Path) -> None:
    assert cli.ok("recall", "old-cache").out == "About: Old cache.\n"
    both = cli.ok("recall", "old-cache.md", "working/notes/deploy-on-fridays").out
    assert both == "About: Old cache.\n\nAbout: Deploy on Fridays.\n"


def test_recall_answers_json_too(cli: Cli, store: Path) -> None:
    found = cli.json("recall", "old-cache")
    assert found["entries"][0]["text"] == "About: Old cache."
    assert found["entries"][0]["target"] == "register/notes/old-cache"


def test_recall_of_an_unknown_name_is_not_found(cli: Cli, store: Path) -> None:
    assert cli("--json", "recall", "no-such-entry").error["code"] == "NOT_FOUND"


# candidate and resolve


def test_candidate_always_answers_json(cli: Cli, store: Path) -> None:
    done = cli.ok("candidate", "--category", "decision", "--new-info", "postgresql database 17")
    answer = json.loads(done.out)
    assert answer["candidate"]["slug"] == "use-postgres"
    assert answer["vetoes"] == ["Cannot DELETE decision (triage-initiated)"]


def test_candidate_without_a_memory_says_create(cli: Cli, repo: Path, monkeypatch: object) -> None:
    done = cli.ok("-C", str(repo), "candidate", "--category", "note", "--new-info", "a queue")
    assert json.loads(done.out)["structural_cud"] == "CREATE"


def test_resolve_takes_the_answer_of_candidate(cli: Cli, store: Path) -> None:
    answer = cli.ok("candidate", "--category", "decision", "--new-info", "postgresql database").out
    update = cli.ok("resolve", "--l1", "-", "--l2", "UPDATE", stdin=answer.encode())
    assert json.loads(update.out)["action"] == "UPDATE"
    (store / "answer.json").write_text(answer)
    for given in (answer, "answer.json"):
        delete = cli.ok("resolve", "--l1", given, "--l2", "delete")
        assert json.loads(delete.out)["action"] == "NOOP"


def test_resolve_obeys_a_veto_of_that_action_only(cli: Cli, store: Path) -> None:
    veto = ("--veto", "Cannot DELETE runbook")
    made = cli.json("resolve", "--l1", "UPDATE_OR_DELETE", "--l2", "DELETE", *veto)
    assert made["action"] == "NOOP"
    assert "Cannot DELETE runbook" in made["rationale"]
    assert cli.json("resolve", "--l1", "update_or_delete", "--l2", "UPDATE", *veto)["action"] == (
        "UPDATE"
    )


@pytest.mark.parametrize(
    ("structural", "proposed"),
    [
        ("UPDATE", "REPLACE"),
        ("{}", "UPDATE"),
        ("{broken", "UPDATE"),
        ("no-such-file", "UPDATE"),
        ('{"structural_cud": "UPDATE", "vetoes": "none"}', "UPDATE"),
    ],
)
def test_resolve_refuses_what_is_no_action(
    cli: Cli, store: Path, structural: str, proposed: str
) -> None:
    done = cli("resolve", "--l1", structural, "--l2", proposed)
    assert done.code == 1
    assert done.error["code"] == "INPUT_ERROR"
