"""What holds of every operation (I2, I3, I5, I6); a new one joins by a row in cases.py."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from gitmem.features import facts
from gitmem.features.undo import undo_commit
from gitmem.model.errors import OccConflict
from gitmem.store.ops import OPERATIONS

from tests.conformance.cases import CASES, Case, Done, done
from tests.helpers import commit_files, git, git_bytes
from tests.store import kit

by_op = pytest.mark.parametrize("case", CASES, ids=lambda case: case.op)
with_files = pytest.mark.parametrize(
    "case", [case for case in CASES if case.kind != "none"], ids=lambda case: case.op
)
with_expect = pytest.mark.parametrize(
    "case", [case for case in CASES if case.names_entry], ids=lambda case: case.op
)


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case.op)
def one(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Done]:
    """The operation done once. Tests that use this don't write."""
    memory = kit.new_memory(tmp_path_factory.mktemp("once") / "repo")
    yield done(request.param, memory)
    memory.close()


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[kit.Memory]:
    memory = kit.new_memory(tmp_path / "repo")
    yield memory
    memory.close()


def test_every_operation_of_the_store_has_a_row() -> None:
    assert sorted(case.op for case in CASES) == sorted(OPERATIONS)


def test_it_is_exactly_one_commit_on_the_state_before(one: Done) -> None:
    repo = one.memory.repo
    assert git(repo, "rev-list", f"{one.before}..{one.after}").split() == [one.after]
    assert git(repo, "rev-parse", f"{one.after}^@").split() == [one.before]


def test_it_touches_one_file_in_the_way_of_its_kind(one: Done) -> None:
    kinds = {
        (0, 0, 0): "none",
        (0, 1, 0): "changed",
        (1, 0, 0): "new",
        (0, 0, 1): "removed",
        (1, 0, 1): "moved",
    }
    counts = (len(one.came), len(one.changed), len(one.went))
    assert kinds[counts] == one.case.kind


def test_a_move_is_a_pure_rename_into_the_tier_it_names(one: Done) -> None:
    if one.case.tiers is None:
        assert one.case.kind != "moved"
        return
    (source,), (target,) = one.went, one.came
    assert one.tree_before[source] == one.tree_after[target]
    assert (source.split("/")[0], target.split("/")[0]) == one.case.tiers
    assert source.split("/")[1:] == target.split("/")[1:]
    assert "(100%)" in git(one.memory.repo, "log", "-1", "--stat", "--summary", "-M", one.after)


def test_its_subject_names_operation_category_and_title(one: Done) -> None:
    subject = git(one.memory.repo, "log", "-1", "--format=%s", one.after)
    expected = "config: delete.grace_period_days" if one.on_config else one.case.op
    if one.path and not one.on_config:
        title = re.findall(r"^title: (.*)$", one.text, re.MULTILINE)[0]
        expected = f"{one.case.op}(note): {title}"
    assert subject == expected


def test_its_trailers_are_what_it_did_in_the_order_of_the_format(one: Done) -> None:
    repo = one.memory.repo
    printed = git(repo, "log", "-1", "--format=%(trailers:only,unfold)", one.after)
    expected = [f"Gitmem-Op: {one.case.op}"]
    if one.path and not one.on_config:
        expected.append("Gitmem-Id: " + re.findall(r"^id: (.*)$", one.text, re.MULTILINE)[0])
        expected.append(f"Gitmem-Path: {one.path}")
        expected += [f"Gitmem-From: {source}" for source in one.went if one.came]
    expected += [
        "Gitmem-Session: s-1",
        "Gitmem-Actor: cli",
        "Gitmem-Source: user",
        f"Gitmem-Code: {git(repo, 'rev-parse', 'main')} main",
    ]
    if one.case.op == "undo":
        expected.append(f"Gitmem-Undoes: {one.ref}")
    if one.case.op == "usage":
        # What a session was shown is no claim of anybody.
        expected.remove("Gitmem-Source: user")
        expected.append(f"Gitmem-Used: {one.ref} 1")
    assert printed.splitlines() == expected


