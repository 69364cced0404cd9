"""The files of a view on the disk: read, written atomically, set aside.

Never follows a symbolic link out of the view, and never touches what isn't a plain file. What it
writes isn't fsynced: the branch holds everything (I1).
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

_NEW = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
_SET_ASIDE = re.compile(r"\.invalid\.[0-9]+(?:-[0-9]+)?\Z")
_TEMPORARY = ".gitmem-"


class InTheWay(OSError):
    """Something else than a plain file lies where a file of the view belongs."""


class Files:
    """The files below the root of a view, by their path in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._real: set[str] = set()
        """Folders that were seen to be no links."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; None: there is none. InTheWay: something else is."""
        if not self._has_folder(path.rpartition("/")[0]):
            return None
        full = self.root / path
        try:
            found = full.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        if not stat.S_ISREG(found.st_mode):
            raise InTheWay(f"{path} is no plain file")
        fd = os.open(full, _READ)
        with os.fdopen(fd, "rb") as file:
            return file.read()

    def write(self, path: str, data: bytes) -> None:
        """Put a whole file in place, with the folders above it."""
        self._make_folder(path.rpartition("/")[0])
        full = self.root / path
        fresh = full.with_name(f"{_TEMPORARY}{os.getpid()}")
        # What a writer of the same number left when it died.
        with contextlib.suppress(FileNotFoundError):
            fresh.unlink()
        try:
            with os.fdopen(os.open(fresh, _NEW, 0o666), "wb") as file:
                file.write(data)
            # Renaming over a file makes some file systems write the new one to the disk at once,
            # which takes longer than all the rest. Should we die in between, the file is missing,
            # and the next look at the view brings it back.
            with contextlib.suppress(FileNotFoundError):
                full.unlink()
            fresh.rename(full)
        except OSError as error:
            with contextlib.suppress(OSError):
                fresh.unlink()
            if full.is_dir():
                raise InTheWay(f"{path} is a folder") from error
            raise

    def remove(self, path: str) -> None:
        """Take a file away, and the folders that it leaves empty."""
        if not self._has_folder(path.rpartition("/")[0]):
            return
        with contextlib.suppress(FileNotFoundError):
            (self.root / path).unlink()
        folder = path.rpartition("/")[0]
        while folder:
            try:
                (self.root / folder).rmdir()
            except OSError:
                return
            self._real.discard(folder)
            folder = folder.rpartition("/")[0]

    def set_aside(self, path: str, moment: int) -> str:
        """Rename a file to `<path>.invalid.<unix time>`; the name it has then."""
        name, number = f"{path}.invalid.{moment}", 1
        while os.path.lexists(self.root / name):
            number += 1
            name = f"{path}.invalid.{moment}-{number}"
        (self.root / path).rename(self.root / name)
        return name

    def walk(self, below: str = "") -> Iterator[str]:
        """The plain files of the view, without those that were set aside."""
        if not self._has_folder(below):
            return
        for here, folders, names in os.walk(self.root / below):
            folders.sort()
            base = Path(here).relative_to(self.root).as_posix()
            for name in sorted(names):
                path = name if base == "." else f"{base}/{name}"
                if is_ours_to_see(name) and not (self.root / path).is_symlink():
                    yield path

    def _has_folder(self, folder: str) -> bool:
        """Is there such a folder, reached through no link?"""
        if not folder or folder in self._real:
            return True
        if not self._has_folder(folder.rpartition("/")[0]):
            return False
        try:
            found = (self.root / folder).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        if not stat.S_ISDIR(found.st_mode):
            raise InTheWay(f"{folder} is no folder")
        self._real.add(folder)
        return True

    def _make_folder(self, folder: str) -> None:
        if not folder:
            self.root.mkdir(parents=True, exist_ok=True)
        elif not self._has_folder(folder):
            self._make_folder(folder.rpartition("/")[0])
            (self.root / folder).mkdir(exist_ok=True)
            self._real.add(folder)


def is_ours_to_see(name: str) -> bool:
    """Is this the name of a file that may be an entry: not set aside, not half written?"""
    return not name.startswith(_TEMPORARY) and not _SET_ASIDE.search(name)
