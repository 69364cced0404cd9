"""Moves a ref by compare-and-swap, beside any other git (I4). No other module writes refs.

The value is fsynced in a file of ours, and that file hard-linked to `<ref>.lock`, which every
git takes for a lock. Renaming the lock onto the ref publishes the value and frees the lock in
one step; then the folder is fsynced. A crash therefore leaves the old value or the new one.

A lock that a dead gitmem left has the inode of our file: whoever holds the flock is the only
gitmem that uses that file, so such a lock is removed. (C git can't know: until the next gitmem
writes, it waits and then complains.) Any other lock is waited for, reported with its age, and
never broken; so no lock is ever broken by a writer without the flock.

Where there are no hard links, the lock is a file of its own that says it is ours. There, a
death between creating it and writing to it leaves a lock that could be anybody's.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from gitmem.git.files import Sharing, make_folders, open_new, refused, write_new
from gitmem.git.locate import Location
from gitmem.git.platform import fsync_dir, hard_link, remove_file, same_file, write_all
from gitmem.git.tip import read_ref, valid_ref
from gitmem.model.errors import Locked, PreconditionError, WriteError

LOCK_TIMEOUT = 5.0
NO_COMMIT = "0" * 40
_FIRST_PAUSE = 0.0005
_LONGEST_PAUSE = 0.02
_CLAIM = b"gitmem, under its flock: "
_LOGGED = ("refs/heads/", "refs/remotes/", "refs/notes/")


class Refs:
    """The refs of one repository."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self._common = location.common_dir
        self._sharing = Sharing.of(location.settings)
        self._moved: tuple[str, str] | None = None
        """The last value that is durable here, and the ref it is in."""

    def read(self, ref: str) -> str | None:
        """The commit a ref stands at."""
        return read_ref(self._common, ref)

    def move(
        self,
        ref: str,
        old: str | None,
        new: str | None,
        *,
        who: str,
        message: str,
        flock_held: bool,
    ) -> bool:
        """Move a ref from `old` to `new`; durable on return. False: it doesn't stand at `old`.

        `old` None: it must not exist yet. `new` None: it is deleted. `who` is the committer as
        in a commit (`Name <mail> seconds +zzzz`); it and `message` go to the reflog, where the
        repository keeps one. Locked: somebody held the ref for too long.
        """
        if not valid_ref(ref):
            raise PreconditionError(f"{ref!r} is no name of a ref", fix="choose another branch")
        if old is None:
            self._check_room(ref)
        try:
            moved = self._move(ref, old, new, flock_held)
        except OSError as error:
            self._check_room(ref)
            raise refused(error, f"moving {ref}") from error
        if moved and new is not None:
            self._moved = new, ref
            self._log(ref, old, new, f"{who}\t{message}")
        return moved

    def set_quietly(self, ref: str, sha: str) -> None:
        """Set a ref that only we care about: no waiting, no fsync, no error.

        Where `move` has just made that value durable, its file gets a second name: an unsynced
        one could be empty after a power cut, and git complains about empty refs.
        """
        own = self._own_file(ref, "new")
        with contextlib.suppress(OSError):
            make_folders((self._common / ref).parent, self._sharing, sync=False)
            make_folders(own.parent, self._sharing, sync=False)
            remove_file(own)
            if not self._linked(own, sha):
                write_new(own, _line(sha), self._sharing, sync=False)
            own.replace(self._common / ref)
            # A rename between two names of one file does nothing.
            remove_file(own)

    def _linked(self, own: Path, sha: str) -> bool:
        if self._moved is None or self._moved[0] != sha:
            return False
        with contextlib.suppress(OSError):
            if hard_link(self._common / self._moved[1], own) and own.read_bytes() == _line(sha):
                return True
        # Packed, deleted or moved on meanwhile.
        remove_file(own)
        return False

    def _move(self, ref: str, old: str | None, new: str | None, flock_held: bool) -> bool:
        target = self._common / ref
        lock = self._lock(ref, flock_held)
        try:
            lock.acquire(_line(new or NO_COMMIT))
            # Only now: before the lock was ours, anybody could change it.
            if self._current(ref) != old:
                return False
            if new is None:
                self._delete(ref, flock_held)
                return True
            lock.commit()
            try:
                fsync_dir(target.parent)
            except OSError as error:
                raise WriteError(
                    f"{ref} moved to {new}, but may not survive a power cut: {error}",
                    fix="check the disk",
                ) from error
            return True
        finally:
            lock.release()

    def _lock(self, ref: str, flock_held: bool) -> _Lock:
        own = self._own_file(ref, "lock" if flock_held else os.urandom(8).hex())
        return _Lock(self._common / ref, own, self._sharing, flock_held)

    def _own_file(self, ref: str, kind: str) -> Path:
        name = ref.replace("%", "%25").replace("/", "%2F")
        return self._location.gitmem_dir / "locks" / f"{name}.{kind}"

    def _current(self, ref: str) -> str | None:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
            if (self._common / ref).read_bytes().startswith(b"ref:"):
                raise PreconditionError(
                    f"{ref} only points at another ref",
                    fix="set gitmem.ref in the git config to the ref it points at",
                )
        return read_ref(self._common, ref)

    def _delete(self, ref: str, flock_held: bool) -> None:
        """Remove a locked ref. The packed value goes first: else it would come back to light."""
        lock = self._lock("packed-refs", flock_held)
        try:
            # Held to the end: `git pack-refs` must not pack the loose value meanwhile.
            lock.acquire(b"")
            packed = self._common / "packed-refs"
            data = packed.read_bytes() if packed.exists() else b""
            rest = _without(data, ref)
            if rest != data:
                fresh = self._own_file("packed-refs", "new")
                remove_file(fresh)
                write_new(fresh, rest, self._sharing)
                fresh.replace(packed)
                fsync_dir(self._common)
            if remove_file(self._common / ref):
                fsync_dir((self._common / ref).parent)
            with contextlib.suppress(OSError):
                remove_file(self._common / "logs" / ref)
        finally:
            lock.release()

    def _check_room(self, ref: str) -> None:
        """Raise PreconditionError where another ref stands in this one's way."""
        packed = b""
        with contextlib.suppress(OSError):
            packed = (self._common / "packed-refs").read_bytes()
        parts = ref.split("/")
        above = ["/".join(parts[:count]) for count in range(2, len(parts))]
        rivals = [
            name
            for name in above
            if (self._common / name).is_file() or f" {name}\n".encode() in packed
        ]
        below = packed.find(f" {ref}/".encode())
        if below >= 0:
            rivals.append(packed[below + 1 :].partition(b"\n")[0].decode(errors="replace"))
        folder = self._common / ref
        if folder.is_dir():
            _remove_empty(folder)
            files = (path for path in folder.rglob("*") if path.is_file())
            rivals += [path.relative_to(self._common).as_posix() for path in files]
        if rivals:
            raise PreconditionError(
                f"{ref} can't be written: git can't keep it beside {rivals[0]}",
                fix=f"rename {rivals[0]}, or choose another branch for the memory",
                ref=ref,
            )

    def _log(self, ref: str, old: str | None, new: str, entry: str) -> None:
        """Append to the reflog as git would. It is a convenience: failures count for nothing."""
        path = self._common / "logs" / ref
        with contextlib.suppress(OSError):
            line = f"{old or NO_COMMIT} {new} {entry}".replace("\n", " ") + "\n"
            if path.is_file():
                fd = os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
            elif self._wants_log(ref):
                make_folders(path.parent, self._sharing, sync=False)
                fd = open_new(path, self._sharing)
            else:
                return
            try:
                write_all(fd, line.encode("utf-8", "replace"))
            finally:
                os.close(fd)

    def _wants_log(self, ref: str) -> bool:
        settings = self._location.settings
        if (settings.get("core.logAllRefUpdates") or "").lower() == "always":
            return True
        wanted = settings.get_bool("core.logAllRefUpdates", not self._location.bare)
        return wanted and ref.startswith(_LOGGED)