def test_its_author_is_the_user_at_the_time_of_the_clock(one: Done) -> None:
    printed = git(one.memory.repo, "log", "-1", "--format=%an <%ae> %at|%cn <%ce> %ct", one.after)
    who = f"A. Writer <writer@example.org> {one.memory.clock.now}"
    assert printed == f"{who}|{who}"


def test_git_and_the_index_agree_afterwards_and_nothing_is_left_behind(one: Done) -> None:
    kit.assert_sound(one.memory)


def test_what_the_index_says_of_its_fields_is_what_the_versions_say(one: Done) -> None:
    snapshot = one.memory.store.snapshot()
    for entry in snapshot.entries(("working", "register", "archive", "retired")):
        for row in snapshot.history(entry.id):
            told = facts.changed_fields(one.memory.workspace, row)
            compared = facts.changed_fields(one.memory.workspace, row._replace(fields=None))
            assert told == compared


@with_files
def test_undoing_it_restores_the_tree_to_the_byte(case: Case, memory: kit.Memory) -> None:
    did = done(case, memory)
    memory.clock.tick()
    undone = undo_commit(memory.workspace, did.after)
    root = git_bytes(memory.repo, "rev-parse", "memory^{tree}")
    assert root == git_bytes(memory.repo, "rev-parse", f"{did.before}^{{tree}}")
    assert undone.undoes == (did.after,)
    assert git(memory.repo, "rev-list", "--count", f"{did.after}..memory") == "1"
    kit.assert_sound(memory)


@by_op
def test_the_users_work_is_left_alone(case: Case, memory: kit.Memory) -> None:
    repo = memory.repo
    (repo / "main.py").write_text("stashed\n")
    git(repo, "stash")
    (repo / "main.py").write_text("changed\n")
    (repo / "staged.py").write_text("new\n")
    git(repo, "add", "staged.py")
    git(repo, "branch", "feature")
    before = kit.code_state(repo)
    done(case, memory)
    assert kit.code_state(repo) == before


@with_expect
def test_a_commit_seen_before_another_edit_of_the_entry_is_refused(
    case: Case, memory: kit.Memory
) -> None:
    ref = case.prepare(memory)
    seen = memory.tip
    path = memory.store.snapshot().find(ref).path
    edited = kit.file_at(memory.repo, path) + "\nOne more line.\n"
    by_hand = commit_files(memory.repo, {path: edited}, "by hand")
    with pytest.raises(OccConflict) as refused:
        case.act(memory, ref, seen)
    assert (refused.value.code, refused.value.exit_code) == ("OCC_CONFLICT", 3)
    assert (refused.value.expected, refused.value.got) == (seen, by_hand)
    assert memory.tip == by_hand
    case.act(memory, ref, by_hand)
    assert memory.tip != by_hand


@with_expect
def test_a_commit_seen_before_another_move_of_the_entry_is_refused(
    case: Case, memory: kit.Memory
) -> None:
    ref = case.prepare(memory)
    seen = memory.tip
    path = memory.store.snapshot().find(ref).path
    elsewhere = path.replace("printer-", "the-")
    text = kit.file_at(memory.repo, path)
    commit_files(memory.repo, {path: None, elsewhere: text}, "moved by hand")
    with pytest.raises(OccConflict):
        case.act(memory, ref, seen)


@with_expect
def test_changes_of_other_entries_since_never_conflict(case: Case, memory: kit.Memory) -> None:
    ref = case.prepare(memory)
    seen = memory.tip
    other = memory.add("Quite another matter")
    memory.edit(other.id, "body=changed")
    memory.set("delete.grace_period_days", 40)
    before = memory.tip
    case.act(memory, ref, seen)
    assert git(memory.repo, "rev-list", "--count", f"{before}..memory") == "1"


@with_expect
def test_a_commit_that_the_branch_never_held_is_refused(case: Case, memory: kit.Memory) -> None:
    ref = case.prepare(memory)
    before = memory.tip
    blob = memory.store.snapshot().find(ref).blob
    for unknown in ("0" * 40, "1234567", "no hash", blob, git(memory.repo, "rev-parse", "main")):
        with pytest.raises(OccConflict):
            case.act(memory, ref, unknown)
    assert memory.tip == before
