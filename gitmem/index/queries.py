"""Everything that is read from the index, as frozen rows; SQL stays in this layer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import NamedTuple

from gitmem.index.db import Index

Scope = Container[int] | None
"""The commits (by their `seq`) that a reader at an older commit may see; None: all."""


class FoundEntry(NamedTuple):
    """An entry of the index. `document` is its JSON."""

    path: str
    id: str
    tier: str
    folder: str
    slug: str
    blob: str
    category: str
    title: str
    document: str


class Problem(NamedTuple):
    """A file in an entry's place that is none."""

    path: str
    why: str
    line: int | None


class LoggedCommit(NamedTuple):
    """A commit of the branch."""

    seq: int
    sha: str
    time: int
    clock: int
    op: str
    category: str | None
    title: str
    reason: str
    actor: str | None
    session: str | None
    source: str | None


class HistoryRow(NamedTuple):
    """One commit's change of one entry; see `index/rows.ChangeRow`."""

    commit: LoggedCommit
    id: str
    path: str | None
    from_path: str | None
    tier: str | None
    from_tier: str | None
    verified: bool
    fields: str | None


class UsageCount(NamedTuple):
    """How often and when sessions used an entry; sessions are numbered in clock order."""

    frequency: int
    last_session: int | None
    created_session: int
    sessions_since: int


_ENTRY = "path, id, tier, folder, slug, blob, category, title, document"
_COMMIT = (
    "c.seq, c.sha, c.time, c.clock, c.op, c.category, c.title, c.reason,"
    " c.actor, c.session, c.source"
)
_CHANGE = "h.id, h.path, h.from_path, h.tier, h.from_tier, h.verified, h.fields"
_HISTORY = f"SELECT {_COMMIT}, {_CHANGE} FROM changes h JOIN commits c ON c.seq = h.seq"


def entries_with_id(index: Index, entry_id: str) -> list[FoundEntry]:
    """The entries of an id: one, unless somebody copied a file by hand."""
    return _entries(index, "WHERE id = ? ORDER BY path", (entry_id,))


def entries_with_prefix(index: Index, prefix: str) -> list[FoundEntry]:
    """The entries whose id begins so."""
    return _entries(index, "WHERE id >= ? AND id < ? ORDER BY id", (prefix, prefix + "\x7f"))


def entries_with_slug(index: Index, slug: str) -> list[FoundEntry]:
    """The entries of a slug, in all folders and tiers."""
    return _entries(index, "WHERE slug = ? ORDER BY path", (slug,))


def entry_at(index: Index, path: str) -> FoundEntry | None:
    """The entry at a path."""
    return next(iter(_entries(index, "WHERE path = ?", (path,))), None)


def entries_in(
    index: Index,
    tiers: Sequence[str],
    *,
    category: str | None = None,
    folder: str | None = None,
    pinned: bool | None = None,
    newest: int | None = None,
) -> list[FoundEntry]:
    """The entries of some tiers; by folder and title, or the `newest` of them, newest first."""
    clauses = [f"tier IN ({', '.join('?' * len(tiers))})"]
    values: list[object] = list(tiers)
    for column, wanted in (("category", category), ("folder", folder), ("pinned", pinned)):
        if wanted is not None:
            clauses.append(f"{column} = ?")
            values.append(wanted)
    order = "folder, title COLLATE NOCASE, id"
    if newest is not None:
        order = f"created DESC, id DESC LIMIT {int(newest)}"
    return _entries(index, f"WHERE {' AND '.join(clauses)} ORDER BY {order}", values)


_COMMON = 5
"""A word that more than so many times `look` entries have is common."""


class TitleRow(NamedTuple):
    """What is compared to find entries that are alike."""

    id: str
    title: str
    tags: tuple[str, ...]