class _Lock:
    """git's lock on a file: as long as `<file>.lock` exists, nobody else changes the file."""

    def __init__(self, target: Path, own: Path, sharing: Sharing, flock_held: bool) -> None:
        self._target = target
        self._path = target.with_name(f"{target.name}.lock")
        self._own = own
        self._sharing = sharing
        self._flock_held = flock_held
        self._claim = (_CLAIM if flock_held else b"gitmem: ") + os.urandom(8).hex().encode()
        self._linked = True

    def acquire(self, data: bytes) -> None:
        """Take the lock, with the bytes that `commit` is going to publish."""
        make_folders(self._own.parent, self._sharing, sync=False)
        make_folders(self._path.parent, self._sharing, sync=True)
        if self._flock_held and self._left_by_the_dead():
            remove_file(self._path)
        # Never written in place: it may be a second name of a ref.
        remove_file(self._own)
        write_new(self._own, data, self._sharing)
        deadline = time.monotonic() + LOCK_TIMEOUT
        pause = _FIRST_PAUSE
        while not self._take():
            if time.monotonic() >= deadline:
                raise self._taken()
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def commit(self) -> None:
        """Publish the bytes; where links exist, that frees the lock too."""
        (self._path if self._linked else self._own).replace(self._target)

    def release(self) -> None:
        """Free the lock if it is ours; our own file goes last, for it tells whose the lock is."""
        with contextlib.suppress(OSError):
            if self._is_ours():
                remove_file(self._path)
            remove_file(self._own)

    def _take(self) -> bool:
        try:
            self._linked = hard_link(self._own, self._path)
            if not self._linked:
                # No links here: whoever creates the file has the lock, and says so in it.
                write_new(self._path, self._claim, self._sharing, sync=False)
        except FileExistsError:
            return False
        except FileNotFoundError:
            # git removes folders that hold no ref any more.
            make_folders(self._path.parent, self._sharing, sync=True)
            return False
        return True

    def _is_ours(self) -> bool:
        if self._linked:
            return same_file(self._own, self._path)
        return _start_of(self._path, len(self._claim)) == self._claim

    def _left_by_the_dead(self) -> bool:
        return same_file(self._own, self._path) or (_start_of(self._path, len(_CLAIM)) == _CLAIM)

    def _taken(self) -> Locked:
        age = ""
        with contextlib.suppress(OSError):
            age = f", {max(0.0, time.time() - self._path.stat().st_mtime):.0f} s old"
        return Locked(
            f"another program holds {self._target.name}: {self._path} is there{age}",
            fix="try again; if no git is running in this repository, that file is left over from "
            "one that died",
            path=str(self._path),
        )


def _line(sha: str) -> bytes:
    return f"{sha}\n".encode()


def _without(packed: bytes, ref: str) -> bytes:
    """packed-refs without a ref, and without the line that tells what its tag points at."""
    lines, gone = [], False
    for line in packed.splitlines(keepends=True):
        if not line.startswith(b"^"):
            gone = line.rstrip(b"\r\n").endswith(b" " + ref.encode()) and line[:1] != b"#"
        if not gone:
            lines.append(line)
    return b"".join(lines)


def _remove_empty(folder: Path) -> None:
    """Remove a tree of empty folders, as git does where a ref wants the name."""
    for name, _, _ in os.walk(folder, topdown=False):
        with contextlib.suppress(OSError):
            Path(name).rmdir()


def _start_of(path: Path, length: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(length)
    except OSError:
        return b""
