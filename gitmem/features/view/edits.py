"""Finds what somebody changed in a view by hand: edited, new and deleted files.

Only compares; taking an edit over is `adopt`'s business. Files that can be no entry are nobody's
business, unless they were named.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gitmem.features.view import pages
from gitmem.features.view.bring import View
from gitmem.features.view.contents import PLAIN_FOLDER, Held, Source, held_at, held_at_tip
from gitmem.features.view.files import InTheWay, is_ours_to_see
from gitmem.git.objects import Objects, object_sha
from gitmem.model.errors import PathError
from gitmem.store.layout import CONFIG_PATH, SUFFIX, in_entry_land

Kind = Literal["entry", "plain", "config", "page", "deleted", "unknown"]


@dataclass(frozen=True, slots=True)
class Edit:
    """A file that isn't what the view's commit has there."""

    path: str
    kind: Kind
    data: bytes
    source: Source | None
    """What it was a copy of; None: a new file."""
    base: str
    """The commit that it was edited from; "": nobody knows."""


@dataclass(frozen=True, slots=True)
class Found:
    """The edits, how many files are as they were, and what couldn't be read."""

    edits: tuple[Edit, ...]
    unchanged: int
    warnings: tuple[str, ...]


def find_edits(view: View, objects: Objects, paths: Sequence[Path], here: Path) -> Found:
    """The edits of the named files and folders, or of the whole view."""
    if paths:
        names = [name for path in paths for name in _names(view, here / path)]
        held = {
            name: source
            for name in names
            if (source := held_at(view.snapshot, objects, name)) is not None
        }
        named = True
    else:
        held = held_at_tip(view.snapshot, objects)
        names = [*dict.fromkeys([*view.files.walk(), *held])]
        named = False
    return _compared(view, objects, names, held, named)


def _names(view: View, path: Path) -> Iterable[str]:
    """The names in the view of a path: of itself, or of the files below it."""
    full = Path(os.path.normpath(path))
    if not full.is_relative_to(view.place.root):
        # The user may have come here by another name of the folder.
        full = Path(os.path.realpath(full.parent)) / full.name
    root = view.place.root
    root = root if full.is_relative_to(root) else Path(os.path.realpath(root))
    if not full.is_relative_to(root):
        raise PathError(
            f"{path} isn't in the view",
            expected=str(view.place.root),
            got=str(path),
            fix="name files of the view, or none to look at all of it",
        )
    name = full.relative_to(root).as_posix()
    if full.is_dir():
        return list(view.files.walk("" if name == "." else name))
    return [name]


def _compared(view: View, objects: Objects, names: Iterable[str], held: Held, named: bool) -> Found:
    edits: list[Edit] = []
    warnings: list[str] = []
    unchanged = 0
    for name in names:
        try:
            data = view.files.read(name)
        except InTheWay as error:
            warnings.append(f"{name} was left alone: {error}")
            continue
        source = held.get(name)
        if source is None and data is not None and view.left.get(name):
            # It was a copy of an entry that has gone or moved on since: no new one.
            source = Source(name, "")
            kind: Kind = "plain" if name.startswith(f"{PLAIN_FOLDER}/") else "entry"
            edits.append(Edit(name, kind, data, source, ""))
            continue
        if _is_as_it_was(objects, name, data, source):
            unchanged += 1
            continue
        kind = _kind(name, data, source)
        if kind == "unknown" and (not named or not is_ours_to_see(name.rpartition("/")[2])):
            continue
        base = view.left.get(name, view.snapshot.commit)
        edits.append(Edit(name, kind, data or b"", source, base))
    return Found(tuple(edits), unchanged, tuple(warnings))


def _is_as_it_was(objects: Objects, name: str, data: bytes | None, source: Source | None) -> bool:
    if data is None:
        return source is None
    if source is None:
        return pages.is_page(name) and pages.is_intact(data)
    if source.body is None:
        return object_sha("blob", data) == source.blob
    return data == source.data(objects)


def _kind(name: str, data: bytes | None, source: Source | None) -> Kind:
    if data is None:
        return "deleted"
    if pages.is_page(name):
        return "page"
    if name == CONFIG_PATH:
        return "config"
    if name.startswith(f"{PLAIN_FOLDER}/"):
        return "plain"
    if source is not None or (in_entry_land(name) and name.endswith(SUFFIX)):
        return "entry"
    return "unknown"