def entries_matching(index: Index, words: Sequence[str], *, look: int, most: int) -> list[TitleRow]:
    """The active entries that have most of the words (`foo*`: begins so), at most `most`.

    Of each word the newest `look` entries are looked at, and words that very many entries have are
    passed over: they say little, and finding them takes longest.
    """
    # Imported here: reading commands need nothing of it.
    from gitmem.index.analyser import terms

    beginnings = {term: word.endswith("*") for word in words for term in terms(word.rstrip("*"))}
    marks = ", ".join("?" * len(beginnings))
    query = f"SELECT term, entries FROM frequencies WHERE term IN ({marks})"
    counts = dict(index.rows(query, tuple(beginnings)))
    rarest = sorted(beginnings, key=lambda term: (counts.get(term, 0), term))
    hits: Counter[int] = Counter()
    query = "SELECT rowid FROM terms WHERE terms MATCH ? ORDER BY rowid DESC LIMIT ?"
    for term in rarest:
        if counts.get(term, 0) > _COMMON * look and hits:
            break
        found = index.rows(query, (f'"{term}"', look))
        if beginnings[term] and len(found) < most:
            # Only for words that few have: beginnings are looked up in all entries at once.
            found = index.rows(query, (f'"{term}" *', look))
        hits.update([row[0] for row in found])
    best = [row for row, _ in hits.most_common(most)]
    marks = ", ".join("?" * len(best))
    # `+`: else SQLite would go through all entries of the tiers, by their index.
    query = f"SELECT id, title, tags FROM entries WHERE row IN ({marks}) AND +tier IN (?, ?)"
    return [
        TitleRow(entry_id, title, tuple(tags.split("\n")))
        for entry_id, title, tags in index.rows(query, (*best, "working", "register"))
    ]


def count_entries(index: Index) -> Mapping[tuple[str, str], int]:
    """How many entries each tier holds of each category."""
    query = "SELECT tier, category, count(*) FROM entries GROUP BY tier, category"
    return {(tier, category): count for tier, category, count in index.rows(query)}


def duplicate_ids(index: Index) -> list[str]:
    """Ids that several files claim."""
    query = (
        "SELECT id FROM copies c"
        " WHERE (SELECT count(*) FROM entries e WHERE e.id = c.id) > 1 ORDER BY id"
    )
    return [row[0] for row in index.rows(query)]


def problems(index: Index) -> list[Problem]:
    """Files in an entry's place that are none."""
    return [Problem(*row) for row in index.rows("SELECT * FROM problems ORDER BY path")]


def commit_named(index: Index, sha: str) -> LoggedCommit | None:
    """A commit of the branch by its full hash."""
    found = index.rows(f"SELECT {_COMMIT} FROM commits c WHERE c.sha = ?", (sha,))
    return LoggedCommit(*found[0]) if found else None


def commits_with_prefix(index: Index, prefix: str) -> list[str]:
    """The hashes of the branch that begin so."""
    query = "SELECT sha FROM commits WHERE sha >= ? AND sha < ? LIMIT 10"
    return [row[0] for row in index.rows(query, (prefix, prefix + "g"))]


def commit_before(index: Index, time: int) -> LoggedCommit | None:
    """The last commit of the branch that was made at that time or before."""
    query = f"SELECT {_COMMIT} FROM commits c WHERE c.time <= ? ORDER BY c.clock DESC, c.sha DESC"
    for row in index.rows(query + " LIMIT 1", (time,)):
        return LoggedCommit(*row)
    return None


def log(
    index: Index,
    *,
    limit: int | None = None,
    session: str | None = None,
    op: str | None = None,
    scope: Scope = None,
) -> Iterator[LoggedCommit]:
    """The commits of the branch, newest first."""
    wanted = {"session": session, "op": op}
    clauses = [f"c.{name} = ?" for name, value in wanted.items() if value is not None]
    values = [value for value in wanted.values() if value is not None]
    where = f"WHERE {' AND '.join(clauses)}" if clauses else ""
    query = f"SELECT {_COMMIT} FROM commits c {where} ORDER BY c.clock DESC, c.seq DESC"
    if limit is not None and scope is None:
        query += f" LIMIT {int(limit)}"
    seen = 0
    for row in index.rows(query, values):
        if scope is None or row[0] in scope:
            yield LoggedCommit(*row)
            seen += 1
            if seen == limit:
                return


def changes_of(index: Index, seq: int) -> list[HistoryRow]:
    """What one commit did to entries."""
    return _history(index, "WHERE h.seq = ? ORDER BY h.rowid", (seq,), None)


def history(index: Index, entry_id: str, scope: Scope = None) -> list[HistoryRow]:
    """What happened to an entry, oldest first."""
    return _history(index, "WHERE h.id = ? ORDER BY c.clock, c.seq", (entry_id,), scope)


def all_history(index: Index, scope: Scope = None) -> dict[str, list[HistoryRow]]:
    """The histories of all entries at once, for lists."""
    found: dict[str, list[HistoryRow]] = {}
    for row in _history(index, "ORDER BY c.clock, c.seq", (), scope):
        found.setdefault(row.id, []).append(row)
    return found


def history_of_slug(index: Index, folder: str, slug: str) -> list[HistoryRow]:
    """What happened at a slug of a folder, in any tier, oldest first."""
    return _history(
        index, "WHERE h.slug = ? AND h.folder = ? ORDER BY c.clock, c.seq", (slug, folder), None
    )


