"""The body of a file: sections under their headings, or free text.

A section that is absent is None (or missing), a heading alone is "" or []. What isn't known
(text before the first heading, other sections) is kept to the byte and never escaped; known
prose is escaped, so that no text can forge a heading. A free body is text and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gitmem.document.fences import (
    close_fences,
    escape_headings,
    find_fences,
    unescape_headings,
)
from gitmem.document.lists import (
    read_alternatives,
    read_items,
    without_repeats,
    write_alternative,
    write_items,
)
from gitmem.document.table import FileSection, Layout, by_place, in_order
from gitmem.model.entry import Extra, ExtraSection
from gitmem.model.text import clean_text, item_text, valid_text

_HEADING = re.compile(r"##(?=[ \t]|\Z)")
_CLOSING = re.compile(r"(?:\A|(?<= ))#+\Z")


def heading_name(line: str) -> str:
    """What a heading line is compared by: `## Root_Cause: ##` is `root cause`."""
    name = re.sub("[-_\t]", " ", line[2:].lower()).strip(" ")
    name = _CLOSING.sub("", name).rstrip(" ").rstrip(":")
    return re.sub(" +", " ", name).rstrip(" ")


# Writing


def write_body(content: Mapping[str, Any], extra: Extra, layout: Layout) -> list[str]:
    """The blocks of the body, in order; an empty line goes before each."""
    blocks = [_verbatim(extra.preamble)]
    if layout.free_body:
        blocks.append(valid_text(content.get("body") or ""))
    others = by_place(extra.sections, layout.section_places) if extra.sections else {}
    blocks += map(_other_block, others.get(None, ()))
    for section in layout.sections:
        value = section_value(content, section)
        if value is not None:
            blocks.append(_block(section.title, write_section(section, value)))
        if others:
            blocks += map(_other_block, others.get(section.name, ()))
    return [block for block in blocks if block]


def _other_block(section: ExtraSection) -> str:
    return _block(clean_text(section.heading).replace("\n", " "), _verbatim(section.text))


def _block(heading: str, text: str) -> str:
    return f"{heading}\n\n{text}" if text else heading


def _verbatim(text: str) -> str:
    return close_fences(valid_text(text)) if text else ""


def section_value(content: Mapping[str, Any], section: FileSection) -> Any:
    """The section's value in the content, wherever it is nested."""
    if section.group is None:
        return content.get(section.name)
    return (content.get(section.group) or {}).get(section.name)


def write_section(section: FileSection, value: Any) -> str:
    """The text under a section's heading."""
    if section.kind == "prose":
        return escape_headings(close_fences(valid_text(value)))
    return write_items(_items(section, value))


def _items(section: FileSection, value: Iterable[Any]) -> list[str]:
    if section.kind == "alternatives":
        return [write_alternative(alternative) for alternative in value]
    items = [item_text(item) for item in value]
    return without_repeats(items) if section.unique else items


# Values in valid form


def canonical_section(section: FileSection, value: Any) -> Any:
    """The value as it comes back when it was written and read."""
    if section.kind == "prose":
        return close_fences(valid_text(value))
    items = _items(section, value)
    return read_alternatives(items) if section.kind == "alternatives" else items


def put_section(content: dict[str, Any], section: FileSection, value: Any) -> None:
    """Puts a section's value where `section_value` finds it."""
    if section.group is None:
        content[section.name] = value
    else:
        content.setdefault(section.group, {})[section.name] = value


# Reading


def read_body(text: str, layout: Layout) -> tuple[dict[str, Any], str, tuple[ExtraSection, ...]]:
    """Content, text before the first heading, unknown sections in the order of writing."""
    if layout.free_body:
        body = valid_text(text)
        return ({"body": body} if body else {}), "", ()
    preamble, blocks = _split(text)
    values: dict[str, Any] = {}
    others: list[ExtraSection] = []
    after: str | None = None
    for heading, block in blocks:
        section = layout.section_headed.get(heading) or layout.section_headed.get(
            heading_name(heading)
        )
        if section is None:
            others.append(ExtraSection(after, heading, close_fences(block)))
            continue
        after = section.name
        value = _read_section(section, block)
        values[after] = _appended(values[after], value) if after in values else value
    return (
        _content(values, layout),
        close_fences(preamble),
        in_order(others, layout.section_places),
    )


def _split(text: str) -> tuple[str, list[tuple[str, str]]]:
    """The text before the first heading, then each heading line with its text."""
    lines = text.split("\n")
    fenced = find_fences(lines).inside
    starts = [
        number
        for number, line in enumerate(lines)
        if line.startswith("##") and number not in fenced and _HEADING.match(line)
    ]
    ends = [*starts[1:], len(lines)]
    before = lines[: starts[0]] if starts else lines
    return _text(before), [
        (lines[start], _text(lines[start + 1 : end]))
        for start, end in zip(starts, ends, strict=False)
    ]


def _text(lines: Sequence[str]) -> str:
    return valid_text("\n".join(lines))


def _read_section(section: FileSection, block: str) -> Any:
    if section.kind == "prose":
        return unescape_headings(close_fences(block))
    items = read_items(block)
    return read_alternatives(items) if section.kind == "alternatives" else items


def _appended(first: Any, more: Any) -> Any:
    """A section that stands twice: lists go on, prose goes on after an empty line."""
    if isinstance(first, str):
        return "\n\n".join(text for text in (first, more) if text)
    return first + more


def _content(values: Mapping[str, Any], layout: Layout) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for section in layout.sections:
        value = values.get(section.name)
        if value is not None:
            put_section(content, section, without_repeats(value) if section.unique else value)
    return content
