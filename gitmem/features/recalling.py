"""The text of entries that somebody names, and nothing else of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from gitmem.features.workspace import Workspace
from gitmem.model.categories import GRAPH_FOLDER, TIERS
from gitmem.model.entry import Entry
from gitmem.store.snapshot import Snapshot, Stored


@dataclass(frozen=True, slots=True)
class Texts:
    """Entries as `{"id", "target", "title", "text"}`, and the commit they were read at."""

    commit: str
    entries: tuple[dict[str, str], ...]


def texts(workspace: Workspace, names: Sequence[str], at: str | None = None) -> Texts:
    """The texts of entries: each named by a REF, or by its file in the tree or in a view."""
    snapshot = workspace.snapshot(at)
    found = [named(snapshot, name) for name in names]
    shown = (
        {
            "id": one.id,
            "target": str(one.address),
            "title": one.title,
            "text": text_of(one.entry()),
        }
        for one in found
    )
    return Texts(snapshot.commit, tuple(shown))


def named(snapshot: Snapshot, name: str) -> Stored:
    """The entry that a REF or the path of a file names."""
    steps = PurePosixPath(name.replace("\\", "/")).parts
    last = steps[-1].removesuffix(".md") if steps else name
    for place, step in enumerate(steps[:-1]):
        if step in TIERS or step == GRAPH_FOLDER:
            return snapshot.find("/".join([*steps[place:-1], last]))
    return snapshot.find(last)


def text_of(entry: Entry) -> str:
    """What the entry's file holds below the frontmatter; without anything there, the title."""
    from gitmem.document.codec import encode

    _, _, body = encode(entry).decode().partition("\n---\n")
    return body.strip("\n") or entry.title
