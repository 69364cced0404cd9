"""Direct edits become commits with every protection, and nothing that was written is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gitmem.features.lifecycle import Request, move
from gitmem.features.view.adopt import Adopted, adopt
from gitmem.features.view.checkout import checkout
from gitmem.model.errors import PathError, PreconditionError

from tests.features.scratch import Scratch, scratch
from tests.helpers import fsck, git

PATH = "register/notes/use-tabs.md"


def edit(memory: Scratch, old: str, new: str, path: str = PATH) -> None:
    file = memory.view / path
    text = file.read_bytes().decode()
    assert old in text
    file.write_bytes(text.replace(old, new).encode())


def adopted(memory: Scratch, *paths: Path, source: str = "user") -> Adopted:
    memory.at += 60
    memory.source = source
    with memory.open() as workspace:
        return adopt(workspace, paths)


def kept(memory: Scratch, item: dict[str, Any]) -> str:
    return memory.file(item["kept_as"])


def commits(memory: Scratch) -> int:
    return int(git(memory.repo, "rev-list", "--count", "memory"))


def test_an_edit_becomes_one_update_commit(memory: Scratch) -> None:
    one = memory.add("Use tabs")
    before = commits(memory)
    edit(memory, "About Use tabs.", "Two blanks are wrong.")
    done = adopted(memory)
    assert [(item["id"], item["status"], item["target"]) for item in done.adopted] == [
        (one.id, "updated", "register/notes/use-tabs")
    ]
    assert commits(memory) == before + 1
    assert (
        git(memory.repo, "show", "memory", "--format=%s", "--no-patch") == "update(note): Use tabs"
    )
    assert "Two blanks are wrong." in git(memory.repo, "show", f"memory:{PATH}")
    assert (done.invalid, done.warnings) == ((), ())
    assert fsck(memory.repo) == ""


def test_several_edits_are_one_commit_each(memory: Scratch) -> None:
    memory.add("Use tabs")
    memory.add("Use blanks")
    before = commits(memory)
    edit(memory, "About", "All about")
    edit(memory, "About", "All about", "register/notes/use-blanks.md")
    assert len(adopted(memory).adopted) == 2
    assert commits(memory) == before + 2


def test_only_named_files_are_taken_over(memory: Scratch) -> None:
    memory.add("Use tabs")
    memory.add("Use blanks")
    edit(memory, "About", "All about")
    edit(memory, "About", "All about", "register/notes/use-blanks.md")
    done = adopted(memory, memory.view / PATH)
    assert [item["path"] for item in done.adopted] == [PATH]
    assert "All about" in memory.file("register/notes/use-blanks.md")
    assert len(adopted(memory).adopted) == 1


def test_nothing_edited_makes_no_commit(memory: Scratch) -> None:
    memory.add("Use tabs")
    before = commits(memory)
    done = adopted(memory)
    assert (done.to_json()["status"], commits(memory)) == ("unchanged", before)


def test_spacing_alone_is_no_change_and_is_put_back(memory: Scratch) -> None:
    memory.add("Use tabs")
    before, text = commits(memory), memory.file(PATH)
    edit(memory, "\n", "\r\n")
    done = adopted(memory)
    assert (done.adopted, done.invalid, commits(memory)) == ((), (), before)
    assert memory.file(PATH) == text


def test_a_new_title_renames_the_file(memory: Scratch) -> None:
    memory.add("Use tabs")
    edit(memory, "title: Use tabs", "title: Indent with four blanks")
    done = adopted(memory)
    assert done.adopted[0]["target"] == "register/notes/indent-with-four-blanks"
    assert memory.entries() == {"config.json", "register/notes/indent-with-four-blanks.md"}


def test_what_is_no_entry_is_set_aside_with_its_line_and_the_file_restored(memory: Scratch) -> None:
    memory.add("Use tabs")
    text = memory.file(PATH)
    edit(memory, "tags: [test]", "tags: [test]\ntags: [twice]")
    done = adopted(memory)
    (item,) = done.invalid
    assert (item["path"], item["line"]) == (PATH, 7)
    assert item["kept_as"] == f"{PATH}.invalid.{memory.at}"
    assert "twice" in kept(memory, item)
    assert memory.file(PATH) == text


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("tags: [test]", "tags: [other]", "MERGE_ERROR"),
        ("title: Use tabs", f"title: {'x' * 121}", "VALIDATION_ERROR"),
        ("About Use tabs.", "key: ghp_" + "a1B2" * 9, "SECRET_FOUND"),
        ("category: note", "category: procedure", "VALIDATION_ERROR"),
        ("id: tr", "id: tr0000000000\nx: tr", "VALIDATION_ERROR"),
    ],
)
def test_every_protection_of_an_update_holds(
    memory: Scratch, old: str, new: str, code: str
) -> None:
    memory.add("Use tabs")
    before, text = commits(memory), memory.file(PATH)
    edit(memory, old, new)
    done = adopted(memory)
    assert [item["code"] for item in done.invalid] == [code]
    assert (commits(memory), memory.file(PATH)) == (before, text)


def test_a_refused_edit_doesnt_stop_the_others(memory: Scratch) -> None:
    memory.add("Use tabs")
    memory.add("Use blanks")
    edit(memory, "tags: [test]", "tags: [other]")
    edit(memory, "About", "All about", "register/notes/use-blanks.md")
    done = adopted(memory)
    assert (len(done.adopted), len(done.invalid)) == (1, 1)


def test_an_edit_of_an_entry_that_moved_on_is_set_aside(memory: Scratch) -> None:
    """The edit was made on an older text: taking it over would lose the newer one."""
    one = memory.add("Use tabs")
    edit(memory, "About", "My words about")
    memory.change(one.id, "body=Somebody else's words.")
    done = adopted(memory)
    assert [item["code"] for item in done.invalid] == ["OCC_CONFLICT"]
    assert "My words about" in kept(memory, done.invalid[0])
    assert "Somebody else's words." in memory.file(PATH)


def test_an_edit_of_an_entry_that_was_retired_meanwhile_is_set_aside(memory: Scratch) -> None:
    one = memory.add("Use tabs")
    edit(memory, "About", "My words about")
    with memory.open() as workspace:
        move(workspace, "retire", Request(one.id, "wrong"))
    before = commits(memory)
    done = adopted(memory)
    assert [item["code"] for item in done.invalid] == ["OCC_CONFLICT"]
    assert commits(memory) == before
    assert "My words about" in kept(memory, done.invalid[0])
    assert not (memory.view / PATH).exists()


def test_an_edit_of_another_entry_never_conflicts(memory: Scratch) -> None:
    memory.add("Use tabs")
    edit(memory, "About", "My words about")
    memory.add("Unrelated")
    assert len(adopted(memory).adopted) == 1


def test_a_retired_entry_is_not_edited(memory: Scratch) -> None:
    one = memory.add("Use tabs")
    with memory.open() as workspace:
        move(workspace, "retire", Request(one.id, "wrong"))
    edit(memory, "About", "My words about", "retired/notes/use-tabs.md")
    assert [item["code"] for item in adopted(memory).invalid] == ["UPDATE_ERROR"]


def test_marks_and_dates_stay_and_their_commands_are_named(memory: Scratch) -> None:
    memory.add("Use tabs")
    edit(memory, "tags: [test]", "tags: [more, test]\npinned: true")
    done = adopted(memory)
    assert len(done.adopted) == 1
    assert "pinned" not in memory.file(PATH)
    assert any("gitmem pin" in text for text in done.warnings)


def test_comments_that_go_are_named(memory: Scratch) -> None:
    memory.add("Use tabs")
    edit(memory, "tags: [test]", "tags: [more, test] # why these")
    done = adopted(memory)
    assert any("# why these" in text for text in done.warnings)
    assert "# why these" not in memory.file(PATH)


def test_a_deleted_file_comes_back_and_is_named(memory: Scratch) -> None:
    memory.add("Use tabs")
    text, before = memory.file(PATH), commits(memory)
    (memory.view / PATH).unlink()
    done = adopted(memory)
    assert done.restored == (PATH,)
    assert any("gitmem retire" in warning for warning in done.warnings)
    assert (memory.file(PATH), commits(memory)) == (text, before)


def test_a_new_file_becomes_an_entry_where_it_lies(memory: Scratch) -> None:
    file = memory.view / "working/notes/my-note.md"
    file.parent.mkdir(parents=True)
    file.write_text("---\ntitle: Something else\ntags: [a]\n---\n\nText.\n", "utf-8")
    done = adopted(memory)
    assert [item["target"] for item in done.adopted] == ["working/notes/my-note"]
    assert "Text." in git(memory.repo, "show", "memory:working/notes/my-note.md")


def test_a_new_file_whose_name_is_no_slug_gets_one_from_its_title(memory: Scratch) -> None:
    file = memory.view / "register/notes/My Note.md"
    file.parent.mkdir(parents=True)
    file.write_text("---\ntitle: Something else\ntags: [a]\n---\n\nText.\n", "utf-8")
    done = adopted(memory)
    assert [item["target"] for item in done.adopted] == ["register/notes/something-else"]
    assert memory.entries() == {"config.json", "register/notes/something-else.md"}


def test_a_copied_file_gets_an_id_of_its_own(memory: Scratch) -> None:
    one = memory.add("Use tabs")
    copy = memory.view / "register/notes/copy.md"
    copy.write_bytes((memory.view / PATH).read_bytes())
    done = adopted(memory)
    assert [item["status"] for item in done.adopted] == ["created"]
    assert done.adopted[0]["id"] != one.id


def test_an_agents_new_file_doesnt_reach_working_memory(memory: Scratch) -> None:
    file = memory.view / "working/notes/my-note.md"
    file.parent.mkdir(parents=True)
    file.write_text("---\ntitle: Note\ntags: [a]\n---\n\nText.\n", "utf-8")
    done = adopted(memory, source="agent")
    assert [item["target"] for item in done.adopted] == ["register/notes/my-note"]
    assert not file.exists()


def test_a_new_file_in_the_folder_of_another_category_is_set_aside(memory: Scratch) -> None:
    file = memory.view / "register/decisions/x.md"
    file.parent.mkdir(parents=True)
    file.write_text("---\ncategory: note\ntitle: Note\ntags: [a]\n---\n\nText.\n", "utf-8")
    done = adopted(memory)
    assert [item["code"] for item in done.invalid] == ["VALIDATION_ERROR"]
    assert "notes" in done.invalid[0]["why"]


def test_an_edited_page_is_set_aside_and_rendered_again(memory: Scratch) -> None:
    memory.add("Use tabs")
    text = memory.file("index.md")
    edit(memory, "# Memory Index", "# Mine", "index.md")
    done = adopted(memory)
    assert "# Mine" in kept(memory, done.invalid[0])
    assert memory.file("index.md") == text


def test_an_edited_config_sets_each_key_in_a_commit_of_its_own(memory: Scratch) -> None:
    before = commits(memory)
    edit(memory, '"format": 1', '"delete.grace_period_days": 7,\n  "format": 1', "config.json")
    done = adopted(memory)
    assert [item["path"] for item in done.adopted] == ["config.json"]
    assert commits(memory) == before + 1
    with memory.open() as workspace:
        config = workspace.store.snapshot().config
    assert config.get("delete.grace_period_days") == 7


def test_an_unknown_config_key_is_refused_and_the_file_restored(memory: Scratch) -> None:
    text = memory.file("config.json")
    edit(memory, '"format": 1', '"delete.grace_days": 7,\n  "format": 1', "config.json")
    done = adopted(memory)
    assert [item["code"] for item in done.invalid] == ["CONFIG_ERROR"]
    assert memory.file("config.json") == text


def test_files_that_were_set_aside_are_not_looked_at_again(memory: Scratch) -> None:
    memory.add("Use tabs")
    edit(memory, "tags: [test]", "tags: [other]")
    adopted(memory)
    again = adopted(memory)
    assert (again.adopted, again.invalid) == ((), ())


def test_a_named_file_outside_the_view_is_refused(memory: Scratch) -> None:
    with pytest.raises(PathError, match="isn't in the view"):
        adopted(memory, memory.repo / "code.py")


def test_a_named_file_where_no_entry_may_lie_is_reported_and_kept(memory: Scratch) -> None:
    file = memory.view / "notes.txt"
    file.write_text("mine", "utf-8")
    assert adopted(memory).invalid == ()
    done = adopted(memory, file)
    assert [(item["code"], item["kept_as"]) for item in done.invalid] == [("PATH_ERROR", None)]
    assert memory.file("notes.txt") == "mine"


def test_without_a_view_there_is_nothing_to_adopt(tmp_path: Path) -> None:
    made = scratch(tmp_path / "code", view=False)
    with made.open() as workspace, pytest.raises(PreconditionError, match="there is no view"):
        adopt(workspace)


def test_an_adopted_view_is_in_line_with_the_branch(memory: Scratch) -> None:
    memory.add("Use tabs")
    memory.add("Use blanks")
    edit(memory, "About", "All about")
    edit(memory, "tags: [test]", "tags: []", "register/notes/use-blanks.md")
    (memory.view / "config.json").unlink()
    adopted(memory)
    with memory.open() as workspace:
        done = checkout(workspace)
    assert (done.written, done.removed, done.edited) == (0, 0, ())