def id_was_held(index: Index, entry_id: str) -> bool:
    """Did this store ever hold an entry of that id?"""
    query = (
        "SELECT 1 FROM changes WHERE id = ? UNION ALL SELECT 1 FROM entries WHERE id = ? LIMIT 1"
    )
    return bool(index.rows(query, (entry_id, entry_id)))


def scope_of(index: Index, sha: str) -> Scope:
    """The commits that `sha` can see: itself and its ancestors. None: all of the index."""
    if sha == index.commit:
        return None
    commit = commit_named(index, sha)
    if commit is None:
        return ()
    query = """WITH RECURSIVE seen (seq) AS (
        VALUES (?) UNION SELECT p.parent FROM parents p JOIN seen s ON p.seq = s.seq
    ) SELECT seq FROM seen"""
    return frozenset(row[0] for row in index.rows(query, (commit.seq,)))


def usage_of(index: Index, entry_id: str) -> UsageCount:
    """What usage commits say of an entry."""
    frequency, last_clock = index.rows(
        "SELECT coalesce(sum(u.count), 0), max(c.clock) FROM used u"
        " JOIN commits c ON c.seq = u.seq WHERE u.id = ?",
        (entry_id,),
    )[0]
    created = index.rows(
        "SELECT min(c.clock) FROM changes h JOIN commits c ON c.seq = h.seq WHERE h.id = ?",
        (entry_id,),
    )[0][0]
    total, upto_created, upto_last, since = index.rows(
        "SELECT count(*), coalesce(sum(clock <= ?1), 0), coalesce(sum(clock <= ?2), 0),"
        " coalesce(sum(clock > max(coalesce(?1, 0), coalesce(?2, 0))), 0) FROM sessions",
        (created, last_clock),
    )[0]
    return UsageCount(
        frequency=frequency,
        last_session=upto_last if last_clock is not None else None,
        created_session=upto_created if created is not None else total,
        sessions_since=since,
    )


def used_by(index: Index, session: str) -> frozenset[str] | None:
    """The entries that usage commits name for a session; None: none tells of that session."""
    if not index.rows("SELECT 1 FROM sessions WHERE session = ?", (session,)):
        return None
    found = index.rows("SELECT id FROM used WHERE session = ?", (session,))
    return frozenset(row[0] for row in found)


def entries_with_files(index: Index) -> list[FoundEntry]:
    """The active entries that name files of the code."""
    return _entries(
        index,
        "WHERE tier IN ('working', 'register') AND document LIKE '%\"related_files\"%'",
        (),
    )


def newest_commit(index: Index, entry_id: str) -> str | None:
    """The last commit that touched an entry."""
    query = (
        "SELECT c.sha FROM changes h JOIN commits c ON c.seq = h.seq WHERE h.id = ?"
        " ORDER BY c.clock DESC, c.seq DESC LIMIT 1"
    )
    found = index.rows(query, (entry_id,))
    return str(found[0][0]) if found else None


def making_commits(index: Index, tiers: Sequence[str]) -> list[tuple[str, str]]:
    """The id of every entry of some tiers, and the commit that made it."""
    marks = ", ".join("?" * len(tiers))
    query = (
        "SELECT e.id, c.sha FROM entries e JOIN commits c ON c.seq ="
        " (SELECT min(h.seq) FROM changes h WHERE h.id = e.id)"
        f" WHERE e.tier IN ({marks}) ORDER BY c.seq"
    )
    return [(row[0], row[1]) for row in index.rows(query, tiers)]


def any_usage(index: Index) -> bool:
    """Did any session leave a usage commit?"""
    return bool(index.rows("SELECT 1 FROM sessions LIMIT 1"))


def unverified(index: Index, sha: str) -> bool:
    """Does any row of this commit rest on its trailers alone?"""
    query = (
        "SELECT 1 FROM changes h JOIN commits c ON c.seq = h.seq WHERE c.sha = ? AND NOT h.verified"
    )
    return bool(index.rows(query, (sha,)))


def _entries(index: Index, where: str, values: Sequence[object]) -> list[FoundEntry]:
    return [FoundEntry(*row) for row in index.rows(f"SELECT {_ENTRY} FROM entries {where}", values)]


def _history(index: Index, where: str, values: Sequence[object], scope: Scope) -> list[HistoryRow]:
    return [
        HistoryRow(LoggedCommit(*row[:11]), *row[11:])
        for row in index.rows(f"{_HISTORY} {where}", values)
        if scope is None or row[0] in scope
    ]
