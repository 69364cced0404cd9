"""How gitmem creates files inside a repository: modes as git gives them, errors a person can use.

The one place for `core.sharedRepository`. Never overwrites a file: what is written here is new,
and becomes part of the repository by a rename (I4).
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from gitmem.git.platform import fsync_dir, fsync_file, write_all
from gitmem.model.errors import WriteError

READ_ONLY = 0o444
NORMAL = 0o666
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_NAMED = {
    "": 0,
    "umask": 0,
    "false": 0,
    "no": 0,
    "off": 0,
    "group": 0o660,
    "true": 0o660,
    "yes": 0o660,
    "on": 0o660,
    "all": 0o664,
    "world": 0o664,
    "everybody": 0o664,
    "0": 0,
    "1": 0o660,
    "2": 0o664,
}
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_REFUSED = {errno.EACCES, errno.EPERM, errno.EROFS}


class Settings(Protocol):
    """The repository's git config."""

    def get(self, key: str, /) -> str | None:
        """The value of a key, or None."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """`core.sharedRepository`: who else may read and write what we create."""

    bits: int = 0
    exact: bool = False
    """The bits replace those of the umask instead of joining them."""

    @classmethod
    def of(cls, settings: Settings) -> Sharing:
        """As git reads the key; a value that git refuses counts as unset."""
        text = (settings.get("core.sharedRepository") or "").lower()
        if text in _NAMED:
            return cls(_NAMED[text])
        try:
            bits = int(text, 8)
        except ValueError:
            return cls()
        return cls(bits & 0o666, exact=True) if bits & 0o600 == 0o600 else cls()

    def mode(self, mode: int) -> int:
        """The permissions that a file or folder of this mode should have."""
        plain = stat.S_IMODE(mode)
        if not self.bits:
            return plain
        bits = self.bits
        if not mode & stat.S_IWUSR:
            bits &= ~0o222
        if mode & stat.S_IXUSR:
            bits |= (bits & 0o444) >> 2
        plain = (plain & ~0o777) | bits if self.exact else plain | bits
        if stat.S_ISDIR(mode):
            plain |= (plain & 0o444) >> 2
            # Files below must get the group of the folder, not of whoever writes them.
            plain |= stat.S_ISGID if plain & 0o060 else 0
        return plain

    def adjust_file(self, fd: int) -> None:
        """Give an open file its permissions."""
        if self.bits and sys.platform != "win32":
            now = os.fstat(fd).st_mode
            if self.mode(now) != stat.S_IMODE(now):
                os.fchmod(fd, self.mode(now))

    def adjust_folder(self, path: Path) -> None:
        """Give a folder its permissions."""
        if self.bits and sys.platform != "win32":
            now = path.stat().st_mode
            if self.mode(now) != stat.S_IMODE(now):
                path.chmod(self.mode(now))


def open_new(path: Path, sharing: Sharing, mode: int = NORMAL, *, readable: bool = False) -> int:
    """A descriptor of a file that didn't exist; FileExistsError when it does."""
    flags = (_NEW & ~os.O_WRONLY) | os.O_RDWR if readable else _NEW
    fd = os.open(path, flags, mode)
    try:
        sharing.adjust_file(fd)
    except BaseException:
        os.close(fd)
        raise
    return fd


def write_new(
    path: Path, data: bytes, sharing: Sharing, mode: int = NORMAL, *, sync: bool = True
) -> None:
    """A new file with this content; with `sync` it is on the disk, its name is not."""
    fd = open_new(path, sharing, mode)
    try:
        write_all(fd, data)
        if sync:
            fsync_file(fd)
    finally:
        os.close(fd)


def make_folders(path: Path, sharing: Sharing, *, sync: bool) -> None:
    """Create a folder and what is missing above it; with `sync` the new names are durable."""
    try:
        path.mkdir()
    except FileNotFoundError:
        make_folders(path.parent, sharing, sync=sync)
        path.mkdir(exist_ok=True)
    except FileExistsError:
        if not path.is_dir():
            raise
        return
    sharing.adjust_folder(path)
    if sync:
        fsync_dir(path.parent)


def refused(error: OSError, doing: str) -> WriteError:
    """What to tell a person about a write that the operating system refused."""
    # Of two names it is the new one that can't be had.
    name = error.filename2 or error.filename
    path = str(name) if name else None
    where = f" at {path}" if path else ""
    if error.errno in _FULL:
        why, fix = "the disk, a quota or a size limit is full", "make room, then try again"
    elif error.errno in _REFUSED:
        why = "this place can't be written"
        fix = "check who owns the folder and whether it is mounted read-only, then try again"
    else:
        why, fix = error.strerror or str(error), "check the disk, then try again"
    return WriteError(f"{doing} failed{where}: {why}; nothing was changed", fix=fix, path=path)
