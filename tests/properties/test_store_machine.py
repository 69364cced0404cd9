"""Random operations against a model of the rules: tree, history and index after every step.

The model knows paths and what lies there, and for each id the places it came from. It shares no
code with the store but the codec, which has its own properties.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from gitmem.document.codec import decode
from gitmem.features import lifecycle
from gitmem.features.lifecycle import Request
from gitmem.features.undo import undo_commit
from gitmem.features.upkeep.collect import gc
from gitmem.model.errors import GitmemError
from gitmem.store import catchup
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.helpers import commit_files, fsck, git, git_bytes
from tests.store import kit
from tests.store.kit import unsynced as unsynced

TITLES = ("Alpha beta", "Alpha  beta!", "Alpha beta gamma", "Delta", "delta", "Über uns")
TIERS = ("working", "register", "archive", "retired")
ACTIVE = ("working", "register")
HOUR = 3600
MOVES = {
    # name: where from, where to, what it answers where nothing is to do, its error
    "retire": (ACTIVE, "retired", {"retired": "already_retired"}, "DELETE_ERROR"),
    "restore": (
        ("retired",),
        None,
        {"working": "already_active", "register": "already_active"},
        "RESTORE_ERROR",
    ),
    "archive": (ACTIVE, "archive", {"archive": "already_archived"}, "ARCHIVE_ERROR"),
    "unarchive": (("archive",), None, {}, "UNARCHIVE_ERROR"),
    "promote": (("register",), "working", {"working": "already_working"}, "UPDATE_ERROR"),
    "demote": (("working",), "register", {"register": "already_register"}, "UPDATE_ERROR"),
}
SETTINGS: tuple[tuple[str, object], ...] = (
    ("delete.grace_period_days", 1),
    ("delete.grace_period_days", 30),
    ("delete.archive_retired", True),
    ("delete.archive_retired", False),
)
BROKEN = "register/notes/broken.md"


@dataclass(frozen=True)
class File:
    """What the model knows of an entry's file."""

    id: str
    title: str
    body: str
    pinned: bool = False
    appreciation: int = 0
    superseded_by: str | None = None


@dataclass(frozen=True)
class Row:
    """One change of one id: where it lay, where it lies, when."""

    path: str | None
    from_path: str | None
    time: int


Files = dict[str, File | str]
Settings = dict[str, object]


@dataclass(frozen=True)
class State:
    files: Files
    config: Settings


def tier(path: str) -> str:
    return path.split("/")[0]


def slug(path: str) -> str:
    return path.split("/")[2].removesuffix(".md")


def slug_of(title: str) -> str:
    return re.sub("[^a-z0-9]+", "-", title.lower().replace("ü", "u")).strip("-")


