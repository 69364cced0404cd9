"""A writer like the store's, for tests that stop it, kill it or let it run beside others.

Also a program, `python -m tests.faults.writer REPOSITORY LABEL COUNT [no-flock]`: it writes
entries and prints each commit once it is acknowledged. COUNT 0 goes on until it is killed.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gitmem.git.commits import Signature, commit_data
from gitmem.git.fold import fold_packs, note_pack, sweep
from gitmem.git.locate import Location, locate
from gitmem.git.objects import NewObject, Objects, TreeItem, new_object
from gitmem.git.pack import PackWriter
from gitmem.git.platform import FileLock
from gitmem.git.ref import Refs
from gitmem.git.tree import TreeDraft
from gitmem.model.errors import GitmemError

MEMORY = "refs/heads/memory"
BACKUP = "refs/gitmem/backup"
ROOT = Path(__file__).parents[2]
WHO = "A. Person <person@example.org> 1700000000 +0000"
PERSON = Signature("A. Person", "person@example.org", 1_700_000_000, 0)
WRITES = ("open", "write", "fsync", "replace", "rename", "link", "unlink", "mkdir", "rmdir",
          "chmod", "fchmod")  # fmt: skip


class Stopped(BaseException):
    """Stands for the end of the process: nothing that follows reaches the disk."""


def write_entry(location: Location, name: str, text: str, *, flock: bool = True) -> str:
    """One entry, one commit, as the store does it; the commit, acknowledged."""
    location.gitmem_dir.mkdir(exist_ok=True)
    lock = FileLock(location.gitmem_dir / "lock")
    if flock:
        lock.acquire()
    try:
        if flock:
            sweep(location)
        while True:
            commit = _try_entry(location, name, text, flock)
            if commit is not None:
                return commit
    finally:
        lock.release()


def _try_entry(location: Location, name: str, text: str, flock: bool) -> str | None:
    refs = Refs(location)
    with Objects(location.common_dir) as objects:
        tip = refs.read(MEMORY)
        new = change(objects, tip, {f"register/notes/{name}.md": text})
        writer = PackWriter(location.common_dir, location.settings)
        for obj in new:
            writer.add(obj)
        kept = writer.finish()
        commit = new[-1].sha
        try:
            moved = refs.move(MEMORY, tip, commit, who=WHO, message="create", flock_held=flock)
        except GitmemError:
            kept.release()
            raise
        if not moved:
            kept.discard()
            return None
        refs.set_quietly(BACKUP, commit)
        note_pack(location, kept.name)
        kept.release()
        if flock:
            fold_packs(location, objects)
        return commit


def change(objects: Objects, tip: str | None, files: dict[str, str]) -> list[NewObject]:
    """The objects of one commit on `tip` that sets these files; the commit is the last."""
    draft = TreeDraft(objects, objects.commit(tip).tree if tip else None)
    new: list[NewObject] = []
    for path, text in files.items():
        old = draft.get(path)
        blob = new_object("blob", text.encode(), old.sha if old else None)
        new.append(blob)
        draft.put(path, TreeItem(0o100644, blob.sha))
    root = draft.write(new.append)
    data = commit_data(root, [tip] if tip else [], PERSON, PERSON, b"create\n")
    new.append(new_object("commit", data, tip))
    return new


@contextlib.contextmanager
def watching(
    monkeypatch: pytest.MonkeyPatch, before: Callable[[int, str, tuple[object, ...]], None]
) -> Iterator[list[str]]:
    """Have `before` called with number, name and arguments of each call that changes the disk.

    Yields the names of the calls so far.
    """
    calls: list[str] = []

    def wrap(name: str, real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            calls.append(name)
            before(len(calls), name, arguments)
            return real(*arguments, **options)

        return call

    with monkeypatch.context() as patch:
        for name in WRITES:
            patch.setattr(os, name, wrap(name, getattr(os, name)))
        yield calls


def stopping_at(
    step: int, monkeypatch: pytest.MonkeyPatch, failure: Callable[[], BaseException] = Stopped
) -> contextlib.AbstractContextManager[list[str]]:
    """Let the step-th call that changes the disk fail, and with Stopped all that follow.

    A large write that fails has written half; the kernel doesn't stop within a small one.
    """
    real_write = os.write

    def fail(number: int, name: str, arguments: tuple[object, ...]) -> None:
        if number < step or (number > step and failure is not Stopped):
            return
        if name == "write" and number == step:
            data = bytes(memoryview(arguments[1]))  # type: ignore[arg-type]
            if len(data) > 100:
                real_write(arguments[0], data[: len(data) // 2])  # type: ignore[arg-type]
        raise failure()

    return watching(monkeypatch, fail)


def interrupted_at(
    step: int, monkeypatch: pytest.MonkeyPatch, do: Callable[[], object]
) -> contextlib.AbstractContextManager[list[str]]:
    """Do something just before the step-th call that changes the disk."""

    def pause(number: int, name: str, arguments: tuple[object, ...]) -> None:
        if number == step:
            do()

    return watching(monkeypatch, pause)


@contextlib.contextmanager
def unsynced(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Many writes, fast: for tests of what is written, not of when."""
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda fd: None)
        yield


def bury(location: Location) -> None:
    """Make the `.keep` files of this process those of a dead one; empty ones become old."""
    dead = subprocess.Popen(["git", "--version"], stdout=subprocess.DEVNULL)
    dead.wait()
    for keep in (location.common_dir / "objects" / "pack").glob("*.keep"):
        text = keep.read_text()
        if text:
            keep.write_text(text.replace(f" {os.getpid()}", f" {dead.pid}"))
        else:
            os.utime(keep, (0, 0))


def start(repo: Path, label: str, count: int, *options: str) -> subprocess.Popen[str]:
    """A writer in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.faults.writer", str(repo), label, str(count), *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def main(arguments: list[str]) -> None:
    repo, label, count, *options = arguments
    location = locate(Path(repo))
    numbers = range(int(count)) if int(count) else itertools.count()
    for number in numbers:
        name = f"{label}-{number}"
        commit = write_entry(location, name, f"{name}\n", flock="no-flock" not in options)
        sys.stdout.write(commit + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
