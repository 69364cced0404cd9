"""`state.db`: what this machine knows and no commit holds, such as the commit each view shows.

It isn't derived, so no rebuild of the index touches it. A file that can't be used is set aside,
never deleted; where the folder can't be written, what is there is read into memory and changes
end with the process. Tables are only ever added: `_MIGRATIONS` grows at its end.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gitmem.index.sessions import SCHEMA as SESSIONS_SCHEMA
from gitmem.index.sessions import Sessions
from gitmem.model.errors import Corrupt, GitmemError, Locked, WriteError

FILE = "state.db"
BUSY_SECONDS = 10.0
_PARTS = ("", "-wal", "-shm")

_MIGRATIONS: tuple[str, ...] = (
    # `left_alone`: files of a view that somebody edited, each with the commit it was edited from.
    """
    CREATE TABLE views (path TEXT PRIMARY KEY, "commit" TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE left_alone (
        view TEXT NOT NULL, file TEXT NOT NULL, "commit" TEXT NOT NULL, PRIMARY KEY (view, file)
    ) WITHOUT ROWID;
    """,
    SESSIONS_SCHEMA,
)
"""One step a version; `PRAGMA user_version` counts those that a file has seen."""


class State:
    """The open file. `warnings` tells what went wrong while it was opened."""

    def __init__(
        self, connection: sqlite3.Connection, folder: Path, *, kept: bool, warnings: Sequence[str]
    ) -> None:
        self._sql = connection
        self._folder = folder
        self.kept = kept
        """False: changes end with this process."""
        self.warnings = tuple(warnings)

    def __enter__(self) -> State:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._sql.close()

    @contextlib.contextmanager
    def sessions(self) -> Iterator[Sessions]:
        """What is known of sessions."""
        try:
            yield Sessions(self._sql)
        except sqlite3.Error as error:
            raise _explained(error, self._folder / FILE) from error

    def view_commit(self, path: Path) -> str | None:
        """The commit that the view at a path holds; None: no view was set up there."""
        query = 'SELECT "commit" FROM views WHERE path = ?'
        found = self._run(query, (self._key(path),))
        return str(found[0][0]) if found else None

    def set_view(self, path: Path, commit: str) -> None:
        """Note that a view holds a commit."""
        self._run("INSERT OR REPLACE INTO views VALUES (?, ?)", (self._key(path), commit))

    def views(self) -> dict[Path, str]:
        """Every view that was set up, with the commit it holds."""
        found = self._run('SELECT path, "commit" FROM views ORDER BY path')
        return {self._path(key): commit for key, commit in found}

    def drop_view(self, path: Path) -> None:
        """Forget a view; its files stay where they are."""
        self._run("DELETE FROM views WHERE path = ?", (self._key(path),))
        self._run("DELETE FROM left_alone WHERE view = ?", (self._key(path),))

    def left_alone(self, view: Path) -> dict[str, str]:
        """The edited files of a view, and the commit that each was edited from ("": unknown)."""
        query = 'SELECT file, "commit" FROM left_alone WHERE view = ?'
        return dict(self._run(query, (self._key(view),)))

    def leave(self, view: Path, file: str, commit: str) -> None:
        """Note that a file was edited and left alone; the first commit noted stands."""
        values = (self._key(view), file, commit)
        self._run("INSERT OR IGNORE INTO left_alone VALUES (?, ?, ?)", values)

    def settle(self, view: Path, file: str) -> None:
        """A file of a view is as its commit has it again."""
        self._run("DELETE FROM left_alone WHERE view = ? AND file = ?", (self._key(view), file))

    def _run(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        try:
            return self._sql.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise _explained(error, self._folder / FILE) from error

    def _key(self, path: Path) -> str:
        """A name for a path that stays true when the repository is moved with its work tree."""
        home = self._folder.parent.parent
        shown = os.path.relpath(path, self._folder) if path.is_relative_to(home) else str(path)
        # SQLite's texts are UTF-8; a file name needn't be.
        return os.fsencode(shown).decode("utf-8", "backslashreplace")

    def _path(self, key: str) -> Path:
        return Path(os.path.normpath(self._folder / key))


def state_file(folder: Path) -> Path:
    """The file in the store's own folder."""
    return folder / FILE


def open_state(folder: Path) -> State:
    """The state in a folder; created when missing, set aside when it can't be used."""
    file = state_file(folder)
    warnings: list[str] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return State(_open(file), folder, kept=True, warnings=())
    except sqlite3.DatabaseError as error:
        if _is_damage(error):
            with contextlib.suppress(OSError, sqlite3.DatabaseError):
                aside = _set_aside(file)
                warnings.append(
                    f"{file} was damaged and is kept as {aside.name}: views are brought in line"
                    " by `gitmem view`"
                )
                return State(_open(file), folder, kept=True, warnings=warnings)
    except OSError:
        pass
    return State(_read_into_memory(file), folder, kept=False, warnings=warnings)


def _open(file: Path) -> sqlite3.Connection:
    connection = _connect(str(file))
    try:
        # NORMAL: a commit isn't fsynced; the tail that a power cut takes is found out by looking.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if sys.version_info >= (3, 12):
            # Else each process that closes it last waits for the disk; it is done now and then.
            connection.setconfig(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, True)
        _migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _migrate(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA user_version").fetchone()[0] >= len(_MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    # Another process may have done it while we waited for the lock.
    seen = connection.execute("PRAGMA user_version").fetchone()[0]
    for step in _MIGRATIONS[seen:]:
        for statement in step.split(";\n"):
            if statement.strip():
                connection.execute(statement)
    if seen < len(_MIGRATIONS):
        connection.execute(f"PRAGMA user_version = {len(_MIGRATIONS)}")
    connection.execute("COMMIT")


def _read_into_memory(file: Path) -> sqlite3.Connection:
    memory = _connect(":memory:")
    if file.exists():
        # `immutable` needs no lock file beside it, which a read-only folder can't hold.
        uri = f"{file.absolute().as_uri()}?mode=ro&immutable=1"
        with contextlib.suppress(sqlite3.DatabaseError):
            source = _connect(uri, uri=True)
            try:
                source.backup(memory)
            finally:
                source.close()
    with contextlib.suppress(sqlite3.DatabaseError):
        memory.execute("PRAGMA journal_mode = MEMORY")
    _migrate(memory)
    return memory


def _set_aside(file: Path) -> Path:
    """Rename a damaged file after the time of its last change."""
    base = f"{file}.corrupt.{int(file.stat().st_mtime)}"
    name, number = base, 1
    while Path(name).exists():
        number += 1
        name = f"{base}-{number}"
    for part in _PARTS:
        with contextlib.suppress(FileNotFoundError):
            Path(f"{file}{part}").rename(f"{name}{part}")
    return Path(name)


def _connect(name: str, *, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(name, timeout=BUSY_SECONDS, isolation_level=None, uri=uri)


def _is_damage(error: sqlite3.Error) -> bool:
    # Operational errors (locked, read-only, disk full) say nothing about the content.
    return not isinstance(error, sqlite3.OperationalError) or "no such" in str(error)


def _explained(error: sqlite3.Error, file: Path) -> GitmemError:
    if _is_damage(error):
        return Corrupt(
            f"{file} is damaged: {error}",
            fix="run `gitmem view`: a file that can't be read is set aside and started anew",
        )
    if "locked" in str(error):
        return Locked(
            f"another process has held {file} for more than {BUSY_SECONDS:g} s",
            fix="wait for it to finish, then try again",
        )
    return WriteError(f"{file} can't be used: {error}", fix="check the free space and the rights")
