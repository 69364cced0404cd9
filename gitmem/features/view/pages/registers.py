"""registers/<folder>.md: what each folder of the register holds, one line each, newest first.

`registers/_inbox.md` lists the notes that were demoted from working memory: they have no topic of
their own yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.features.view.contents import Touched
from gitmem.features.view.pages.lines import COUNTED, MOST, left_out, plain
from gitmem.features.view.templates import fill
from gitmem.index import overview
from gitmem.index.overview import Line
from gitmem.store.snapshot import Snapshot

FOLDER = "registers"
INBOX = f"{FOLDER}/_inbox.md"
_TIER = "register"
_NOTES = "notes"


def files(snapshot: Snapshot, touched: Sequence[Touched] | None) -> Iterable[str]:
    """The page of each folder with a change, and the inbox where a demoted note has changed."""
    if touched is None:
        yield INBOX
        yield from (_file(folder) for folder in overview.folders_in(snapshot.index, _TIER))
        return
    here = [one for one in touched if one.address.tier == _TIER]
    yield from {_file(one.address.folder) for one in here}
    notes = [one for one in here if one.address.folder == _NOTES]
    if any(overview.was_demoted(snapshot.record, one.id) for one in notes):
        yield INBOX


def render(snapshot: Snapshot, file: str, prefix: str) -> str | None:
    """The page of a folder; none for an empty one."""
    if file == INBOX:
        found = overview.demoted_notes(snapshot.index, COUNTED)
        return _page("inbox.md", found, len(found), "gitmem list --category note")
    folder = file.removeprefix(f"{FOLDER}/").removesuffix(".md")
    category = snapshot.config.folder_category(folder)
    found = overview.newest(snapshot.index, (_TIER,), MOST, folders=(folder,))
    total = overview.count(snapshot.index, (_TIER,), COUNTED, folder=folder)
    command = f"gitmem list --category {category.name}" if category else "gitmem list"
    purpose = plain(category.purpose) if category else "entries of a category this store lacks"
    title = folder[:1].upper() + folder[1:].replace("-", " ")
    return _page("register.md", found, total, command, title=title, purpose=purpose)


def _page(
    template: str, found: Sequence[Line], total: int, command: str, **parts: str
) -> str | None:
    if not found:
        return None
    shown = found[:MOST]
    lines = "\n".join(f"- {plain(line.title)} ^{line.id}" for line in shown)
    return fill(template, lines=lines, more=left_out(len(shown), total, command), **parts)


def _file(folder: str) -> str:
    return f"{FOLDER}/{folder}.md"
