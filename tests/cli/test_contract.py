"""The JSON of every command as the contract fixes it, and its idempotent answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CHANGED, Cli
from tests.helpers import git

ENTRY_KEYS = {
    *("schema_version", "category", "id", "title", "created_at", "updated_at", "tags"),
    *("related_files", "confidence", "record_status", "times_updated", "changes", "content"),
    *("slug", "tier", "address", "path", "commit", "blob", "when", "keywords", "pinned"),
    *("snoozed_until", "reviewed_at", "superseded_by", "appreciation", "source", "extra", "usage"),
}
"""Of an active entry."""


def tip(store: Path) -> str:
    return git(store, "rev-parse", "memory")


def test_init_tells_where_the_memory_is(cli: Cli, repo: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(repo)
    first, second = cli.json("init"), cli.json("init")
    assert (first["status"], second["status"]) == ("initialized", "already_initialized")
    assert first["branch"] == "refs/heads/memory"
    assert first["commit"] == second["commit"] == tip(repo)
    assert first["store"] == str(repo)


def test_add_answers_with_the_commit_that_holds_the_entry(cli: Cli, store: Path) -> None:
    made = cli.json("add", "note", "--title", "A fact", "--body", "Text.", "--tag", "fact")
    assert made["status"] == "created"
    assert made["target"] == "register/notes/a-fact"
    assert made["commit"] == tip(store)
    assert made["similar"] == []
    assert made["warnings"] == []
    shown = cli.json("show", made["id"])
    assert (shown["title"], shown["tags"]) == ("A fact", ["fact"])
    assert shown["content"] == {"body": "Text."}


def test_add_tells_what_is_similar(cli: Cli, store: Path) -> None:
    cli.json("add", "note", "--title", "Rotate the keys monthly", "--tag", "keys", "--body", "A.")
    made = cli.json(
        "add", "note", "--title", "Rotate keys monthly", "--tag", "keys", "--body", "B."
    )
    assert [one["title"] for one in made["similar"]] == ["Rotate the keys monthly"]


def test_add_takes_every_flag(cli: Cli, store: Path) -> None:
    made = cli.json(
        *("add", "preference", "--title", "Tabs", "--slug", "tabs", "--tier", "working"),
        *("--tag", "style", "--field", "topic=layout", "--field", "strength=soft"),
        *("--field", "value=tabs", "--field", "reason=narrow screens", "--field", "prefer=one tab"),
        *("--file", "shop.py", "--when", "code is written", "--keyword", "indent"),
        *("--confidence", "0.5", "--reason", "seen in a review"),
    )
    assert made["target"] == "working/preferences/tabs"
    shown = cli.json("show", "tabs")
    assert shown["content"]["examples"] == {"prefer": ["one tab"]}
    assert (shown["when"], shown["keywords"]) == ("code is written", ["indent"])
    assert (shown["related_files"], shown["confidence"]) == (["shop.py"], 0.5)
    assert cli.json("log", "tabs")["commits"][0]["reason"] == "seen in a review"


def test_add_reads_a_body_from_standard_input(cli: Cli, store: Path) -> None:
    cli.ok("add", "note", "--title", "Piped", "--body", "-", stdin="Größe\n".encode())
    assert cli.json("show", "piped")["content"]["body"] == "Größe"


def test_show_prints_the_whole_entry(cli: Cli, store: Path) -> None:
    shown = cli.json("show", "use-postgres")
    assert set(shown) == ENTRY_KEYS
    assert shown["commit"] == tip(store)
    assert set(shown["usage"]) == {"frequency", "last_session", "created_session", "sessions_since"}


@pytest.mark.parametrize("how", ["id", "prefix", "slug", "address"])
def test_entry_is_found_by_every_kind_of_ref(cli: Cli, store: Path, how: str) -> None:
    shown = cli.json("show", "use-postgres")
    named = {"id": shown["id"], "prefix": shown["id"][:6], "slug": shown["slug"]}
    assert cli.json("show", named.get(how, shown["address"]))["id"] == shown["id"]


def test_shown_entry_is_valid_input_of_an_update(cli: Cli, store: Path) -> None:
    shown = cli.json("show", "use-postgres")
    shown["content"]["status"] = "deprecated"
    text = json.dumps(shown).encode()
    done = cli.json("update", "use-postgres", "--input", "-", stdin=text)
    assert (done["status"], done["times_updated"], done["commit"]) == ("updated", 1, tip(store))
    after = cli.json("show", "use-postgres")
    assert after["content"]["status"] == "deprecated"
    assert after["changes"][-1]["field"] == "content.status"


def test_update_by_whole_document_takes_absent_fields_away(cli: Cli, store: Path) -> None:
    cli.ok("update", "use-postgres", "--field", "consequences=one database")
    cli.ok("update", "use-postgres", "--input", "changed.json")
    content = CHANGED["content"]
    assert cli.json("show", "use-postgres")["content"] == content


def test_update_adds_tags_and_keeps_those_there(cli: Cli, store: Path) -> None:
    cli.ok("update", "use-postgres", "--tag", "storage")
    assert cli.json("show", "use-postgres")["tags"] == ["database", "storage"]


def test_update_that_renames_says_what_it_was(cli: Cli, store: Path) -> None:
    done = cli.json("update", "old-cache", "--title", "Redis sits in front of the shop")
    assert done["renamed_from"] == "register/notes/old-cache"
    assert done["target"] == "register/notes/redis-sits-in-front-of-the-shop"


MOVES = [
    (["retire", "use-postgres", "--reason", "gone"], "retired", "already_retired"),
    (["archive", "use-postgres"], "archived", "already_archived"),
    (["restore", "retired-plan"], "restored", "already_active"),
    (["promote", "use-postgres"], "promoted", "already_working"),
    (["demote", "deploy-on-fridays"], "demoted", "already_register"),
    (["pin", "use-postgres"], "pinned", "already_pinned"),
]


@pytest.mark.parametrize(("words", "first", "second"), MOVES, ids=[row[0][0] for row in MOVES])
def test_repeated_change_answers_that_it_is_done(
    cli: Cli, store: Path, words: list[str], first: str, second: str
) -> None:
    done = cli.json(*words)
    assert (done["status"], done["commit"]) == (first, tip(store))
    again = cli.json(*words)
    assert again["status"] == second
    assert (again["id"], again["target"]) == (done["id"], done["target"])
    assert tip(store) == done["commit"], "a repeat makes no commit"


def test_retire_answers_with_its_reason(cli: Cli, store: Path) -> None:
    assert cli.json("retire", "use-postgres", "--reason", "moved")["reason"] == "moved"
    shown = cli.json("show", "use-postgres")
    assert (shown["record_status"], shown["retired_reason"]) == ("retired", "moved")


def test_unarchive_is_for_archived_entries(cli: Cli, store: Path) -> None:
    assert cli.json("unarchive", "archived-plan")["status"] == "unarchived"
    assert cli("unarchive", "archived-plan", "--json").error["code"] == "UNARCHIVE_ERROR"


@pytest.mark.parametrize("refusal", ["promote", "demote"])
def test_tier_of_a_retired_entry_stays(cli: Cli, store: Path, refusal: str) -> None:
    assert cli(refusal, "retired-plan", "--json").error["code"] == "UPDATE_ERROR"


def test_snooze_takes_days_or_a_date(cli: Cli, store: Path) -> None:
    assert (
        cli.json("snooze", "old-cache", "--until", "2040-01-31")["until"] == "2040-01-31T00:00:00Z"
    )
    assert cli.json("snooze", "old-cache", "--days", "3")["status"] == "snoozed"
    both = cli("snooze", "old-cache", "--days", "3", "--until", "2040-01-31", "--json")
    assert both.error["code"] == "USAGE_ERROR"


def test_supersede_changes_the_old_entry_alone(cli: Cli, store: Path) -> None:
    new = cli.json("show", "deploy-on-fridays")
    assert cli.json("supersede", "old-cache", "deploy-on-fridays")["status"] == "superseded"
    assert cli.json("show", "old-cache")["superseded_by"] == new["id"]
    assert cli.json("show", "deploy-on-fridays")["blob"] == new["blob"]


def test_appreciate_raises_by_the_amount(cli: Cli, store: Path) -> None:
    assert cli.json("appreciate", "old-cache", "3")["appreciation"] == 3
    assert cli.json("appreciate", "old-cache")["appreciation"] == 4


def test_several_entries_answer_one_by_one(cli: Cli, store: Path) -> None:
    done = cli.json("pin", "old-cache", "use-postgres")
    assert [one["status"] for one in done["results"]] == ["pinned", "pinned"]


def test_several_entries_stop_at_the_first_error_and_tell_what_was_done(
    cli: Cli, store: Path
) -> None:
    done = cli("pin", "old-cache", "nowhere", "use-postgres", "--json")
    assert done.code == 1
    assert done.error["code"] == "NOT_FOUND"
    assert [one["target"] for one in done.json["results"]] == ["register/notes/old-cache"]
    assert not cli.json("show", "use-postgres")["pinned"]


def test_undo_of_a_commit_and_of_a_session(cli: Cli, store: Path) -> None:
    retired = cli.json("retire", "old-cache")
    undone = cli.json("undo", retired["commit"])
    assert undone["status"] == "undone"
    assert (undone["undoes"], undone["commit"]) == (retired["commit"], tip(store))
    assert undone["ids"] == [retired["id"]]
    session = cli.json("undo", "--session", "3f9c")
    assert session["commits"] == [tip(store)]
    assert cli("show", "from-a-session").code == 1


def test_undo_wants_a_commit_or_a_session(cli: Cli, store: Path) -> None:
    assert cli("undo", "--json").error["code"] == "USAGE_ERROR"
    assert cli("undo", "4f1c2ab", "--session", "x", "--json").error["code"] == "USAGE_ERROR"


def test_gc_leaves_what_was_retired_just_now(cli: Cli, store: Path) -> None:
    dry, done = cli.json("gc", "--dry-run"), cli.json("gc")
    assert (dry["status"], done["status"]) == ("planned", "collected")
    assert done["removed"] == []
    assert [one["target"] for one in done["skipped"]] == ["retired/notes/retired-plan"]


def test_list_leaves_content_out_and_retired_ones_too(cli: Cli, store: Path) -> None:
    listed = cli.json("list")
    assert listed["commit"] == tip(store)
    assert {one["tier"] for one in listed["entries"]} == {"working", "register"}
    assert not any({"content", "changes"} & set(one) for one in listed["entries"])
    everything = cli.json("list", "--tier", "all")["entries"]
    assert {one["tier"] for one in everything} == {"working", "register", "archive", "retired"}


def test_list_filters(cli: Cli, store: Path) -> None:
    cli.ok("pin", "old-cache")

    def slugs(*words: str) -> list[str]:
        return [one["slug"] for one in cli.json("list", *words)["entries"]]

    assert slugs("--pinned") == ["old-cache"]
    assert slugs("--category", "decision") == ["use-postgres"]
    assert slugs("--tag", "database") == ["use-postgres"]
    assert slugs("--tier", "archive") == ["archived-plan"]


def test_reads_at_a_commit_see_the_past(cli: Cli, store: Path) -> None:
    before = tip(store)
    cli.ok("update", "use-postgres", "--field", "status=deprecated")
    cli.ok("retire", "use-postgres")
    then = cli.json("show", "use-postgres", "--at", before)
    assert (then["tier"], then["content"]["status"]) == ("register", "accepted")
    assert then["commit"] == before
    assert "use-postgres" in {one["slug"] for one in cli.json("list", "--at", before)["entries"]}
    assert cli.json("log", "--at", before)["commits"][0]["commit"] == before
    assert cli.json("blame", "use-postgres", "--at", before)["commit"] == before
    assert cli.json("config", "get", "working.agents", "--at", before)["value"] is False


def test_log_shows_changes_and_follows_moves(cli: Cli, store: Path) -> None:
    cli.ok("update", "use-postgres", "--field", "status=deprecated", "--reason", "moving")
    cli.ok("archive", "use-postgres")
    log = cli.json("log", "use-postgres")
    assert [one["op"] for one in log["commits"]] == ["archive", "update", "create"]
    update = log["commits"][1]
    assert {"commit", "time", "op", "ids", "title", "actor", "session", "reason"} <= set(update)
    assert update["reason"] == "moving"
    fields = [(one["field"], one["old"], one["new"]) for one in update["changes"]]
    assert fields == [("content.status", "accepted", "deprecated")]
    assert len(cli.json("log", "--limit", "2")["commits"]) == 2


def test_log_patch_shows_the_lines(cli: Cli, store: Path) -> None:
    cli.ok("update", "use-postgres", "--field", "status=deprecated")
    (commit,) = cli.json("log", "--limit", "1", "--patch")["commits"]
    assert "-status: accepted\n+status: deprecated\n" in commit["patch"]
    assert "+status: deprecated" in cli.ok("log", "--limit", "1", "--patch").out


def test_blame_names_the_commit_of_each_field(cli: Cli, store: Path) -> None:
    made = cli.json("log", "use-postgres")["commits"][-1]["commit"]
    cli.ok("update", "use-postgres", "--field", "status=deprecated")
    fields = {one["field"]: one["commit"] for one in cli.json("blame", "use-postgres")["fields"]}
    assert fields["content.status"] == tip(store)
    assert fields["title"] == made


def test_diff_tells_what_changed_between_commits(cli: Cli, store: Path) -> None:
    before = tip(store)
    cli.ok("update", "use-postgres", "--field", "status=deprecated")
    (one,) = cli.json("diff", before)["entries"]
    assert one["status"] == "changed"
    assert [change["field"] for change in one["changes"]] == ["content.status"]
    assert cli.json("diff", before, before)["entries"] == []
    assert "+status: deprecated" in cli.ok("diff", before, "--patch").out


def test_config_is_set_in_a_commit(cli: Cli, store: Path) -> None:
    done = cli.json("config", "set", "delete.grace_period_days", "60")
    assert done == {**done, "status": "set", "key": "delete.grace_period_days", "value": 60}
    assert done["commit"] == tip(store)
    assert cli.json("config", "get", "delete.grace_period_days")["value"] == 60
    listed = {one["key"]: one for one in cli.json("config", "list")["keys"]}
    assert listed["delete.grace_period_days"]["is_set"]


def test_import_takes_an_export_once(cli: Cli, store: Path, tmp_path: Path) -> None:
    cli.ok("init", "--standalone", str(tmp_path / "other.git"))
    other = ("--store", str(tmp_path / "other.git"))
    planned = cli.json(*other, "import", "memories.jsonl", "--dry-run")
    assert planned["status"] == "planned"
    first = cli.json(*other, "import", "--format", "gitmem", "memories.jsonl")
    again = cli.json(*other, "import", "memories.jsonl")
    assert (first["status"], first["skipped"], first["failed"]) == ("imported", 0, [])
    assert first["created"] == len(planned["items"]) == again["skipped"]
    exported = Path("memories.jsonl").read_text("utf-8")
    ids = {json.loads(line)["id"] for line in exported.splitlines()}
    assert {one["id"] for one in cli.json(*other, "list", "--tier", "all")["entries"]} == ids


def test_import_tells_the_line_it_refused_and_takes_the_others(cli: Cli, store: Path) -> None:
    good = json.dumps({**CHANGED, "title": "Another one"})
    done = cli("--json", "import", "-", stdin=f"nonsense\n{good}\n".encode())
    assert done.code == 1
    assert done.json["created"] == 1
    assert [one["line"] for one in done.json["failed"]] == [1]


def test_export_never_overwrites_a_file(cli: Cli, store: Path) -> None:
    before = Path("memories.jsonl").read_bytes()
    assert cli("export", "memories.jsonl", "--json").error["code"] == "INPUT_ERROR"
    assert Path("memories.jsonl").read_bytes() == before


def test_export_to_a_folder_writes_the_files_of_the_branch(cli: Cli, store: Path) -> None:
    cli.ok("export", "--format", "markdown", "out")
    shown = cli.ok("show", "use-postgres", "--raw").out
    assert Path("out/register/decisions/use-postgres.md").read_text("utf-8") == shown
    assert shown == git(store, "show", "memory:register/decisions/use-postgres.md") + "\n"


def test_index_can_be_rebuilt_and_checked(cli: Cli, store: Path) -> None:
    assert cli.json("index", "--rebuild")["commit"] == tip(store)
    valid = cli.json("index", "--validate")
    assert (valid["status"], valid["missing"], valid["stale"]) == ("valid", [], [])
    assert cli("index", "--json").error["code"] == "USAGE_ERROR"


def test_adopt_commits_an_edit_of_the_view(cli: Cli, store: Path) -> None:
    cli.ok("view")
    file = store / ".claude/memory/register/decisions/use-postgres.md"
    file.write_text(file.read_text("utf-8").replace("accepted", "deprecated"), "utf-8")
    done = cli.json("adopt")
    assert [one["commit"] for one in done["adopted"]] == [tip(store)]
    assert cli.json("show", "use-postgres")["content"]["status"] == "deprecated"


def test_adopt_of_an_invalid_edit_ends_with_one(cli: Cli, store: Path) -> None:
    cli.ok("view")
    file = store / ".claude/memory/register/decisions/use-postgres.md"
    file.write_text("no entry at all\n", "utf-8")
    done = cli("adopt", "--json")
    assert (done.code, done.json["adopted"], len(done.json["invalid"])) == (1, [], 1)
    assert "accepted" in file.read_text("utf-8")


def test_schema_of_a_category_and_of_the_configuration(cli: Cli) -> None:
    assert "title" in cli.json("schema", "decision")["properties"]
    assert cli.json("schema", "config")["type"] == "object"
    assert set(cli.json("schema")) == {"categories", "config"}
    unknown = cli("schema", "nonsense", "--json")
    assert unknown.code == 1


def test_status_health_and_doctor_answer_one_object(cli: Cli, store: Path) -> None:
    for name in ("status", "health"):
        assert isinstance(cli.json(name), dict)
        assert cli.ok(name).out
    checks = cli.json("doctor")["checks"]
    assert checks
    assert all(set(one) == {"name", "ok", "message", "fix"} for one in checks)
