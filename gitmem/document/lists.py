"""Markdown lists and their items, and the alternatives of a decision.

Written in one form: `- ` and the item, further lines indented by two. Read leniently: any
marker people use, any indent, text without a marker. Items are in valid form on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gitmem.document.fences import find_fences
from gitmem.model.text import item_text, one_line, valid_text

_MARKER = re.compile(r"([ \t]*)([-*+]|[0-9]{1,9}[.)])([ \t]+|\Z)")
_TAB_WIDTH = 4


def write_items(items: Iterable[str]) -> str:
    """The lines of a list; items are in valid form."""
    return "\n".join([_written(item) for item in items])


def _written(item: str) -> str:
    if "\n" not in item:
        return f"- {item}" if item else "-"
    lines = item.split("\n")
    return "\n".join(["- " + lines[0], *("  " + line if line else "" for line in lines[1:])])


def read_items(text: str) -> list[str]:
    """The items of a section's text (in valid form), each in valid form."""
    if not text:
        return []
    lines = text.split("\n")
    fenced = find_fences(lines).inside
    items: list[list[str]] = []
    column = 1
    for number, line in enumerate(lines):
        marker = None if number in fenced else _MARKER.match(line)
        if marker is not None and (not items or _width(marker[1]) < column):
            column = _column(marker)
            items.append([line[marker.end() :]])
        elif not items:
            items.append([line])
        else:
            items[-1].append(line if number in fenced else _without_indent(line, column))
    return [item_text("\n".join(item)) for item in items]


def _column(marker: re.Match[str]) -> int:
    """Where the text of the item begins, and so what belongs to it."""
    indent, sign, behind = marker.groups()
    return _width(indent) + len(sign) + (_width(behind) or 1)


def _width(blanks: str) -> int:
    return len(blanks) + blanks.count("\t") * (_TAB_WIDTH - 1)


def _without_indent(line: str, column: int) -> str:
    """`line` less its indent up to `column`; a tab is all of it."""
    removed = 0
    while removed < column and line[removed : removed + 1] == " ":
        removed += 1
    if removed < column and line[removed : removed + 1] == "\t":
        removed += 1
    return line[removed:]


def without_repeats(items: Iterable[str]) -> list[str]:
    """Each item once, where it stood first."""
    return list(dict.fromkeys(items))


def canonical_alternative(option: str, reason: str) -> dict[str, str]:
    """An alternative in valid form. Without an option the reason's first line is it.

    (A file can't say it otherwise: the first line of the item is the option.)
    """
    option, reason = one_line(option), valid_text(reason)
    while reason and not option:
        first, _, rest = reason.partition("\n")
        option, reason = one_line(first), valid_text(rest)
    return {"option": option, "rejected_reason": reason}


def write_alternative(alternative: Mapping[str, Any]) -> str:
    """An alternative as the text of its item."""
    option, reason = canonical_alternative(
        alternative.get("option") or "", alternative.get("rejected_reason") or ""
    ).values()
    return f"{option}\n\n{reason}" if reason else option


def read_alternatives(items: Sequence[str]) -> list[dict[str, str]]:
    """Items as alternatives: the first line is the option, the rest the reason."""
    return [canonical_alternative(*item.partition("\n")[::2]) for item in items]
