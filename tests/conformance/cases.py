"""One row for each operation: how to get ready for it, and how to do it once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gitmem.features import lifecycle, settings
from gitmem.features.lifecycle import Request
from gitmem.features.undo import undo_commit
from gitmem.features.upkeep.collect import gc
from gitmem.features.usage import flush
from gitmem.features.write.pipeline import Edit, update
from gitmem.store.layout import CONFIG_PATH

from tests.helpers import commit_files, rev
from tests.store.kit import DAY, Memory, file_at, tree_of

Prepare = Callable[[Memory], str]
Act = Callable[[Memory, str, str | None], object]


@dataclass(frozen=True, slots=True)
class Case:
    """An operation on the entry (or commit) that `prepare` returns."""

    op: str
    prepare: Prepare
    act: Act
    kind: str
    """What becomes of a file: `new`, `changed`, `moved`, `removed`; `none`: the tree is kept."""
    names_entry: bool = True
    """Does it take the commit that the writer has seen?"""
    tiers: tuple[str, str] | None = None
    """Where a move starts and ends."""


def in_register(memory: Memory) -> str:
    return memory.add("Printer on floor three").id


def in_working(memory: Memory) -> str:
    return memory.add("Printer on floor three", tier="working").id


def pinned(memory: Memory) -> str:
    entry_id = in_register(memory)
    lifecycle.pin(memory.workspace, Request(entry_id))
    return entry_id


def after(*moves: str, start: Prepare = in_register) -> Prepare:
    def prepare(memory: Memory) -> str:
        entry_id = start(memory)
        for name in moves:
            memory.move(name, entry_id)
        return entry_id

    return prepare


def past_grace(memory: Memory) -> str:
    entry_id = after("retire")(memory)
    memory.clock.tick(31 * DAY)
    return entry_id


def an_update(memory: Memory) -> str:
    return memory.edit(in_register(memory), "body=It moved to floor 4.").commit


def recalled(memory: Memory) -> str:
    entry_id = in_register(memory)
    with memory.store.state.sessions() as sessions:
        sessions.add_prompt("s-1", memory.clock.now, memory.tip, [entry_id], 100)
    return entry_id


def copied_by_hand(memory: Memory) -> str:
    path = memory.store.snapshot().find(in_register(memory)).path
    copy = path.replace("printer", "a-copy-of-the-printer")
    commit_files(memory.repo, {copy: file_at(memory.repo, path)}, "copied a file")
    return ""


def move(name: str) -> Act:
    return lambda memory, ref, expect: memory.move(name, ref, "a reason", expect)


def moved(name: str, start: str, end: str, prepare: Prepare) -> Case:
    return Case(name, prepare, move(name), "moved", tiers=(start, end))


CASES = (
    Case(
        "create",
        lambda memory: "",
        lambda memory, _, expect: memory.add("A new note", reason="a reason"),
        "new",
        names_entry=False,
    ),
    Case(
        "update",
        in_register,
        lambda memory, ref, expect: update(
            memory.workspace, Edit(ref, fields=("body=It moved.",), reason="x", expect=expect)
        ),
        "changed",
    ),
    moved("retire", "register", "retired", in_register),
    moved("restore", "retired", "working", after("retire", start=in_working)),
    moved("archive", "working", "archive", in_working),
    moved("unarchive", "archive", "register", after("archive")),
    moved("promote", "register", "working", in_register),
    moved("demote", "working", "register", in_working),
    Case(
        "pin",
        in_register,
        lambda memory, ref, expect: lifecycle.pin(memory.workspace, Request(ref, "", expect)),
        "changed",
    ),
    Case(
        "unpin",
        pinned,
        lambda memory, ref, expect: lifecycle.pin(
            memory.workspace, Request(ref, "", expect), pinned=False
        ),
        "changed",
    ),
    Case(
        "snooze",
        in_register,
        lambda memory, ref, expect: lifecycle.snooze(memory.workspace, Request(ref, "", expect)),
        "changed",
    ),
    Case(
        "review",
        in_register,
        lambda memory, ref, expect: lifecycle.review(memory.workspace, Request(ref, "", expect)),
        "changed",
    ),
    Case(
        "appreciate",
        in_register,
        lambda memory, ref, expect: lifecycle.appreciate(
            memory.workspace, Request(ref, "", expect), 3
        ),
        "changed",
    ),
    Case(
        "supersede",
        in_register,
        lambda memory, ref, expect: lifecycle.supersede(memory.workspace, Request(ref, "", expect)),
        "changed",
    ),
    Case(
        "gc",
        past_grace,
        lambda memory, _, expect: gc(memory.workspace),
        "removed",
        names_entry=False,
    ),
    Case(
        "config",
        lambda memory: "",
        lambda memory, _, expect: settings.set_key(
            memory.workspace, "delete.grace_period_days", 10, "less"
        ),
        "changed",
        names_entry=False,
    ),
    Case(
        "undo",
        an_update,
        lambda memory, ref, expect: undo_commit(memory.workspace, ref, "a mistake"),
        "changed",
        names_entry=False,
    ),
    Case(
        "usage",
        recalled,
        lambda memory, _, expect: flush(memory.workspace),
        "none",
        names_entry=False,
    ),
    Case(
        "repair",
        copied_by_hand,
        lambda memory, _, expect: memory.workspace.write(lambda txn: None),
        "changed",
        names_entry=False,
    ),
)


@dataclass(frozen=True, slots=True)
class Done:
    """An operation that was done once, and the states around it."""

    case: Case
    memory: Memory
    ref: str
    before: str
    after: str
    tree_before: dict[str, str]
    tree_after: dict[str, str]

    @property
    def went(self) -> list[str]:
        return sorted(self.tree_before.keys() - self.tree_after.keys())

    @property
    def came(self) -> list[str]:
        return sorted(self.tree_after.keys() - self.tree_before.keys())

    @property
    def changed(self) -> list[str]:
        both = self.tree_before.keys() & self.tree_after.keys()
        return sorted(path for path in both if self.tree_before[path] != self.tree_after[path])

    @property
    def path(self) -> str:
        """The file that the operation is about; "" for one that keeps the tree."""
        return [*self.came, *self.changed, *self.went, ""][0]

    @property
    def text(self) -> str:
        """What that file holds, or held before it went."""
        commit = self.after if self.path in self.tree_after else self.before
        return file_at(self.memory.repo, self.path, commit)

    @property
    def on_config(self) -> bool:
        return self.path == CONFIG_PATH


def done(case: Case, memory: Memory) -> Done:
    """Do a case once in a memory that holds some other entries too."""
    for title in ("Another thing entirely", "Yet more to remember"):
        memory.add(title)
    ref = case.prepare(memory)
    before, tree_before = rev(memory.repo, "memory") or "", tree_of(memory.repo)
    memory.clock.tick()
    case.act(memory, ref, None)
    return Done(case, memory, ref, before, memory.tip, tree_before, tree_of(memory.repo))
