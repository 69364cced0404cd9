"""What pages share: an entry as one line, its text under a heading, and how many were left out.

Titles and tags come from anybody's commits: nothing in them may begin a line, or look like a part
of one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from gitmem.features.view.contents import PLAIN_FOLDER, is_plain_path
from gitmem.index import queries
from gitmem.index.overview import Line
from gitmem.model.categories import GROUPED, category_named
from gitmem.model.text import one_line
from gitmem.store.snapshot import Snapshot

MOST = 100
"""Lines on a page; the newest stay."""
COUNTED = 10_000
"""Up to here it is counted how many more there are."""

_INVISIBLE = re.compile("[\u200b-\u200f\u2028-\u202f\u2060-\u2069\ufeff]")
_BLANK = re.compile(r"\s")
_BREAKING = re.compile("[\x85\v\f\x1c-\x1e\u2028\u2029]")


def plain(text: str) -> str:
    """A text that can't break out of its line or pass for another part of it."""
    # Nearly every text: nothing in it needs a second look.
    if (
        text.isprintable()
        and "  " not in text
        and " -> " not in text
        and "#tags:" not in text
        and "<!--" not in text
    ):
        return text.strip(" ")
    line = one_line(_INVISIBLE.sub("", _BREAKING.sub(" ", text)))
    while " -> " in line or "#tags:" in line:
        line = one_line(line.replace("#tags:", "").replace(" -> ", " - "))
    return line.replace("<!--", "<! --")


def index_line(snapshot: Snapshot, line: Line, prefix: str) -> str:
    """`- [CATEGORY] title -> path #tags:a,b`."""
    tags = ",".join([plain(tag).replace(",", " ") for tag in line.tags])
    shown = f"- [{line.category.upper()}] {plain(line.title)} -> {prefix}{_path(snapshot, line)}"
    return f"{shown} #tags:{tags}" if tags else shown


def _path(snapshot: Snapshot, line: Line) -> str:
    """Where the view has the entry, in one word."""
    path = line.path
    if line.folder == PLAIN_FOLDER and line.category == "file":
        row = queries.entry_at(snapshot.index, path)
        name = json.loads(row.document)["content"]["path"] if row else ""
        path = f"{PLAIN_FOLDER}/{name}" if is_plain_path(name) else path
    return _BLANK.sub("%20", path)


def left_out(shown: int, total: int, command: str) -> str:
    """How many lines a page doesn't show, and how to see them; nothing where it shows all."""
    more = total - shown
    if more <= 0:
        return ""
    number = f"more than {COUNTED - shown:,}" if total >= COUNTED else f"{more:,}"
    return f"… and {number} older; see them with `{command}`."


def text_of(document: Mapping[str, Any]) -> str:
    """An entry's content for people: its keys in one line, then each section under a heading."""
    category = category_named(str(document["category"]))
    content = dict(document["content"])
    group, members = GROUPED.get(category.name, ("", ()))
    nested = content.pop(group, None) if group else None
    content |= {name: nested[name] for name in members if nested and name in nested}
    keys = [
        f"{key.name}: {_value(content[key.name])}" for key in category.keys if key.name in content
    ]
    blocks = [", ".join(keys)] if keys else []
    if category.free_body:
        blocks.append(str(content.get("body") or ""))
    for section in category.sections:
        text = _section(content.get(section.name))
        if text:
            blocks.append(f"### {section.heading}\n\n{text}")
    return "\n\n".join(block for block in blocks if block)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


def _section(value: object) -> str:
    if not isinstance(value, list):
        return str(value) if value else ""
    return "\n".join(f"- {_indented(_item(item))}" for item in value)


def _item(item: object) -> str:
    if not isinstance(item, Mapping):
        return str(item)
    reason = item.get("rejected_reason")
    return f"{item['option']}: {reason}" if reason else str(item["option"])


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" if n and line else line for n, line in enumerate(text.split("\n")))
