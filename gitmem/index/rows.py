"""Everything that is written into the index, always inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gitmem.index.db import Index


class EntryRow(NamedTuple):
    """An entry as it lies in the tree. `document` is its JSON, `tags` one a line.

    `words` are its terms, as `index/stored` gives them.
    """

    path: str
    id: str
    tier: str
    folder: str
    slug: str
    blob: str
    category: str
    title: str
    created: str
    pinned: bool
    document: str
    tags: str
    words: str


class CommitRow(NamedTuple):
    """A commit of the branch as its message and header tell it."""

    sha: str
    time: int
    op: str
    category: str | None
    title: str
    reason: str
    actor: str | None
    session: str | None
    source: str | None
    parents: tuple[str, ...]


class ChangeRow(NamedTuple):
    """What a commit did to one entry. `path` None: removed; `from_path` None: brought in.

    `verified`: the two trees were compared; otherwise the row rests on the commit's trailers.
    `fields`: the changed fields as JSON, None where nobody has compared the versions yet.
    """

    id: str
    path: str | None
    from_path: str | None
    tier: str | None
    from_tier: str | None
    folder: str
    slug: str
    verified: bool = True
    fields: str | None = None


def add_commit(index: Index, commit: CommitRow, changes: Sequence[ChangeRow]) -> int:
    """Record a commit whose parents are recorded; its place in the order of the index."""
    known = [_numbered(index, parent) for parent in commit.parents]
    clock = max([commit.time, *(1 + clock for _, clock in known)])
    seq = index.execute(
        "INSERT INTO commits (sha, time, op, category, title, reason, actor, session, source,"
        " clock) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*commit[:-1], clock),
    )
    for parent, _ in known:
        index.execute("INSERT OR IGNORE INTO parents VALUES (?, ?)", (seq, parent))
    index.newest = commit.sha, seq, clock
    for change in changes:
        add_change(index, seq, change)
        if commit.session is not None and change.from_path is None:
            _add_origin(index, change.id, commit.session)
    return seq


def _add_origin(index: Index, entry_id: str, session: str) -> None:
    """Note which session made an entry, and as its how-manieth; the first making stands."""
    if index.rows("SELECT 1 FROM origins WHERE id = ?", (entry_id,)):
        return
    index.execute(
        "INSERT INTO makers (session, made) VALUES (?, 1)"
        " ON CONFLICT (session) DO UPDATE SET made = made + 1",
        (session,),
    )
    index.execute(
        "INSERT INTO origins SELECT ?, maker, made FROM makers WHERE session = ?",
        (entry_id, session),
    )


def add_change(index: Index, seq: int, change: ChangeRow) -> None:
    index.execute("INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (seq, *change))


def replace_changes(index: Index, seq: int, changes: Sequence[ChangeRow]) -> None:
    """Put verified rows in the place of what a commit's trailers claimed."""
    index.execute("DELETE FROM changes WHERE seq = ?", (seq,))
    for change in changes:
        add_change(index, seq, change)


def add_usage(index: Index, seq: int, session: str, used: Sequence[tuple[str, int]]) -> None:
    """A session's counts; of several commits that tell them the highest count stands."""
    clock = index.rows("SELECT clock FROM commits WHERE seq = ?", (seq,))[0][0]
    index.execute(
        "INSERT INTO sessions VALUES (?, ?) ON CONFLICT (session)"
        " DO UPDATE SET clock = max(clock, excluded.clock)",
        (session, clock),
    )
    for entry_id, count in used:
        index.execute(
            "INSERT INTO used VALUES (?, ?, ?, ?) ON CONFLICT (session, id)"
            " DO UPDATE SET count = max(count, excluded.count), seq = max(seq, excluded.seq)",
            (session, entry_id, count, seq),
        )


def put_entry(index: Index, entry: EntryRow, *, new: bool = False) -> None:
    """Record the entry at a path, in the place of what was there.

    `new`: nothing was, and no other path has its id.
    """
    if not new:
        remove_path(index, entry.path)
    row = index.execute(
        "INSERT INTO entries (path, id, tier, folder, slug, blob, category, title, created,"
        " pinned, document, tags) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        entry[:-1],
    )
    stored = (row, entry.words)
    index.execute("INSERT INTO recalled VALUES (?, ?)", stored)
    index.execute("INSERT INTO terms (rowid, words) VALUES (?, ?)", stored)
    index.count(entry.words, 1)
    if not new:
        # Noted here, so that a write needn't count all entries to learn that no id is there twice.
        index.execute(
            "INSERT OR IGNORE INTO copies"
            " SELECT id FROM entries WHERE id = ? GROUP BY id HAVING count(*) > 1",
            (entry.id,),
        )


def copy_entry(index: Index, lent: Index, path: str) -> None:
    """Take over an entry from another index."""
    query = (
        "SELECT path, id, tier, folder, slug, blob, category, title, created, pinned, document,"
        " tags, words FROM entries JOIN recalled USING (row) WHERE path = ?"
    )
    for row in lent.rows(query, (path,)):
        entry = EntryRow(*row)
        put_entry(index, entry)
        for origin in lent.rows("SELECT * FROM origins WHERE id = ?", (entry.id,)):
            index.execute("INSERT OR IGNORE INTO origins VALUES (?, ?, ?)", origin)


def move_entry(index: Index, old: str, new: str, tier: str, folder: str, slug: str) -> None:
    """The same blob lies at another path now."""
    if old != new:
        remove_path(index, new)
    index.execute(
        "UPDATE entries SET path = ?, tier = ?, folder = ?, slug = ? WHERE path = ?",
        (new, tier, folder, slug, old),
    )


def put_problem(index: Index, path: str, why: str, line: int | None) -> None:
    """Record a file in an entry's place that is none; it is reported, never recalled."""
    remove_path(index, path)
    index.execute("INSERT OR REPLACE INTO problems VALUES (?, ?, ?)", (path, why, line))


def remove_path(index: Index, path: str) -> None:
    """Nothing lies at this path any more."""
    index.execute("DELETE FROM problems WHERE path = ?", (path,))
    query = "SELECT row, words FROM entries JOIN recalled USING (row) WHERE path = ?"
    for row, words in index.rows(query, (path,)):
        # A table without content must be told what to forget.
        index.execute(
            "INSERT INTO terms (terms, rowid, words) VALUES ('delete', ?, ?)", (row, words)
        )
        index.execute("DELETE FROM recalled WHERE row = ?", (row,))
        index.execute("DELETE FROM entries WHERE row = ?", (row,))
        index.count(words, -1)


def _numbered(index: Index, sha: str) -> tuple[int, int]:
    if index.newest is not None and index.newest[0] == sha:
        return index.newest[1:]
    seq, clock = index.rows("SELECT seq, clock FROM commits WHERE sha = ?", (sha,))[0]
    return seq, clock
