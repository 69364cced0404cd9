"""The part of `state.db` that tells of sessions: what each was shown, and what isn't told yet.

`Sessions` works on a bare connection, because the recall hook opens nothing else: only the
standard library, and of it nothing that a hook would wait for. The tables lose nothing that a
commit holds: usage stays here until its commit is made, the caches at the end can be dropped.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

VERSION = 2
"""The version of state.db from which these tables are there."""

MOVED_ON, SCOPE = "moved on", "scope"
"""What is computed from the code's history."""

SCHEMA = """
CREATE TABLE sessions (
    session TEXT PRIMARY KEY, started INTEGER NOT NULL, active INTEGER NOT NULL,
    prompts INTEGER NOT NULL, told INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE shown (session TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (session, id))
    WITHOUT ROWID;
CREATE TABLE used (
    session TEXT NOT NULL, id TEXT NOT NULL, told INTEGER NOT NULL, PRIMARY KEY (session, id)
) WITHOUT ROWID;
CREATE TABLE receipts (
    session TEXT NOT NULL, prompt INTEGER NOT NULL, time INTEGER NOT NULL,
    "commit" TEXT NOT NULL, ids TEXT NOT NULL, characters INTEGER NOT NULL
);
CREATE INDEX receipts_session ON receipts (session, prompt);
CREATE TABLE moved_on (
    head TEXT NOT NULL, blob TEXT NOT NULL, files INTEGER NOT NULL, commits INTEGER NOT NULL,
    PRIMARY KEY (head, blob)
) WITHOUT ROWID;
CREATE TABLE out_of_scope (head TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (head, id))
    WITHOUT ROWID;
CREATE TABLE computed (what TEXT NOT NULL, head TEXT NOT NULL, "commit" TEXT NOT NULL,
    PRIMARY KEY (what, head)) WITHOUT ROWID;
"""


class Pending:
    """A session whose usage the branch doesn't hold yet."""

    __slots__ = ("active", "ids", "session")

    def __init__(self, session: str, active: int, ids: Sequence[str]) -> None:
        self.session = session
        self.active = active
        self.ids = ids


class Receipt:
    """What one prompt of a session was shown."""

    __slots__ = ("characters", "commit", "ids", "prompt", "session", "time")

    def __init__(
        self, session: str, prompt: int, time: int, commit: str, ids: str, characters: int
    ) -> None:
        self.session = session
        self.prompt = prompt
        self.time = time
        self.commit = commit
        self.ids = tuple(ids.split())
        self.characters = characters