class StoreMachine(RuleBasedStateMachine):
    """One memory, one model."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.memory = kit.new_memory(Path(self.folder.name) / "repo")
        self.files: Files = {}
        self.config: Settings = {}
        self.rows: dict[str, list[Row]] = {}
        self.states: dict[str, State] = {self.memory.tip: State({}, {})}
        self.order = [self.memory.tip]

    def teardown(self) -> None:
        try:
            assert fsck(self.memory.repo) == ""
            assert kit.leftovers(self.memory.repo) == []
            self.claims_of_trailers_equal_the_trees()
        finally:
            self.memory.close()
            self.folder.cleanup()

    def claims_of_trailers_equal_the_trees(self) -> None:
        snapshot = self.memory.store.snapshot()
        kept, catchup.COLD = catchup.COLD, 0
        try:
            cold = kit.built_index(self.memory.store.objects, snapshot.commit)
        finally:
            catchup.COLD = kept
        assert kit.index_content(cold) == kit.index_content(snapshot.index)

    # What the model does

    def record(self, files: Files, config: Settings | None = None) -> None:
        """One commit: the model's new state, and the rows that it means."""
        now = self.memory.clock.now
        gone = {file.id: path for path, file in self.files.items() if isinstance(file, File)
                and files.get(path) != file}  # fmt: skip
        came = {file.id: path for path, file in files.items() if isinstance(file, File)
                and self.files.get(path) != file}  # fmt: skip
        for entry_id in sorted({*gone, *came}):
            row = Row(came.get(entry_id), gone.get(entry_id), now)
            still = any(isinstance(f, File) and f.id == entry_id for f in files.values())
            if row.path is None and still:
                continue
            self.rows.setdefault(entry_id, []).append(row)
        self.files = files
        self.config = self.config if config is None else config

    def committed(self, files: Files, config: Settings | None = None) -> None:
        """The store made one commit more, and this is what it did."""
        self.record(files, config)
        self.order.append(git(self.memory.repo, "rev-parse", "memory"))
        self.states[self.order[-1]] = State(self.files, self.config)

    def refused(self, code: str, act: Callable[[], object]) -> None:
        with pytest.raises(GitmemError) as error:
            act()
        assert error.value.code == code

    def place(self, path: str, file: File) -> Files:
        return {**self.files, path: file}

    def without(self, path: str) -> Files:
        return {name: file for name, file in self.files.items() if name != path}

    def taken(self, wanted: str) -> bool:
        return any(slug(path) == wanted for path in self.files)

    def free(self, wanted: str) -> str:
        number = 1
        while self.taken(wanted if number == 1 else f"{wanted}-{number}"):
            number += 1
        return wanted if number == 1 else f"{wanted}-{number}"

    def retired_at(self, entry_id: str) -> int:
        for row in reversed(self.rows[entry_id]):
            before = row.from_path and tier(row.from_path)
            if row.path and tier(row.path) == "retired" and before != "retired":
                return row.time
        raise AssertionError("never retired")

    def left_tier(self, entry_id: str, now_in: str) -> str:
        for row in reversed(self.rows[entry_id]):
            before = tier(row.from_path or "")
            if row.path and tier(row.path) == now_in and before in ACTIVE:
                return before
        return "register"

    def was_just_retired(self, wanted: str) -> bool:
        newest: dict[str, Row] = {}
        for entry_id, rows in self.rows.items():
            for row in rows:
                if slug(row.path or row.from_path or "") == wanted:
                    newest[entry_id] = row
        return any(
            tier(row.path or row.from_path or "") == "retired"
            and self.memory.clock.now - self.retired_at(entry_id) < 24 * HOUR
            for entry_id, row in newest.items()
        )

    def entries(self) -> list[str]:
        return sorted(path for path, file in self.files.items() if isinstance(file, File))

    def pick(self, number: int) -> tuple[str, File]:
        paths = self.entries()
        path = paths[number % len(paths)]
        file = self.files[path]
        assert isinstance(file, File)
        return path, file

    # Rules

    numbers = st.integers(0, 1000)
    has_entry = precondition(lambda self: bool(self.entries()))

    @rule(title=st.sampled_from(TITLES), where=st.sampled_from(ACTIVE))
    def create(self, title: str, where: str) -> None:
        self.memory.clock.tick()
        wanted = slug_of(title)

        def act() -> str:
            return self.memory.add(title, tier=where).id

        self.memory.clock.tick(-60)
        if self.was_just_retired_later(wanted):
            self.refused("ANTI_RESURRECTION_ERROR", act)
            return
        path = f"{where}/notes/{self.free(wanted)}.md"
        entry_id = act()
        body = str(kit.CONTENTS["note"]["body"])
        self.committed(self.place(path, File(entry_id, " ".join(title.split()), body)))

    def was_just_retired_later(self, wanted: str) -> bool:
        """As `add` sees it, a minute on."""
        self.memory.clock.tick(60)
        answer = self.was_just_retired(wanted)
        self.memory.clock.tick(-60)
        return answer

    @has_entry
    @rule(number=numbers, body=st.sampled_from(("one", "two", "three")))
    def update(self, number: int, body: str) -> None:
        path, file = self.pick(number)

        def act() -> object:
            return self.memory.edit(file.id, f"body={body}")

        if tier(path) not in ACTIVE or file.body == body:
            self.refused("UPDATE_ERROR", act)
            return
        act()
        self.committed(self.place(path, replace(file, body=body)))

    @has_entry
    @rule(number=numbers, title=st.sampled_from(TITLES))
    def retitle(self, number: int, title: str) -> None:
        path, file = self.pick(number)
        clean = " ".join(title.split())

        def act() -> object:
            return self.memory.edit(file.id, f"title={title}")

        if tier(path) not in ACTIVE or file.title == clean:
            self.refused("UPDATE_ERROR", act)
            return
        act()
        old, new = set(file.title.lower().split()), set(clean.lower().split())
        target = path
        if len(old ^ new) / len(old | new) > 0.5 and not self.taken(slug_of(clean)):
            target = f"{tier(path)}/notes/{slug_of(clean)}.md"
        self.committed({**self.without(path), target: replace(file, title=clean)})

    @has_entry
    @rule(number=numbers, name=st.sampled_from(sorted(MOVES)))
    def move(self, number: int, name: str) -> None:
        path, file = self.pick(number)
        starts, to, already, error = MOVES[name]
        where = tier(path)
        if where in already:
            assert self.memory.move(name, file.id).status == already[where]
            return
        too_late = name == "restore" and where == "retired" and (
            self.memory.clock.now + 60 - self.retired_at(file.id) >= self.grace()
        )  # fmt: skip
        if where not in starts or too_late:
            self.refused(error, lambda: self.memory.move(name, file.id))
            return
        target = f"{to or self.left_tier(file.id, where)}/notes/{slug(path)}.md"
        if target in self.files:
            target = f"{tier(target)}/notes/{self.free(slug(path))}.md"
        assert self.memory.move(name, file.id).target == target.removesuffix(".md")
        self.committed({**self.without(path), target: file})

    @has_entry
    @rule(number=numbers, pinned=st.booleans())
    def pin(self, number: int, pinned: bool) -> None:
        path, file = self.pick(number)
        self.memory.clock.tick()

        def act() -> str:
            return lifecycle.pin(self.memory.workspace, Request(file.id), pinned).status

        if tier(path) not in ACTIVE:
            self.refused("UPDATE_ERROR", act)
        elif file.pinned == pinned:
            assert act() == ("already_pinned" if pinned else "already_unpinned")
        else:
            act()
            self.committed(self.place(path, replace(file, pinned=pinned)))

    @has_entry
    @rule(number=numbers, amount=st.integers(1, 3))
    def appreciate(self, number: int, amount: int) -> None:
        path, file = self.pick(number)
        self.memory.clock.tick()

        def act() -> object:
            return lifecycle.appreciate(self.memory.workspace, Request(file.id), amount)

        if tier(path) not in ACTIVE:
            self.refused("UPDATE_ERROR", act)
            return
        act()
        more = replace(file, appreciation=file.appreciation + amount)
        self.committed(self.place(path, more))

    @has_entry
    @rule(number=numbers, other=st.none() | numbers)
    def supersede(self, number: int, other: int | None) -> None:
        path, file = self.pick(number)
        by = None if other is None else self.pick(other)[1].id
        self.memory.clock.tick()

        def act() -> str:
            return lifecycle.supersede(self.memory.workspace, Request(file.id), by).status

        if tier(path) == "retired" or by == file.id:
            self.refused("UPDATE_ERROR", act)
        elif file.superseded_by == (by or "none"):
            assert act() == "already_superseded"
        else:
            act()
            self.committed(self.place(path, replace(file, superseded_by=by or "none")))

    @rule(setting=st.sampled_from(SETTINGS))
    def configure(self, setting: tuple[str, object]) -> None:
        key, value = setting
        if self.config.get(key) == value:
            assert self.memory.set(key, value).status == "already_set"
            return
        assert self.memory.set(key, value).status == "set"
        self.committed(self.files, {**self.config, key: value})

    def grace(self) -> int:
        days = self.config.get("delete.grace_period_days", 30)
        assert isinstance(days, int)
        return days * kit.DAY

    @rule()
    def collect(self) -> None:
        self.memory.clock.tick()
        now = self.memory.clock.now
        before = self.memory.tip
        expected = {
            file.id
            for path, file in self.files.items()
            if isinstance(file, File)
            and tier(path) == "retired"
            and now - self.retired_at(file.id) >= self.grace()
        }
        answer = gc(self.memory.workspace)
        assert {one["id"] for one in answer.removed} == expected
        for one in answer.removed:
            path = f"{one['target']}.md"
            files = self.without(path)
            if self.config.get("delete.archive_retired"):
                target = f"archive/notes/{slug(path)}.md"
                if target in self.files:
                    target = f"archive/notes/{self.free(slug(path))}.md"
                files[target] = self.files[path]
            self.record(files)
            self.order.append(str(one["commit"]))
            self.states[self.order[-1]] = State(self.files, self.config)
        made = git(self.memory.repo, "rev-list", "--reverse", f"{before}..memory").split()
        assert made == [one["commit"] for one in answer.removed]

    @precondition(lambda self: len(self.order) > 1)
    @rule(number=numbers)
    def undo(self, number: int) -> None:
        self.memory.clock.tick()
        at = 1 + number % (len(self.order) - 1)
        before, after = self.states[self.order[at - 1]], self.states[self.order[at]]
        files, config = dict(self.files), dict(self.config)

        def act() -> object:
            return undo_commit(self.memory.workspace, self.order[at])

        paths = {*before.files, *after.files}
        paths = {path for path in paths if before.files.get(path) != after.files.get(path)}
        keys = {*before.config, *after.config}
        keys = {key for key in keys if before.config.get(key) != after.config.get(key)}
        moved_on = any(files.get(path) != after.files.get(path) for path in paths)
        moved_on |= any(config.get(key) != after.config.get(key) for key in keys)
        if moved_on or not (paths or keys) or self.in_the_way(paths, before.files):
            self.refused("UPDATE_ERROR", act)
            return
        for path in paths:
            files.pop(path, None)
            if path in before.files:
                files[path] = before.files[path]
        for key in keys:
            config.pop(key, None)
            if key in before.config:
                config[key] = before.config[key]
        ids = [file.id for file in files.values() if isinstance(file, File)]
        if len(set(ids)) < len(ids):
            # The copied id is back, and would be repaired again: the conformance suite has that.
            return
        act()
        self.committed(files, config)

    def in_the_way(self, paths: set[str], before: Files) -> bool:
        """Has another entry the slug of what would come back?"""
        for path in paths:
            back = before.get(path)
            if path in self.files or not isinstance(back, File):
                continue
            for name, file in self.files.items():
                if isinstance(file, File) and slug(name) == slug(path) and file.id != back.id:
                    return True
        return False

    @has_entry
    @rule(number=numbers, at=numbers)
    def update_with_an_old_commit(self, number: int, at: int) -> None:
        path, file = self.pick(number)
        seen = self.order[at % len(self.order)]
        body = f"written after {len(self.order)} commits"
        if tier(path) not in ACTIVE:
            return
        if self.states[seen].files.get(path) != file:
            act = lambda: self.memory.edit(file.id, f"body={body}", expect=seen)  # noqa: E731
            self.refused("OCC_CONFLICT", act)
            return
        self.memory.edit(file.id, f"body={body}", expect=seen)
        self.committed(self.place(path, replace(file, body=body)))

    @rule(hours=st.sampled_from((1, 13, 30, 24 * 8, 24 * 31)))
    def time_passes(self, hours: int) -> None:
        self.memory.clock.tick(hours * HOUR)

    # What people do by hand

    def by_hand(self, files: dict[str, str | None], model: Files) -> None:
        self.memory.clock.tick()
        commit_files(self.memory.repo, files, "by hand", time=self.memory.clock.now)
        self.committed(model)

    def text_at(self, path: str) -> str:
        return kit.file_at(self.memory.repo, path)

    @has_entry
    @rule(number=numbers)
    def edit_by_hand(self, number: int) -> None:
        path, file = self.pick(number)
        body = f"{file.body}, by hand"
        text = self.text_at(path).replace(f"\n\n{file.body}\n", f"\n\n{body}\n")
        self.by_hand({path: text}, self.place(path, replace(file, body=body)))

    @has_entry
    @rule(number=numbers, where=st.sampled_from(TIERS))
    def move_by_hand(self, number: int, where: str) -> None:
        path, file = self.pick(number)
        target = f"{where}/notes/{slug(path)}.md"
        if target not in self.files:
            self.by_hand(
                {path: None, target: self.text_at(path)}, {**self.without(path), target: file}
            )

    @has_entry
    @rule(number=numbers)
    def delete_by_hand(self, number: int) -> None:
        path, _ = self.pick(number)
        self.by_hand({path: None}, self.without(path))

    @has_entry
    @rule(number=numbers)
    def copy_by_hand_and_write(self, number: int) -> None:
        path, file = self.pick(number)
        target = f"register/notes/{self.free('copy')}.md"
        self.by_hand({target: self.text_at(path)}, self.place(target, file))
        self.memory.clock.tick()
        self.memory.workspace.write(lambda txn: None)
        renewed = decode(git_bytes(self.memory.repo, "show", f"memory:{target}"))
        assert renewed.id != file.id
        self.committed(self.place(target, replace(file, id=renewed.id)))

    @rule()
    def break_or_mend_a_file_by_hand(self) -> None:
        if BROKEN in self.files:
            self.by_hand({BROKEN: None}, self.without(BROKEN))
        else:
            self.by_hand({BROKEN: "no entry\n"}, {**self.files, BROKEN: "no entry\n"})

    @rule()
    def let_git_collect(self) -> None:
        git(self.memory.repo, "gc", "--prune=now", "--quiet")

    @rule()
    def open_anew(self) -> None:
        self.memory.close()
        self.memory = self.memory.reopened()

    # What holds after every step

    @invariant()
    def the_tree_is_the_models(self) -> None:
        memory = self.memory
        assert git(memory.repo, "rev-parse", "memory") == self.order[-1]
        found: Files = {}
        for path, what in kit.tree_of(memory.repo).items():
            if path in (".gitattributes", "config.json"):
                continue
            data = memory.store.objects.blob(what.split()[2])
            if path == BROKEN:
                found[path] = data.decode()
                continue
            entry = decode(data)
            found[path] = File(
                entry.id,
                entry.title,
                entry.content["body"],
                entry.pinned,
                entry.appreciation,
                entry.superseded_by,
            )
        assert found == self.files
        raw = dict(memory.store.snapshot().config.raw)
        assert raw.pop("format") == 1
        assert raw == self.config

    @invariant()
    def the_history_is_the_models(self) -> None:
        snapshot = self.memory.store.snapshot()
        for entry_id, rows in self.rows.items():
            told = [
                Row(row.path, row.from_path, row.commit.time) for row in snapshot.history(entry_id)
            ]
            assert told == rows

    @invariant()
    def the_index_is_true(self) -> None:
        kit.assert_index_is_true(self.memory)


def run(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        StoreMachine,
        # A failure is told in a moment; making it smaller would take minutes.
        settings=settings(
            max_examples=examples, stateful_step_count=steps, phases=(Phase.generate,)
        ),
    )


def test_random_operations_agree_with_the_model() -> None:
    run(examples=6, steps=30)


@pytest.mark.long
def test_many_random_operations_agree_with_the_model() -> None:
    run(examples=150, steps=60)
