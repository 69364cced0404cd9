"""Opens index and state for a hook: the SQLite files as they are, without the classes around them.

Imports `os` and `sqlite3` alone. Never creates a file, never migrates one, never waits long; what
can't be opened so is None, and the caller goes the long way or without.
"""

from __future__ import annotations

import os
import sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

Connection = sqlite3.Connection
"""For those who pass one on."""
INDEX_VERSION = 2
"""Raised with every change of the schema in `db`, whose module takes long to import."""
STATE_FILE = "state.db"
INDEX_SECONDS = 1.0
STATE_SECONDS = 0.5


def open_index(folder: str) -> tuple[sqlite3.Connection, str, str] | None:
    """The index in a store's folder for reading, the commit it reflects, and its config.json."""
    path = f"{folder}/index-{INDEX_VERSION}.db"
    for mode in ("rw", "ro&immutable=1"):
        try:
            connection = _connect(path, mode, INDEX_SECONDS)
            connection.execute("PRAGMA query_only = 1")
            meta = dict(connection.execute("SELECT key, value FROM meta").fetchall())
        except sqlite3.DatabaseError:
            continue
        commit = meta.get("commit")
        return (connection, str(commit), str(meta.get("config") or "{}")) if commit else None
    return None


def open_state(folder: str, version: int) -> sqlite3.Connection | None:
    """The state in a store's folder, if it has been brought to a version at least."""
    try:
        connection = _connect(f"{folder}/{STATE_FILE}", "rw", STATE_SECONDS)
        if connection.execute("PRAGMA user_version").fetchone()[0] < version:
            return None
        # NORMAL: nothing waits for the disk; a power cut costs what the last prompts were shown.
        connection.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.DatabaseError:
        return None
    return connection


def sources(connection: sqlite3.Connection, ids: Iterable[str]) -> dict[str, str]:
    """What the newest create or update of each entry rests on; unknown ones are left out."""
    query = (
        "SELECT c.source FROM changes h JOIN commits c ON c.seq = h.seq"
        " WHERE h.id = ? AND c.op IN ('create', 'update') ORDER BY c.clock DESC, c.seq DESC LIMIT 1"
    )
    found: dict[str, str] = {}
    for entry_id in ids:
        row = connection.execute(query, (entry_id,)).fetchone()
        if row is not None and row[0]:
            found[entry_id] = row[0]
    return found


def _connect(path: str, mode: str, seconds: float) -> sqlite3.Connection:
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    if os.name == "nt":
        quoted = "/" + quoted.replace("\\", "/")
    # Never `rwc`: a file that isn't there is not ours to make.
    return sqlite3.connect(
        f"file:{quoted}?mode={mode}", timeout=seconds, isolation_level=None, uri=True
    )
