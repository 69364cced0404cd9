"""Opens, creates and checks `index-<schema>.db`: everything in it is derived from the branch.

The file is keyed by the commit it reflects and may be deleted at any time. What can't be used
(corrupt, another schema) is thrown away and built anew; where the folder can't be written the
file is read as it is, and without one the index lives in memory. Nothing here knows git.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gitmem.index.bare import INDEX_VERSION
from gitmem.model.errors import Corrupt, GitmemError, Locked, WriteError

SCHEMA_VERSION = INDEX_VERSION
"""Raised with every change of a table or of what is stored: other files aren't read."""
BUSY_SECONDS = 60.0
"""A writer waits this long for another one; both hold the index only for moments."""
_CACHE_KIB = 65_536

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE entries (
    row INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    id TEXT NOT NULL,
    tier TEXT NOT NULL,
    folder TEXT NOT NULL,
    slug TEXT NOT NULL,
    blob TEXT NOT NULL,
    category TEXT NOT NULL,
    title TEXT NOT NULL,
    created TEXT NOT NULL,
    pinned INTEGER NOT NULL,
    document TEXT NOT NULL,
    tags TEXT NOT NULL
);
CREATE INDEX entries_id ON entries (id);
CREATE INDEX entries_slug ON entries (slug, folder);
CREATE INDEX entries_place ON entries (tier, folder, created, id);
CREATE INDEX entries_pinned ON entries (created, id) WHERE pinned;
CREATE TABLE copies (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE problems (path TEXT PRIMARY KEY, why TEXT NOT NULL, line INTEGER) WITHOUT ROWID;
CREATE TABLE commits (
    seq INTEGER PRIMARY KEY,
    sha TEXT NOT NULL UNIQUE,
    time INTEGER NOT NULL,
    clock INTEGER NOT NULL,
    op TEXT NOT NULL,
    category TEXT,
    title TEXT NOT NULL,
    reason TEXT NOT NULL,
    actor TEXT,
    session TEXT,
    source TEXT
);
CREATE INDEX commits_session ON commits (session, seq) WHERE session IS NOT NULL;
CREATE TABLE parents (seq INTEGER NOT NULL, parent INTEGER NOT NULL, PRIMARY KEY (seq, parent))
    WITHOUT ROWID;
CREATE TABLE changes (
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    path TEXT,
    from_path TEXT,
    tier TEXT,
    from_tier TEXT,
    folder TEXT NOT NULL,
    slug TEXT NOT NULL,
    verified INTEGER NOT NULL,
    fields TEXT
);
CREATE INDEX changes_id ON changes (id, seq);
CREATE INDEX changes_seq ON changes (seq);
CREATE INDEX changes_slug ON changes (slug, folder);
CREATE INDEX changes_demoted ON changes (id, seq) WHERE from_tier = 'working' AND tier = 'register';
CREATE TABLE used (
    session TEXT NOT NULL, id TEXT NOT NULL, count INTEGER NOT NULL, seq INTEGER NOT NULL,
    PRIMARY KEY (session, id)
) WITHOUT ROWID;
CREATE INDEX used_id ON used (id);
CREATE TABLE sessions (session TEXT PRIMARY KEY, clock INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE origins (id TEXT PRIMARY KEY, maker INTEGER NOT NULL, place INTEGER NOT NULL)
    WITHOUT ROWID;
CREATE TABLE makers (
    maker INTEGER PRIMARY KEY, session TEXT NOT NULL UNIQUE, made INTEGER NOT NULL
);
CREATE TABLE recalled (row INTEGER PRIMARY KEY, words TEXT NOT NULL);
CREATE TABLE frequencies (term TEXT PRIMARY KEY, entries INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE totals (one INTEGER PRIMARY KEY, entries INTEGER NOT NULL, terms INTEGER NOT NULL);
CREATE VIRTUAL TABLE terms USING fts5 (
    words, content='', detail=none, columnsize=0, tokenize='ascii'
);
"""

_TABLES = tuple(re.findall(r"CREATE TABLE (\w+)", _SCHEMA))
REBUILD = "run `gitmem index --rebuild`; nothing is lost, the branch holds everything"


class IndexDamaged(Corrupt):
    """The index can't be read; it is safe to throw it away and to build it anew."""


class Index:
    """One SQLite connection. `commit` is what the index reflects; None: nothing yet."""

    mend: Callable[[], None] | None
    """Called when a read meets damage; the index has taken over a sound one when it returns."""

    def __init__(self, connection: sqlite3.Connection, *, writable: bool, in_memory: bool) -> None:
        self._sql = connection
        self.writable = writable
        self.in_memory = in_memory
        self.newest: tuple[str, int, int] | None = None
        """The commit that was added last, its number and its clock: the next one's parent."""
        self._came: Counter[str] = Counter()
        self._gone: Counter[str] = Counter()
        self._entries = self._terms = 0
        self.mend = None

    @property
    def commit(self) -> str | None:
        return self.meta("commit")

    def meta(self, key: str) -> str | None:
        found = self.rows("SELECT value FROM meta WHERE key = ?", (key,))
        return str(found[0][0]) if found else None

    def set_meta(self, key: str, value: str) -> None:
        self.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of a query."""
        try:
            return self._sql.execute(query, values).fetchall()
        except sqlite3.Error as error:
            problem = explained(error)
            mend = self.mend
            if mend is None or not isinstance(problem, IndexDamaged) or self._sql.in_transaction:
                raise problem from error
            self.mend = None
        # Damage in the middle of a file shows only when somebody reads there.
        mend()
        return self.rows(query, values)

    def execute(self, query: str, values: Sequence[Any] = ()) -> int:
        """Run a statement; the row id of what it inserted."""
        try:
            return self._sql.execute(query, values).lastrowid or 0
        except sqlite3.Error as error:
            raise explained(error) from error

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction: all of it is kept, or nothing."""
        self.begin()
        try:
            yield
        except BaseException:
            self.roll_back()
            raise
        self.keep()

    def begin(self) -> None:
        # IMMEDIATE: the write lock is taken now, so that what is read next can't be overtaken.
        self.execute("BEGIN IMMEDIATE")

    def keep(self) -> None:
        self._write_counts()
        self.execute("COMMIT")

    def roll_back(self) -> None:
        self._forget()
        if self._sql.in_transaction:
            self.execute("ROLLBACK")

    def clear(self) -> None:
        """Forget everything, inside the transaction that is open."""
        self._forget()
        for name in _TABLES:
            self.execute(f"DELETE FROM {name}")
        self.execute("INSERT INTO terms (terms) VALUES ('delete-all')")

    def count(self, words: str, by: int) -> None:
        """Note that an entry with these terms came (1) or went (-1).

        The sums are written when the transaction is kept: an import meets the same terms over and
        over, and nothing that a transaction reads rests on them.
        """
        terms = words.split()
        (self._came if by > 0 else self._gone).update(set(terms))
        self._entries += by
        self._terms += by * len(terms)

    def _write_counts(self) -> None:
        self._came.subtract(self._gone)
        changed = sorted((term, by) for term, by in self._came.items() if by)
        if changed:
            self._execute_all(
                "INSERT INTO frequencies VALUES (?, ?)"
                " ON CONFLICT (term) DO UPDATE SET entries = entries + excluded.entries",
                changed,
            )
            fewer = [(term,) for term, by in changed if by < 0]
            self._execute_all("DELETE FROM frequencies WHERE term = ? AND entries <= 0", fewer)
        if self._entries or self._terms:
            self.execute(
                "INSERT INTO totals VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE"
                " SET entries = entries + excluded.entries, terms = terms + excluded.terms",
                (self._entries, self._terms),
            )
        self._forget_counts()

    def _execute_all(self, query: str, values: Sequence[Sequence[Any]]) -> None:
        try:
            self._sql.executemany(query, values)
        except sqlite3.Error as error:
            raise explained(error) from error

    def _forget(self) -> None:
        self.newest = None
        self._forget_counts()

    def _forget_counts(self) -> None:
        self._came.clear()
        self._gone.clear()
        self._entries = self._terms = 0

    def take_over(self, other: Index) -> None:
        """Go on with the file of another index, which is not to be used any more."""
        self._sql, self.newest = other._sql, other.newest
        self.writable, self.in_memory = other.writable, other.in_memory

    def check(self) -> None:
        """Raise IndexDamaged unless SQLite finds its own file sound."""
        answer = self.rows("PRAGMA quick_check(1)")[0][0]
        if answer != "ok":
            raise IndexDamaged(f"the index is damaged: {answer}", fix=REBUILD)

    def close(self) -> None:
        self._sql.close()


def explained(error: sqlite3.Error) -> GitmemError:
    """SQLite's error in our words; only damage is a reason to build the index anew."""
    if _is_damage(error):
        return IndexDamaged(f"the index is damaged: {error}", fix=REBUILD)
    if "locked" in str(error):
        return Locked(
            f"another process has held the index for more than {BUSY_SECONDS:g} s",
            fix="wait for it to finish, then try again",
        )
    return WriteError(
        f"the index can't be used: {error}", fix="check the free space and rights of its folder"
    )


def index_file(folder: Path) -> Path:
    """The file of the index in the store's own folder."""
    return folder / f"index-{SCHEMA_VERSION}.db"


def open_index(folder: Path) -> Index:
    """The index in a folder; created when missing, thrown away when it can't be used."""
    file = index_file(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _open_writable(file)
    except sqlite3.DatabaseError as error:
        if _is_damage(error):
            return _started_anew(file)
        return _open_readable(file)
    except OSError:
        return _open_readable(file)


def memory_index() -> Index:
    """An empty index that no file holds."""
    index = Index(_connect(":memory:"), writable=True, in_memory=True)
    _create(index._sql)
    return index


def remove_index(folder: Path) -> None:
    """Delete the index's files; it is rebuilt when next needed."""
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            Path(f"{index_file(folder)}{suffix}").unlink()


def _started_anew(file: Path) -> Index:
    remove_index(file.parent)
    try:
        return _open_writable(file)
    except (sqlite3.DatabaseError, OSError):
        return memory_index()


def _open_writable(file: Path) -> Index:
    connection = _connect(str(file))
    try:
        # WAL: readers never wait for a writer. NORMAL never fsyncs a commit and never corrupts;
        # what a power cut takes from the tail is caught up from the branch.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA temp_store = MEMORY")
        # A cold build or an import touches pages all over the file; kept, they are written once.
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        if connection.execute("PRAGMA user_version").fetchone()[0] != SCHEMA_VERSION:
            _create(connection)
    except BaseException:
        connection.close()
        raise
    return Index(connection, writable=True, in_memory=False)


def _create(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    # Another process may have created it while we waited for the lock.
    if connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION:
        connection.execute("ROLLBACK")
        return
    for statement in _SCHEMA.split(";\n"):
        if statement.strip():
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.execute("COMMIT")


def _open_readable(file: Path) -> Index:
    """A file in a folder that can't be written; in memory where that fails too."""
    for query in ("mode=ro", "mode=ro&immutable=1"):
        with contextlib.suppress(sqlite3.DatabaseError):
            connection = _connect(f"{file.absolute().as_uri()}?{query}", uri=True)
            try:
                if connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION:
                    connection.execute("SELECT value FROM meta").fetchone()
                    return Index(connection, writable=False, in_memory=False)
            except BaseException:
                connection.close()
                raise
            connection.close()
    return memory_index()


def _connect(name: str, *, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(name, timeout=BUSY_SECONDS, isolation_level=None, uri=uri)


def _is_damage(error: sqlite3.Error) -> bool:
    # Operational errors (locked, read-only, disk full) say nothing about the content.
    return not isinstance(error, sqlite3.OperationalError) or "no such" in str(error)
