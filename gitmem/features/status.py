"""status and health: where the memory is, what it holds, and whether anything needs attention.

Answered from the index alone, so both are quick in a large store. Changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from gitmem.features.workspace import Workspace
from gitmem.index import overview, queries
from gitmem.index.state import state_file
from gitmem.model.times import DAY, format_time
from gitmem.store.layout import address_of
from gitmem.store.snapshot import Snapshot

WORD_BUDGET = 1500
CHARACTER_BUDGET = 9000
OFTEN = 5
"""More updates than this are many."""
RECENT_DAYS = 7


def status(workspace: Workspace) -> dict[str, Any]:
    """Where the memory is, what it holds, and what is wrong with it."""
    store = workspace.store
    snapshot = store.snapshot()
    config = snapshot.config
    who = store.identity
    return {
        "store": str(store.location.work_tree or store.location.common_dir),
        "branch": store.branch.ref,
        "writable": store.branch.local and config.writable,
        "commit": snapshot.commit,
        "commits": overview.number_of_commits(snapshot.record),
        "format": config.format,
        "entries": _counts(snapshot),
        "working": _working(snapshot),
        "problems": [
            {"path": one.path, "why": one.why, "line": one.line}
            for one in queries.problems(snapshot.index)
        ],
        "index": _index_state(snapshot),
        "view": _view_state(workspace, snapshot),
        "identity": {"name": who.name, "email": who.email, "known": who.known},
        "config": {"unknown": list(config.unknown), "faults": list(config.faults)},
    }


def health(workspace: Workspace) -> dict[str, Any]:
    """The sections of a health report, and GOOD or NEEDS ATTENTION."""
    snapshot = workspace.store.snapshot()
    found = status(workspace)
    copies = queries.duplicate_ids(snapshot.index)
    issues = list(_issues(found, copies))
    return {
        "commit": snapshot.commit,
        "entries": found["entries"]["by_category"],
        "heavily_updated": [
            {"id": one, "title": title, "target": _target(path), "times_updated": times}
            for one, path, title, times in overview.heavily_updated(snapshot.record, OFTEN)
        ],
        "recent_retirements": _retirements(workspace, snapshot),
        "index": {
            "in_sync": snapshot.index.commit == snapshot.commit,
            "problems": found["problems"],
            "duplicate_ids": copies,
        },
        "working": found["working"],
        "summary": "NEEDS ATTENTION" if issues else "GOOD",
        "issues": issues,
    }


def _counts(snapshot: Snapshot) -> dict[str, Any]:
    tiers = {"working": 0, "register": 0, "archive": 0, "retired": 0}
    categories: dict[str, dict[str, int]] = {}
    for (tier, category), count in sorted(queries.count_entries(snapshot.index).items()):
        tiers[tier] += count
        row = categories.setdefault(category, {"active": 0, "retired": 0, "archived": 0})
        row[_STATUS[tier]] += count
    return {"total": sum(tiers.values()), "by_tier": tiers, "by_category": categories}


_STATUS = {"working": "active", "register": "active", "retired": "retired", "archive": "archived"}


def _working(snapshot: Snapshot) -> dict[str, int]:
    """How much of its budget working memory takes."""
    texts = [
        "\n".join(_texts(json.loads(document)))
        for document in overview.documents_in(snapshot.index, "working")
    ]
    return {
        "words": sum(len(text.split()) for text in texts),
        "word_budget": WORD_BUDGET,
        "characters": sum(map(len, texts)),
        "character_budget": CHARACTER_BUDGET,
    }


def _texts(document: Mapping[str, Any]) -> Iterator[str]:
    """What a session is told of an entry: its body, else its title and the content's texts."""
    content = document["content"]
    if content.get("body"):
        yield str(content["body"])
        return
    yield str(document["title"])
    yield from _strings(content)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _index_state(snapshot: Snapshot) -> dict[str, Any]:
    index = snapshot.index
    return {
        "commit": index.commit,
        "current": index.commit == snapshot.commit,
        "kept": not index.in_memory,
    }


def _view_state(workspace: Workspace, snapshot: Snapshot) -> dict[str, Any] | None:
    """The view of this work tree; None where there is none."""
    tree, folder = workspace.work_tree, workspace.store.folder
    if tree is None or not state_file(folder).exists():
        return None
    root = tree / str(snapshot.config.get("memory_root"))
    commit = workspace.store.state.view_commit(root)
    edited = sorted(workspace.store.state.left_alone(root))
    if commit is None:
        return None
    return {
        "path": str(root),
        "commit": commit,
        "current": commit == snapshot.commit and root.is_dir(),
        "edited": edited,
    }


def _retirements(workspace: Workspace, snapshot: Snapshot) -> list[dict[str, Any]]:
    since = workspace.now - RECENT_DAYS * DAY
    return [
        {
            "id": one,
            "title": title,
            "target": _target(path),
            "retired_at": format_time(time),
            "reason": reason or "No reason provided",
        }
        for one, path, title, time, reason in overview.retired_since(snapshot.record, since)
    ]


def _target(path: str) -> str:
    return str(address_of(path) or path)


def _issues(found: Mapping[str, Any], copies: list[str]) -> Iterator[str]:
    """What somebody should do something about."""
    for one in found["problems"]:
        yield f"{one['path']} is no entry: {one['why']}"
    for entry_id in copies:
        yield f"several files have the id {entry_id}; the next write gives the copies new ones"
    working = found["working"]
    for name, what in (("word", "words"), ("character", "characters")):
        if working[what] > working[f"{name}_budget"]:
            yield (
                f"working memory has {working[what]} {what}, more than"
                f" {working[f'{name}_budget']}: demote some with `gitmem demote`"
            )
    view = found["view"]
    if view is not None and not view["current"]:
        yield "the view isn't current: run `gitmem view`"
    if view is not None and view["edited"]:
        yield f"{len(view['edited'])} files of the view were edited: run `gitmem adopt`"
    yield from found["config"]["faults"]
    if not found["index"]["kept"]:
        yield "the index can't be kept on the disk: check the rights of the repository's git folder"
