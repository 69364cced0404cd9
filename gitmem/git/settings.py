"""The repository's own git config: read with its includes, and one value at a time set.

Reads only the repository's files, never the user's: what gitmem does to a repository must not
depend on who looks. Writes as git does, through `config.lock`, keeping every other byte.
Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from gitmem.git.configfile import BadConfig, Item, edited, normal_key, parse
from gitmem.git.platform import fsync_file
from gitmem.model.errors import Corrupt, Locked, ReadError, WriteError

LOCK_TIMEOUT = 5.0
_PAUSE = 0.02
_INCLUDES_DEEP = 10
_TRUE = {"true", "yes", "on"}
_FALSE = {"false", "no", "off", ""}
_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}

Pair = tuple[str, str | None]
Condition = Callable[[str, Path], bool]
"""Does an `includeIf` with this condition, in this file, count?"""


class Settings:
    """Values of git config keys, spelt `section.name` or `section.subsection.name`."""

    __slots__ = ("_values",)

    def __init__(self, pairs: Iterable[Pair] = ()) -> None:
        self._values: dict[str, list[str | None]] = {}
        for key, value in pairs:
            self._values.setdefault(key, []).append(value)

    def get(self, key: str) -> str | None:
        """The last value of a key; a name without `=` reads as empty; None: not set."""
        values = self.get_all(key)
        return values[-1] if values else None

    def get_all(self, key: str) -> tuple[str, ...]:
        """All values of a key, in their order."""
        return tuple(value or "" for value in self._values.get(normal_key(key), ()))

    def get_bool(self, key: str, default: bool) -> bool:
        """The last value as git understands yes and no; the default where it is neither."""
        values = self._values.get(normal_key(key))
        if not values:
            return default
        value = values[-1]
        if value is None:
            return True
        text = value.lower()
        if text in _TRUE or text in _FALSE:
            return text in _TRUE
        digits, unit = (text[:-1], _UNITS[text[-1]]) if text[-1] in _UNITS else (text, 1)
        try:
            return int(digits) * unit != 0
        except ValueError:
            return default

    def subsections(self, section: str) -> tuple[str, ...]:
        """The names that stand quoted behind a section: `remote` has `origin` and so on."""
        start = f"{section.lower()}."
        names = (
            key[len(start) :].rpartition(".")[0] for key in self._values if key.startswith(start)
        )
        return tuple(dict.fromkeys(name for name in names if name))

    def names(self, section: str) -> tuple[str, ...]:
        """The names of the keys directly in a section, in lower case."""
        start = f"{section.lower()}."
        names = (key[len(start) :] for key in self._values if key.startswith(start))
        return tuple(name for name in names if "." not in name)


def read_settings(common_dir: Path, git_dir: Path | None = None) -> Settings:
    """The repository's config, and its work tree's where `extensions.worktreeConfig` is on."""
    pairs = list(read_config(common_dir / "config"))
    settings = Settings(pairs)
    if settings.get_bool("extensions.worktreeconfig", False):
        pairs += read_config((git_dir or common_dir) / "config.worktree")
        settings = Settings(pairs)
    return settings


def read_config(path: Path, condition: Condition | None = None, depth: int = 0) -> Iterator[Pair]:
    """Keys and values of a file and what it includes. Nothing where there is no such file."""
    data = _read(path)
    if not data or depth > _INCLUDES_DEEP:
        return
    try:
        items = [entry for entry in parse(data) if isinstance(entry, Item)]
    except BadConfig as error:
        raise Corrupt(
            f"the git config {path} can't be read: {error}",
            fix="correct that line in an editor; `git config --list` complains about it too",
            path=str(path),
        ) from error
    for item in items:
        yield item.key, item.value
        if item.value and _includes(item.key, path, condition):
            # Not Path.expanduser: that one raises where there is no home.
            name = os.path.expanduser(item.value)  # noqa: PTH111
            target = Path(os.path.normpath(path.parent / name))
            yield from read_config(target, condition, depth + 1)


def set_setting(common_dir: Path, key: str, value: str | None) -> None:
    """Set a key in the repository's config, or remove it; every other byte stays."""
    # git writes to what a symbolic link points at, too.
    path = (common_dir / "config").resolve()
    lock = path.with_name(f"{path.name}.lock")
    fd = _take(lock, path)
    try:
        with os.fdopen(fd, "wb") as file:
            old = _read(path)
            new = _edited(path, old, key, value)
            file.write(new)
            file.flush()
            fsync_file(file.fileno())
        if new != old:
            lock.replace(path)
            # From here on a file of that name is somebody else's.
            return
        lock.unlink()
    except BaseException as error:
        with contextlib.suppress(OSError):
            lock.unlink()
        if isinstance(error, OSError):
            raise _unwritable(path, error) from error
        raise


def _includes(key: str, path: Path, condition: Condition | None) -> bool:
    if key == "include.path":
        return True
    if condition is None or not (key.startswith("includeif.") and key.endswith(".path")):
        return False
    return condition(key[len("includeif.") : -len(".path")], path)


def _edited(path: Path, old: bytes, key: str, value: str | None) -> bytes:
    try:
        return edited(old, key, value)
    except BadConfig as error:
        raise Corrupt(
            f"the git config {path} can't be changed: {error}",
            fix="correct that line in an editor first",
            path=str(path),
        ) from error


def _take(lock: Path, path: Path) -> int:
    """Create the lock file, as every git does before it changes a config."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    deadline = time.monotonic() + LOCK_TIMEOUT
    while True:
        try:
            fd = os.open(lock, flags | getattr(os, "O_CLOEXEC", 0), 0o666)
        except FileExistsError as error:
            if time.monotonic() >= deadline:
                raise Locked(
                    f"another program has been changing {path} for {LOCK_TIMEOUT:g} s",
                    fix=f"try again; if no git is running, {lock} is left over from one that died",
                    path=str(lock),
                ) from error
            time.sleep(_PAUSE)
        except OSError as error:
            raise _unwritable(path, error) from error
        else:
            with contextlib.suppress(OSError):
                lock.chmod(path.stat().st_mode & 0o777)
            return fd


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise ReadError(
            f"{path} can't be read: {error.strerror or error}",
            fix="check who owns the file and what its permissions are",
            path=str(path),
        ) from error


def _unwritable(path: Path, error: OSError) -> WriteError:
    return WriteError(
        f"{path} can't be written: {error.strerror or error}",
        fix="check the disk space and who owns the folder",
        path=str(path),
    )
