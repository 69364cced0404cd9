"""Queries behind pages and reports: newest entries, counts, what was updated or retired.

Each is bounded, or reads an index of its own, so that a page costs the same in a large store.
Reads only.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from gitmem.index.db import Index

_ACTIVE = ("working", "register")


@dataclass(frozen=True, slots=True)
class Line:
    """What a page shows of an entry in one line. `document` is its JSON where it was asked for."""

    path: str
    id: str
    tier: str
    folder: str
    category: str
    title: str
    created: str
    tags: tuple[str, ...]
    document: str


@dataclass(frozen=True, slots=True)
class PlainFile:
    """An active entry of category `file`: where it lies, and what file it stands for."""

    tree_path: str
    blob: str
    path: str
    body: str


def folders_in(index: Index, tier: str) -> list[str]:
    """The folders of a tier, found by leaps: never by reading every entry."""
    query = """WITH RECURSIVE f (name) AS (
        SELECT min(folder) FROM entries WHERE tier = ?1
        UNION ALL
        SELECT (SELECT min(folder) FROM entries WHERE tier = ?1 AND folder > f.name)
        FROM f WHERE f.name IS NOT NULL
    ) SELECT name FROM f WHERE name IS NOT NULL"""
    return [row[0] for row in index.rows(query, (tier,))]


def newest(
    index: Index,
    tiers: Sequence[str],
    limit: int,
    *,
    folders: Sequence[str] | None = None,
    documents: bool = False,
) -> list[Line]:
    """The newest entries of some tiers, or of some of their folders, newest first."""
    document = "document" if documents else "''"
    one = (
        f"SELECT path, id, tier, folder, category, title, created, tags, {document} FROM entries"
        " WHERE tier = ? AND folder = ? ORDER BY created DESC, id DESC LIMIT ?"
    )
    found: list[Sequence[str]] = []
    for tier in tiers:
        for folder in folders_in(index, tier) if folders is None else folders:
            found += index.rows(one, (tier, folder, limit))
    found.sort(key=_age, reverse=True)
    return [_line(row) for row in found[:limit]]


def pinned(index: Index, limit: int) -> list[Line]:
    """The newest pinned entries that are active, newest first."""
    rows = index.rows(
        "SELECT path, id, tier, folder, category, title, created, tags, document FROM entries"
        # The plus keeps SQLite from reading whole tiers: few entries are pinned.
        " WHERE pinned AND +tier IN ('working', 'register') ORDER BY created DESC, id DESC LIMIT ?",
        (limit,),
    )
    return [_line(row) for row in rows]


def count(
    index: Index,
    tiers: Sequence[str],
    most: int,
    *,
    folder: str | None = None,
    pinned: bool = False,
) -> int:
    """How many entries some tiers hold; it stops counting at `most`."""
    total = 0
    for tier in tiers:
        where, values = "tier = ?", [tier]
        if folder is not None:
            where, values = f"{where} AND folder = ?", [*values, folder]
        where = f"pinned AND +{where}" if pinned else where
        query = f"SELECT count(*) FROM (SELECT 1 FROM entries WHERE {where} LIMIT ?)"
        total += index.rows(query, (*values, most - total))[0][0]
    return total


def demoted_notes(index: Index, limit: int) -> list[Line]:
    """Notes of the register whose newest move was a demote, the last demoted first."""
    rows = index.rows(
        "SELECT e.path, e.id, e.tier, e.folder, e.category, e.title, e.created, e.tags, '' FROM ("
        " SELECT id, max(seq) AS seq FROM changes"
        " WHERE from_tier = 'working' AND tier = 'register' GROUP BY id"
        ") m JOIN commits c ON c.seq = m.seq JOIN entries e ON e.id = m.id"
        " WHERE c.op = 'demote' AND e.tier = 'register' AND e.folder = 'notes'"
        " AND NOT EXISTS (SELECT 1 FROM changes l WHERE l.id = m.id AND l.seq > m.seq"
        "  AND l.tier IS NOT l.from_tier)"
        " ORDER BY c.clock DESC, e.id LIMIT ?",
        (limit,),
    )
    return [_line(row) for row in rows]


def was_demoted(index: Index, entry_id: str) -> bool:
    """Did this entry ever move from working memory into the register?"""
    query = (
        "SELECT 1 FROM changes WHERE id = ? AND from_tier = 'working' AND tier = 'register' LIMIT 1"
    )
    return bool(index.rows(query, (entry_id,)))


def plain_files(index: Index, path: str | None = None) -> list[PlainFile]:
    """The active entries of category `file`: all, or those that stand for one path."""
    query = (
        "SELECT path, blob, document FROM entries WHERE tier = ? AND folder = 'memories'"
        " AND category = 'file'"
    )
    values: tuple[str, ...] = ()
    if path is not None:
        query += " AND instr(document, ?)"
        values = (json.dumps(path, ensure_ascii=False),)
    found: list[PlainFile] = []
    for tier in _ACTIVE:
        for tree_path, blob, document in index.rows(query, (tier, *values)):
            content = json.loads(document)["content"]
            if path is None or content["path"] == path:
                body = content.get("body") or ""
                found.append(PlainFile(tree_path, blob, content["path"], body))
    return found


def places(index: Index) -> list[tuple[str, str]]:
    """Path and blob of every entry."""
    return [(path, blob) for path, blob in index.rows("SELECT path, blob FROM entries")]


def heavily_updated(index: Index, more_than: int) -> list[tuple[str, str, str, int]]:
    """Id, path, title and number of updates of active entries that change all the time."""
    query = """SELECT e.id, e.path, e.title, u.times FROM (
        SELECT h.id AS id, count(*) AS times FROM changes h JOIN commits c ON c.seq = h.seq
        WHERE c.op IN ('update', 'supersede')
            OR (c.op = '' AND h.path IS NOT NULL AND h.from_path IS NOT NULL)
        GROUP BY h.id HAVING count(*) > ?
    ) u JOIN entries e ON e.id = u.id WHERE e.tier IN ('working', 'register')
    ORDER BY u.times DESC, e.id"""
    return [tuple(row) for row in index.rows(query, (more_than,))]


def retired_since(index: Index, moment: int) -> list[tuple[str, str, str, int, str]]:
    """Id, path, title, time and reason of entries that came into `retired/` since, newest first."""
    query = """SELECT e.id, e.path, e.title, c.time, c.reason FROM entries e
        JOIN changes h ON h.id = e.id JOIN commits c ON c.seq = h.seq
        WHERE e.tier = 'retired' AND h.tier = 'retired' AND h.from_tier IS NOT 'retired'
            AND c.time >= ?1
            AND NOT EXISTS (SELECT 1 FROM changes l WHERE l.id = e.id AND l.seq > h.seq
                AND l.tier = 'retired' AND l.from_tier IS NOT 'retired')
        ORDER BY c.clock DESC, e.id"""
    return [tuple(row) for row in index.rows(query, (moment,))]


def documents_in(index: Index, tier: str) -> list[str]:
    """The JSON of every entry of a tier."""
    return [row[0] for row in index.rows("SELECT document FROM entries WHERE tier = ?", (tier,))]


def number_of_commits(index: Index) -> int:
    """How many commits the branch has."""
    return int(index.rows("SELECT count(*) FROM commits")[0][0])


def _line(row: Sequence[str]) -> Line:
    path, entry_id, tier, folder, category, title, created, tags, document = row
    words = tuple(tags.split("\n")) if tags else ()
    return Line(path, entry_id, tier, folder, category, title, created, words, document)


def _age(row: Sequence[str]) -> tuple[str, str]:
    """When it was created, then its id: the order of `newest`."""
    return row[6], row[1]