class Sessions:
    """Reads and writes those tables."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._sql = connection

    def shown(self, session: str) -> set[str]:
        """The entries that a session has before it."""
        query = "SELECT id FROM shown WHERE session = ?"
        return {row[0] for row in self._sql.execute(query, (session,))}

    def add_prompt(
        self, session: str, now: int, commit: str, ids: Sequence[str], characters: int
    ) -> int:
        """Record a prompt and what it was shown; its number in the session."""
        sql = self._sql
        sql.execute("BEGIN IMMEDIATE")
        try:
            sql.execute(
                "INSERT INTO sessions VALUES (?1, ?2, ?2, 1, 0) ON CONFLICT (session)"
                " DO UPDATE SET prompts = prompts + 1, active = excluded.active",
                (session, now),
            )
            query = "SELECT prompts FROM sessions WHERE session = ?"
            number = int(sql.execute(query, (session,)).fetchone()[0])
            if ids:
                pairs = [(session, entry_id) for entry_id in ids]
                sql.executemany("INSERT OR IGNORE INTO shown VALUES (?, ?)", pairs)
                sql.executemany("INSERT OR IGNORE INTO used VALUES (?, ?, 0)", pairs)
                receipt = (session, number, now, commit, " ".join(ids), characters)
                sql.execute("INSERT INTO receipts VALUES (?, ?, ?, ?, ?, ?)", receipt)
        except BaseException:
            sql.execute("ROLLBACK")
            raise
        sql.execute("COMMIT")
        return number

    def note_given(self, session: str, ids: Iterable[str]) -> None:
        """Entries that a session got otherwise: not repeated to it, not counted as recalled."""
        self._all("INSERT OR IGNORE INTO shown VALUES (?, ?)", [(session, one) for one in ids])

    def forget_shown(self, session: str) -> None:
        """The session's context is gone: everything may be shown to it again."""
        self._sql.execute("DELETE FROM shown WHERE session = ?", (session,))

    # Usage that no commit holds yet

    def pending(self) -> list[Pending]:
        """Sessions with usage that isn't told, the one that was idle longest first."""
        query = "SELECT session, id FROM used WHERE told = 0 ORDER BY session, id"
        ids: dict[str, list[str]] = {}
        for session, entry_id in self._sql.execute(query):
            ids.setdefault(session, []).append(entry_id)
        query = "SELECT session, active, told FROM sessions ORDER BY active, session"
        return [
            Pending(session, active, tuple(ids.get(session, ())))
            for session, active, told in self._sql.execute(query)
            if not told or session in ids
        ]

    def mark_told(self, told: Sequence[Pending]) -> None:
        """A commit holds this usage now."""
        sql = self._sql
        sql.execute("BEGIN IMMEDIATE")
        try:
            for one in told:
                sql.execute("UPDATE sessions SET told = 1 WHERE session = ?", (one.session,))
                pairs = [(one.session, entry_id) for entry_id in one.ids]
                sql.executemany("UPDATE used SET told = 1 WHERE session = ? AND id = ?", pairs)
        except BaseException:
            sql.execute("ROLLBACK")
            raise
        sql.execute("COMMIT")

    def drop_before(self, moment: int) -> None:
        """Forget receipts, and sessions that are told, which were last active before."""
        self._sql.execute("DELETE FROM receipts WHERE time < ?", (moment,))
        old = "(SELECT session FROM sessions WHERE told = 1 AND active < ?)"
        for table in ("shown", "used", "sessions"):
            self._sql.execute(f"DELETE FROM {table} WHERE session IN {old}", (moment,))

    # Receipts

    def receipts(self, session: str | None = None) -> list[Receipt]:
        """What prompts were shown, oldest first; of one session or of all."""
        query = 'SELECT session, prompt, time, "commit", ids, characters FROM receipts'
        where = "" if session is None else " WHERE session = ?"
        values = () if session is None else (session,)
        rows = self._sql.execute(f"{query}{where} ORDER BY time, rowid", values)
        return [Receipt(*row) for row in rows]

    def sessions_like(self, start: str) -> list[str]:
        """The sessions whose name begins so."""
        query = "SELECT session FROM sessions WHERE substr(session, 1, ?) = ? ORDER BY session"
        return [row[0] for row in self._sql.execute(query, (len(start), start))]

    def prompts(self, session: str | None = None) -> tuple[int, int]:
        """How many sessions and how many prompts there were."""
        query = "SELECT count(*), coalesce(sum(prompts), 0) FROM sessions"
        where = "" if session is None else " WHERE session = ?"
        row = self._sql.execute(query + where, () if session is None else (session,)).fetchone()
        return int(row[0]), int(row[1])

    # What is derived from the code's history, for one commit of the code (`head`)

    def moved_on(self, head: str, blobs: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Of each of these versions of entries: files that changed since, commits that did it."""
        marks = ", ".join("?" * len(blobs))
        query = (
            f"SELECT blob, files, commits FROM moved_on WHERE head = ? AND blob IN ({marks})"
            " AND files > 0"
        )
        return {row[0]: (row[1], row[2]) for row in self._sql.execute(query, (head, *blobs))}

    def known_blobs(self, head: str) -> set[str]:
        query = "SELECT blob FROM moved_on WHERE head = ?"
        return {row[0] for row in self._sql.execute(query, (head,))}

    def put_moved_on(self, head: str, found: Mapping[str, tuple[int, int]]) -> None:
        rows = [(head, blob, *counts) for blob, counts in found.items()]
        self._all("INSERT OR REPLACE INTO moved_on VALUES (?, ?, ?, ?)", rows)

    def out_of_scope(self, head: str) -> set[str]:
        """The entries that were made on other branches than those which `head` holds."""
        query = "SELECT id FROM out_of_scope WHERE head = ?"
        return {row[0] for row in self._sql.execute(query, (head,))}

    def put_out_of_scope(self, head: str, ids: Iterable[str]) -> None:
        self._sql.execute("DELETE FROM out_of_scope WHERE head = ?", (head,))
        self._all("INSERT INTO out_of_scope VALUES (?, ?)", [(head, one) for one in ids])

    def computed(self, what: str, head: str) -> str:
        """The memory's commit for which something was computed last; "" for never."""
        query = 'SELECT "commit" FROM computed WHERE what = ? AND head = ?'
        row = self._sql.execute(query, (what, head)).fetchone()
        return str(row[0]) if row else ""

    def drop_computed(self, head: str, most: int) -> None:
        """Forget what was computed for other commits of the code, when there are too many."""
        if self._sql.execute("SELECT count(*) FROM computed").fetchone()[0] < most:
            return
        for table in ("moved_on", "out_of_scope", "computed"):
            self._sql.execute(f"DELETE FROM {table} WHERE substr(head, 1, 40) <> ?", (head,))

    def set_computed(self, what: str, head: str, commit: str) -> None:
        """Note for which commit of the memory it was computed."""
        values = (what, head, commit)
        self._sql.execute("INSERT OR REPLACE INTO computed VALUES (?, ?, ?)", values)

    def _all(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        if not rows:
            return
        self._sql.execute("BEGIN IMMEDIATE")
        try:
            self._sql.executemany(query, rows)
        except BaseException:
            self._sql.execute("ROLLBACK")
            raise
        self._sql.execute("COMMIT")
