"""Disk space after many one-entry commits and upkeep, against `git repack -adf` of a copy."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

from gitmem.features.write.draft import Draft, draft_from_json
from gitmem.features.write.pipeline import Edit, NewEntry, create, update
from gitmem.store.store import Store

from benchmarks.measure import Result, run
from benchmarks.stores import Place, entry, new_store, text, workspace

GOAL = 1.3
_UPDATES = 4
"""One commit in so many changes an entry, the others make one."""


def measure(place: Place) -> Iterator[Result]:
    """Commits as single writes leave them: a pack each, folded as they come."""
    count, environ = place.scale.commits, place.environ
    folder, copy = place.folder / "disk", place.folder / "disk-copy"
    new_store(folder, environ)
    chance = random.Random(2)
    notes: list[str] = []
    with Store.open(folder, environ) as store:
        ours = workspace(store, environ)
        for number in range(count):
            if number % _UPDATES == 0 and notes:
                patch = Draft({"content": {"body": text(chance, 120)}})
                update(ours, Edit(chance.choice(notes), patch=patch))
                continue
            given = entry(chance, number)
            made = create(ours, NewEntry(given["category"], draft_from_json(given)))
            if given["category"] == "note":
                notes.append(made.id)
        store.tidy()
    shutil.copytree(folder, copy)
    run(["git", "repack", "-adfq"], copy, environ)
    ours_size, theirs_size = _size(folder), _size(copy)
    yield Result(
        f"disk after {count:,} commits and upkeep",
        ours_size / theirs_size,
        GOAL,
        f"{ours_size / 1024:,.0f} KiB, git repack {theirs_size / 1024:,.0f} KiB",
    )


def _size(folder: Path) -> int:
    """Bytes of all objects, packed and loose, with the packs' indexes."""
    objects = folder / ".git" / "objects"
    return sum(path.stat().st_size for path in objects.rglob("*") if path.is_file())
