"""export: every entry as a JSON line that `import` takes back, or as a folder of markdown files.

Reads only. An import of an export gives the same entries, and a second export equals the first in
everything that isn't derived from history.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from gitmem.features.facts import facts_of, place_of, summary_notes, usage_of
from gitmem.features.present import entry_json
from gitmem.features.workspace import Workspace
from gitmem.index import queries
from gitmem.model.categories import TIERS
from gitmem.model.errors import PreconditionError, WriteError
from gitmem.model.facts import Usage
from gitmem.store.layout import SUFFIX
from gitmem.store.snapshot import Snapshot, Stored


def export_jsonl(workspace: Workspace, *, at: str | None = None) -> Iterator[str]:
    """One line of JSON for each entry of all tiers, oldest first, each with its line end."""
    snapshot = workspace.snapshot(at)
    used = queries.any_usage(snapshot.record)
    for one in _in_order(snapshot):
        yield json.dumps(_whole(snapshot, one, used), ensure_ascii=False) + "\n"


def export_folder(workspace: Workspace, folder: Path, *, at: str | None = None) -> int:
    """Write each entry's file below a new or empty folder; how many there are.

    Files lie at `tier/folder/slug.md`, however the branch spreads large folders.
    """
    snapshot = workspace.snapshot(at)
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise PreconditionError(
                f"{folder} isn't an empty folder", got=str(folder), fix="name a new folder"
            )
        count = 0
        for one in _in_order(snapshot):
            path = folder / f"{one.address}{SUFFIX}"
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(snapshot.read_blob(one.blob))
            count += 1
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(
            f"{error.filename or folder} can't be written: {error.strerror}",
            fix="make room or check the rights, then export into a new folder",
        ) from error
    return count


def _in_order(snapshot: Snapshot) -> list[Stored]:
    """By time and id: the order doesn't change when entries move."""
    return sorted(snapshot.entries(TIERS), key=lambda one: (one.entry().created, one.id))


def _whole(snapshot: Snapshot, one: Stored, used: bool) -> dict[str, object]:
    """The entry as `show` prints it, its changes without fields, and the session that made it."""
    rows = snapshot.history(one.id)
    entry = one.entry()
    usage = usage_of(snapshot, one.id) if used else Usage(created_session=0)
    facts = facts_of(entry, one.tier, rows, usage, summary_notes(rows))
    whole = entry_json(entry, place_of(one, snapshot.commit), facts)
    session = rows[0].commit.session if rows else None
    return whole | {"session": session}
