"""The write pipeline's rules, asked of the whole of it: its order, its codes, its fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gitmem.features import reading
from gitmem.features.answers import Answer
from gitmem.features.upkeep.collect import gc
from gitmem.features.write.draft import draft_from_json, parse_object
from gitmem.features.write.pipeline import Edit, NewEntry, create, remember, update
from gitmem.model.errors import (
    AntiResurrectionError,
    ConfigError,
    GitmemError,
    InputError,
    MergeError,
    OccConflict,
    PreconditionError,
    SecretFound,
    UpdateError,
    ValidationError,
)

from tests.helpers import git
from tests.store import kit
from tests.store.kit import unsynced as unsynced

SECRET = "AKIA" + "IOSFODNN7EXAMPLQ"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[kit.Memory]:
    memory = kit.new_memory(tmp_path / "repo")
    yield memory
    memory.close()


def whole(memory: kit.Memory, ref: str, expect: str | None = None, **changes: Any) -> Answer:
    """An update by the whole document that `show` printed, with some keys changed."""
    document = {**reading.show(memory.workspace, ref), **changes}
    memory.clock.tick()
    return update(memory.workspace, Edit(ref, draft_from_json(document), expect=expect))


def shown(memory: kit.Memory, ref: str) -> dict[str, Any]:
    return reading.show(memory.workspace, ref)


# 1. Order of checks


def test_an_update_is_validated_then_protected_then_searched_then_compared(
    memory: kit.Memory,
) -> None:
    one = memory.add("A decision", "decision", tags=["kept"])
    stale = memory.tip
    memory.edit(one.id, "status=deprecated")
    good = kit.CONTENTS["decision"]
    wrong: dict[str, Any] = {
        "content": {**good, "status": "no such status", "context": f"key {SECRET}"},
        "tags": ["other"],
    }
    with pytest.raises(ValidationError) as invalid:
        whole(memory, one.id, stale, **wrong)
    assert invalid.value.field == "content.status"
    wrong["content"] = {**good, "context": f"key {SECRET}"}
    with pytest.raises(MergeError):
        whole(memory, one.id, stale, **wrong)
    wrong["tags"] = ["kept", "other"]
    with pytest.raises(SecretFound):
        whole(memory, one.id, stale, **wrong)
    wrong["content"] = {**good, "context": "No key."}
    with pytest.raises(OccConflict):
        whole(memory, one.id, stale, **wrong)
    assert whole(memory, one.id, memory.tip, **wrong).status == "updated"


def test_a_create_is_validated_before_it_is_compared_with_the_retired(memory: kit.Memory) -> None:
    one = memory.add("Retired a moment ago")
    memory.move("retire", one.id)
    with pytest.raises(ValidationError):
        memory.add("Retired a moment ago", confidence="high")
    with pytest.raises(SecretFound):
        memory.add("Retired a moment ago", body=None, content={"body": SECRET})
    with pytest.raises(AntiResurrectionError):
        memory.add("Retired a moment ago")


def test_a_refused_write_leaves_nothing(memory: kit.Memory) -> None:
    before = memory.tip
    with pytest.raises(ValidationError):
        memory.add("x" * 121)
    assert memory.tip == before
    kit.assert_sound(memory)


# 2. What an update can't change


def test_an_update_ignores_what_it_cant_change(memory: kit.Memory) -> None:
    one = memory.add("Unchangeable", "decision")
    before = shown(memory, one.id)
    whole(
        memory,
        one.id,
        id="trffffffffff",
        category="note",
        created_at="2001-01-01T00:00:00Z",
        record_status="retired",
        tier="working",
        slug="another",
        pinned=True,
        appreciation=9,
        title="Unchangeable yes",
    )
    after = shown(memory, one.id)
    fixed = ("id", "category", "created_at", "record_status", "tier", "slug", "pinned")
    assert [after[key] for key in fixed] == [before[key] for key in fixed]
    assert after["appreciation"] == 0
    assert after["title"] == "Unchangeable yes"


def test_a_create_takes_no_state_and_no_id(memory: kit.Memory) -> None:
    state = {
        "id": "trffffffffff",
        "record_status": "retired",
        "tier": "archive",
        "retired_at": "2001-01-01T00:00:00Z",
        "pinned": True,
        "created_at": "2026-01-02T03:04:05+01:00",
    }
    given = {"title": "Smuggled", "tags": ["a"], "content": {"body": "x"}, **state}
    made = create(memory.workspace, NewEntry("note", draft_from_json(given)))
    after = shown(memory, made.id)
    assert made.id != "trffffffffff"
    assert (after["record_status"], after["tier"], after["pinned"]) == ("active", "register", False)
    assert after["created_at"] == "2026-01-02T02:04:05Z"


# 3. The whole document, or a patch


def test_a_document_without_a_key_keeps_it_and_without_a_content_field_removes_it(
    memory: kit.Memory,
) -> None:
    one = memory.add("A decision", "decision", confidence=0.5, when="asked")
    content = {k: v for k, v in kit.CONTENTS["decision"].items() if k != "alternatives"}
    document = {"content": content}
    update(memory.workspace, Edit(one.id, draft_from_json(document)))
    after = shown(memory, one.id)
    assert (after["title"], after["tags"], after["confidence"]) == ("A decision", ["one"], 0.5)
    assert after["when"] == "asked"
    assert not after["content"].get("alternatives")


def test_a_document_without_a_required_content_field_is_refused(memory: kit.Memory) -> None:
    one = memory.add("A decision", "decision")
    content = {k: v for k, v in kit.CONTENTS["decision"].items() if k != "decision"}
    with pytest.raises(ValidationError) as refused:
        whole(memory, one.id, content=content)
    assert refused.value.field == "content.decision"
    assert refused.value.fix


def test_single_fields_are_a_patch(memory: kit.Memory) -> None:
    one = memory.add("A decision", "decision")
    memory.edit(one.id, "status=deprecated", "rationale=One reason", "rationale=Another")
    after = shown(memory, one.id)["content"]
    assert after["status"] == "deprecated"
    assert after["rationale"] == ["One reason", "Another"]
    assert after["context"] == kit.CONTENTS["decision"]["context"]
    memory.edit(one.id, "alternatives=")
    assert not shown(memory, one.id)["content"].get("alternatives")


# 4. The commit is the note


def test_an_update_that_changes_nothing_is_refused_even_with_a_reason(memory: kit.Memory) -> None:
    one = memory.add("Unchanged")
    before = memory.tip
    with pytest.raises(UpdateError, match="nothing changes"):
        whole(memory, one.id)
    with pytest.raises(UpdateError):
        memory.edit(one.id, f"body={kit.CONTENTS['note']['body']}", reason="only a note")
    with pytest.raises(UpdateError):
        memory.edit(one.id, "tags=one", "title=  Unchanged  ")
    assert memory.tip == before


def test_the_reason_is_in_the_commit_and_in_the_changes(memory: kit.Memory) -> None:
    one = memory.add("A decision", "decision", reason="for the record")
    memory.edit(one.id, "status=deprecated", reason="it is\n\n--- old")
    assert git(memory.repo, "log", "-1", "--format=%b", "memory").startswith("it is\n\n\\--- old")
    assert shown(memory, one.id)["changes"] == [
        {
            "date": shown(memory, one.id)["updated_at"],
            "summary": "it is\n\n--- old",
            "field": "content.status",
            "old_value": "accepted",
            "new_value": "deprecated",
        }
    ]


def test_the_last_change_note_of_a_draft_is_the_reason(memory: kit.Memory) -> None:
    changes = [{"summary": "first"}, {"summary": "Because of the audit"}]
    made = memory.add("With a note", changes=changes)
    assert reading.log(memory.workspace, made.id)[1][0].commit.reason == "Because of the audit"


def test_a_reason_that_is_a_document_is_refused(memory: kit.Memory) -> None:
    with pytest.raises(ValidationError) as refused:
        memory.add("A note", reason="x" * 4001)
    assert refused.value.field == "reason"


# 5. Tags


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["Big Data", "b,c", " x "], ["b c", "big data", "x"]),
        (["a", 7, None, "a"], ["a"]),
        ([], ["untagged"]),
        (["", " , "], ["untagged"]),
    ],
)
def test_tags_are_put_into_their_form(
    memory: kit.Memory, given: list[Any], kept: list[str]
) -> None:
    assert shown(memory, memory.add("Tagged", tags=given).id)["tags"] == kept


@pytest.mark.parametrize("given", [None, {}, 7])
def test_missing_tags_are_an_error(memory: kit.Memory, given: object) -> None:
    document = {"title": "x", "tags": given, "content": {"body": "x"}}
    with pytest.raises(ValidationError) as refused:
        create(memory.workspace, NewEntry("note", draft_from_json(document)))
    assert refused.value.field == "tags"
    with pytest.raises(ValidationError) as refused:
        create(memory.workspace, NewEntry("note", draft_from_json({"title": "x", "body": "x"})))
    assert refused.value.field == "tags"


def test_tags_only_grow(memory: kit.Memory) -> None:
    one = memory.add("Tagged", tags=["a", "b"])
    with pytest.raises(MergeError) as refused:
        whole(memory, one.id, tags=["a", "c"])
    assert (refused.value.field, refused.value.details["removed"]) == ("tags", ["b"])
    whole(memory, one.id, tags=["a", "b", "c"])
    assert shown(memory, one.id)["tags"] == ["a", "b", "c"]


def test_the_mark_of_an_untagged_entry_may_go(memory: kit.Memory) -> None:
    one = memory.add("Untagged", tags=[])
    whole(memory, one.id, tags=["real"])
    assert shown(memory, one.id)["tags"] == ["real"]


def test_a_create_keeps_twelve_tags_and_names_the_others(memory: kit.Memory) -> None:
    made = memory.add("Tagged", tags=[f"t{number:02}" for number in range(14)])
    assert shown(memory, made.id)["tags"] == [f"t{number:02}" for number in range(12)]
    assert any("t12" in warning and "t13" in warning for warning in made.warnings)


def test_the_cut_of_an_update_never_drops_an_old_tag_for_a_new_one(memory: kit.Memory) -> None:
    old = [f"m{number:02}" for number in range(11)]
    one = memory.add("Tagged", tags=old)
    updated = whole(memory, one.id, tags=["a", "z", *old])
    assert shown(memory, one.id)["tags"] == ["a", *old]
    assert any("z" in warning for warning in updated.warnings)


def test_at_the_cap_a_tag_goes_only_when_a_new_one_comes(memory: kit.Memory) -> None:
    old = [f"m{number:02}" for number in range(12)]
    one = memory.add("Tagged", tags=old)
    with pytest.raises(MergeError):
        whole(memory, one.id, tags=old[:-1])
    whole(memory, one.id, tags=[*old[:-1], "new"])
    assert shown(memory, one.id)["tags"] == sorted([*old[:-1], "new"])


# 6. Titles


def test_a_title_is_one_line_of_valid_text(memory: kit.Memory) -> None:
    made = memory.add("  One\ttitle\nof\x00 three\u2028lines  ")
    assert made.title == "One title of three lines"


@pytest.mark.parametrize("title", ["", "   ", "\n\t", "x" * 121, 7, None])
def test_a_title_that_is_none_is_refused(memory: kit.Memory, title: object) -> None:
    document = {"title": title, "tags": ["a"], "content": {"body": "x"}}
    with pytest.raises(ValidationError) as refused:
        create(memory.workspace, NewEntry("note", draft_from_json(document)))
    assert refused.value.field == "title"
    memory.add("x" * 120)


def test_markers_of_the_output_block_dont_stay_in_a_title(memory: kit.Memory) -> None:
    made = memory.add("From here -> there #tags: x")
    assert " -> " not in made.title
    assert "#tags:" not in made.title
    assert made.warnings


# 7. Renames


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        # Two of three words stay, one of two is another: exactly half isn't more than half.
        ("alpha beta gamma delta", "alpha-beta-gamma"),
        ("alpha BETA epsilon", "alpha-beta-gamma"),
        ("alpha zeta eta", "alpha-zeta-eta"),
        ("Something else", "something-else"),
        ("中文 标题", "alpha-beta-gamma"),
        ("con", "alpha-beta-gamma"),
    ],
)
def test_an_entry_is_renamed_when_more_than_half_of_its_title_is_new(
    memory: kit.Memory, title: str, slug: str
) -> None:
    one = memory.add("Alpha beta gamma")
    updated = memory.edit(one.id, f"title={title}")
    assert updated.target == f"register/notes/{slug}"
    assert (updated.id, updated.title) == (one.id, title)
    renamed = None if slug == "alpha-beta-gamma" else "register/notes/alpha-beta-gamma"
    assert updated.renamed_from == renamed


@pytest.mark.parametrize("state", ["register", "working", "archive", "retired"])
def test_an_entry_of_any_state_blocks_a_rename(memory: kit.Memory, state: str) -> None:
    other = memory.add("Something else", tier="working" if state == "working" else "register")
    if state in ("archive", "retired"):
        memory.move({"archive": "archive", "retired": "retire"}[state], other.id)
    one = memory.add("Alpha beta gamma")
    updated = memory.edit(one.id, "title=Something else")
    assert updated.target == "register/notes/alpha-beta-gamma"
    assert updated.renamed_from is None
    assert any("something-else" in warning for warning in updated.warnings)
    assert shown(memory, one.id)["title"] == "Something else"


# 8. Creates over others, updates of what isn't active


@pytest.mark.parametrize("move", [None, "archive", "promote"])
def test_a_create_beside_one_of_its_slug_gets_a_number(
    memory: kit.Memory, move: str | None
) -> None:
    one = memory.add("The name")
    if move:
        memory.move(move, one.id)
    assert memory.add("The name").target == "register/notes/the-name-2"
    assert memory.add("The name").target == "register/notes/the-name-3"
    assert shown(memory, one.id)["title"] == "The name"


def test_a_slug_is_one_folders_own(memory: kit.Memory) -> None:
    memory.add("The name")
    assert memory.add("The name", "procedure").target == "register/procedures/the-name"


def test_a_retired_slug_comes_back_after_a_day_with_a_number(memory: kit.Memory) -> None:
    one = memory.add("The name")
    memory.move("retire", one.id)
    memory.clock.tick(24 * 3600 - 61)
    with pytest.raises(AntiResurrectionError) as refused:
        memory.add("The name")
    assert one.id in str(refused.value.fix)
    assert refused.value.details["target"] == "retired/notes/the-name"
    memory.clock.tick(1)
    assert memory.add("The name").target == "register/notes/the-name-2"


def test_a_slug_that_was_retired_and_collected_within_a_day_stays_refused(
    memory: kit.Memory,
) -> None:
    memory.set("delete.grace_period_days", 0)
    memory.move("retire", memory.add("The name").id)
    memory.clock.tick()
    assert len(gc(memory.workspace).removed) == 1
    with pytest.raises(AntiResurrectionError):
        memory.add("The name")
    memory.clock.tick(24 * 3600)
    assert memory.add("The name").target == "register/notes/the-name"


def test_a_retired_entry_under_another_slug_binds_nobody(memory: kit.Memory) -> None:
    memory.add("The name")
    second = memory.add("The name")
    memory.move("retire", second.id)
    assert memory.add("The name").target == "register/notes/the-name-3"


def test_an_entry_that_was_restored_binds_nobody(memory: kit.Memory) -> None:
    one = memory.add("The name")
    memory.move("retire", one.id)
    memory.move("restore", one.id)
    assert memory.add("The name").target == "register/notes/the-name-2"


@pytest.mark.parametrize(("move", "back"), [("retire", "restore"), ("archive", "unarchive")])
def test_what_isnt_active_isnt_updated(memory: kit.Memory, move: str, back: str) -> None:
    one = memory.add("Not active")
    memory.move(move, one.id)
    with pytest.raises(UpdateError) as refused:
        memory.edit(one.id, "body=changed")
    assert f"gitmem {back} {one.id}" in str(refused.value.fix)


# 11. Types


@pytest.mark.parametrize("data", [b"[]", b"7", b'"text"', b"null", b"", b"{", b"\xff", b"{} {}"])
def test_input_that_is_no_object_is_an_input_error(data: bytes) -> None:
    with pytest.raises(InputError) as refused:
        parse_object(data, "-")
    assert refused.value.code == "INPUT_ERROR"


@pytest.mark.parametrize(
    ("category", "field", "value"),
    [
        ("constraint", "active", "yes"),
        ("constraint", "active", 1),
        ("constraint", "severity", "High"),
        ("constraint", "impact", []),
        ("decision", "rationale", "one reason"),
        ("decision", "context", 7),
        ("decision", "context", None),
        ("decision", "alternatives", ["MySQL"]),
        ("daily_log", "date", "yesterday"),
        ("note", "unknown", "x"),
    ],
)
def test_content_of_another_type_is_refused_by_its_name(
    memory: kit.Memory, category: str, field: str, value: object
) -> None:
    content = {**kit.CONTENTS[category], field: value}
    with pytest.raises(ValidationError) as refused:
        memory.add("Wrong", category, content=content)
    assert str(refused.value.field).startswith(f"content.{field}")
    assert refused.value.expected or refused.value.fix


@pytest.mark.parametrize("value", ["0.5", "high", True, float("nan")])
def test_a_confidence_that_is_no_number_is_refused(memory: kit.Memory, value: object) -> None:
    with pytest.raises(ValidationError) as refused:
        memory.add("Sure", confidence=value)
    assert refused.value.field == "confidence"


@pytest.mark.parametrize(("value", "kept"), [(1.5, 1.0), (-3, 0.0), (0.123456, 0.1235), (1, 1.0)])
def test_a_confidence_is_brought_between_0_and_1(
    memory: kit.Memory, value: float, kept: float
) -> None:
    made = memory.add("Sure", confidence=value)
    assert shown(memory, made.id)["confidence"] == kept
    assert bool(made.warnings) == (not 0 <= value <= 1)


def test_an_unknown_key_is_refused_with_the_nearest(memory: kit.Memory) -> None:
    with pytest.raises(ValidationError) as refused:
        memory.add("Misspelt", titel="x")
    assert "title" in str(refused.value.fix)


# Related files


def test_related_files_go_only_when_they_are_gone(memory: kit.Memory) -> None:
    one = memory.add("With files", related_files=["main.py", "gone.py", "../outside"])
    with pytest.raises(MergeError) as refused:
        whole(memory, one.id, related_files=[])
    assert (refused.value.field, refused.value.details["removed"]) == ("related_files", ["main.py"])
    whole(memory, one.id, related_files=["main.py"])
    assert shown(memory, one.id)["related_files"] == ["main.py"]


def test_a_list_that_gets_shorter_is_reported(memory: kit.Memory) -> None:
    one = memory.add("A decision", "decision")
    updated = memory.edit(one.id, "rationale=Only this")
    assert any("content.rationale" in warning for warning in updated.warnings)


# Secrets


@pytest.mark.parametrize("where", ["title", "tags", "when", "keywords", "content.body", "reason"])
def test_a_secret_is_refused_wherever_it_stands(memory: kit.Memory, where: str) -> None:
    given: dict[str, Any] = {}
    if where == "content.body":
        given["content"] = {"body": f"key {SECRET}"}
    elif where in ("tags", "keywords"):
        given[where] = [SECRET]
    else:
        given[where] = f"key {SECRET}"
    title = given.pop("title", "Harmless")
    with pytest.raises(SecretFound) as refused:
        memory.add(title, **given)
    assert refused.value.field == where
    assert SECRET not in str(refused.value.to_json())
    assert len(kit.commits_of(memory.repo)) == 1


# Categories and tiers


def test_every_category_is_created_in_its_folder_and_read_back(memory: kit.Memory) -> None:
    for category, content in kit.CONTENTS.items():
        made = memory.add(f"One {category}", category)
        after = shown(memory, made.id)
        assert after["category"] == category
        told = {key: value for key, value in after["content"].items() if key in content}
        assert told == content
    kit.assert_sound(memory)


def test_an_unknown_category_names_the_known_ones(memory: kit.Memory) -> None:
    with pytest.raises(ValidationError) as refused:
        create(memory.workspace, NewEntry("decisions", kit.draft("x")))
    assert refused.value.field == "category"
    assert "decision" in str(refused.value.expected)


def test_a_category_of_ones_own_has_a_free_body(memory: kit.Memory) -> None:
    memory.set("categories.recipe.folder", "recipes")
    made = create(memory.workspace, NewEntry("recipe", kit.draft("Bread")))
    assert made.target == "register/recipes/bread"
    assert shown(memory, made.id)["content"]["body"] == kit.CONTENTS["note"]["body"]
    kit.assert_sound(memory)


def test_an_agent_is_kept_from_a_category_that_is_switched_off(memory: kit.Memory) -> None:
    memory.set("categories.note.enabled", False)
    memory.add("A person may")
    agent = replace(memory.workspace, source="agent")
    with pytest.raises(PreconditionError):
        create(agent, NewEntry("note", kit.draft("An agent may not")))
    create(agent, NewEntry("procedure", kit.draft("Another category")))


def test_an_entity_is_never_in_working_memory(memory: kit.Memory) -> None:
    with pytest.raises(UpdateError):
        memory.add("Mail server", "entity", tier="working")
    assert memory.add("Mail server", "entity").target == "graph/mail-server"


@pytest.mark.parametrize("slug", ["Upper", "a b", "../x", "a--b", "con", "x" * 81])
def test_a_slug_that_is_given_must_be_one(memory: kit.Memory, slug: str) -> None:
    with pytest.raises(ValidationError) as refused:
        memory.add("A title", slug=slug)
    assert refused.value.field == "slug"
    assert memory.add("A title", slug="my-own").target == "register/notes/my-own"


@pytest.mark.parametrize("title", ["中文 标题", "CON", "…", "nul"])
def test_a_title_without_a_slug_is_found_under_its_id(memory: kit.Memory, title: str) -> None:
    made = memory.add(title)
    assert made.target == f"register/notes/{made.id}"


# remember


def test_a_person_remembers_in_working_memory_and_an_agent_in_the_register(
    memory: kit.Memory,
) -> None:
    assert remember(memory.workspace, "The key is under the mat.").target.startswith("working/")
    agent = replace(memory.workspace, source="agent")
    assert remember(agent, "The door is green.").target.startswith("register/")
    memory.set("working.agents", True)
    assert remember(agent, "The window is open.").target.startswith("working/")


def test_what_is_remembered_has_its_first_line_as_title(memory: kit.Memory) -> None:
    text = "word " * 30 + "\n\nand more"
    made = remember(memory.workspace, text, tags=("a",))
    assert made.title == " ".join(["word"] * 24)
    assert shown(memory, made.id)["content"]["body"] == text.strip()
    with pytest.raises(InputError):
        remember(memory.workspace, " \n ")


# The answer


def test_a_create_names_what_resembles_it(memory: kit.Memory) -> None:
    one = memory.add("Deploy the payment service", tags=["payment"])
    memory.add("Something about lunch")
    made = memory.add("Payment service deploy notes", tags=["payment"])
    assert made.similar == ({"id": one.id, "title": "Deploy the payment service"},)


def test_an_update_counts_itself(memory: kit.Memory) -> None:
    one = memory.add("Counted")
    assert memory.edit(one.id, "body=1").times_updated == 1
    memory.move("archive", one.id)
    memory.move("unarchive", one.id)
    assert memory.edit(one.id, "body=2").times_updated == 2
    assert shown(memory, one.id)["times_updated"] == 2


@pytest.mark.parametrize("error", [ConfigError, UpdateError, ValidationError])
def test_errors_carry_code_and_exit_code(error: type[GitmemError]) -> None:
    assert error("x").to_json()["code"] == error.code
    assert error.exit_code == 1
