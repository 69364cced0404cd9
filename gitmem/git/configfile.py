"""The syntax of git's config files: read into items, and edited with every other byte kept.

Pure functions over bytes; which files count and where they lie is `settings`' business. Follows
git's own reader: case rules, quoting, continuation lines, comments, headers with an item on
the same line. Named tuples, not dataclasses: on the way to the tip every import counts.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gitmem.model.errors import ConfigError

_HEADER = re.compile(rb'\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]')
_NAME = re.compile(rb"[A-Za-z][A-Za-z0-9-]*")
_BLANKS = b" \t\r\f\v"
_ESCAPES = {b"t": b"\t", b"b": b"\b", b"n": b"\n", b"\\": b"\\", b'"': b'"'}
_KEY = re.compile(r"([A-Za-z0-9-]+)\.(?:(.*)\.)?([A-Za-z][A-Za-z0-9-]*)\Z", re.DOTALL)


class BadConfig(Exception):
    """A line that isn't config; the text says which."""


class Item(NamedTuple):
    """One `name = value`, and where it stands."""

    key: str
    value: str | None
    """None: a name alone, which means true."""
    start: int
    """Of the name."""
    name_end: int
    value_start: int
    """Equal to name_end where there is no `=`."""
    value_end: int
    """Behind the last byte of the value; a comment may follow."""
    line_end: int
    """Behind the line end of the item's last line."""


class Header(NamedTuple):
    """One `[section "subsection"]`, and where it stands."""

    section: str
    start: int
    end: int


def normal_key(key: str) -> str:
    """A key as git compares it: all but the subsection in lower case. ConfigError: no key."""
    found = _KEY.match(key)
    if found is None or "\n" in key:
        raise ConfigError(f"{key!r} is no key of a git config", expected="section.name", got=key)
    section, subsection, name = found.groups()
    middle = f".{subsection}" if subsection is not None else ""
    return f"{section.lower()}{middle}.{name.lower()}"


def parse(data: bytes) -> list[Item | Header]:
    """Headers and items in their order. BadConfig names the line that can't be read."""
    found: list[Item | Header] = []
    section: str | None = None
    at = 3 if data[:3] == b"\xef\xbb\xbf" else 0
    end = len(data)
    while at < end:
        byte = data[at : at + 1]
        if byte in b"\n" or byte in _BLANKS:
            at += 1
        elif byte in b"#;":
            at = _line_end(data, at)
        elif byte == b"[":
            header = _header(data, at)
            section, at = header.section, header.end
            found.append(header)
        else:
            item = _item(data, at, section)
            at = item.line_end
            found.append(item)
    return found


def edited(data: bytes, key: str, value: str | None) -> bytes:
    """The file with one value for the key (or none), everything else as it is."""
    key = normal_key(key)
    parsed = parse(data)
    same = [item for item in parsed if isinstance(item, Item) and item.key == key]
    for item in reversed(same[:-1] if value is not None else same):
        data = _without(data, item)
    if value is None:
        return _without_empty(data, key.rpartition(".")[0]) if same else data
    if not same:
        return _with_new(data, key, value)
    last = [x for x in parse(data) if isinstance(x, Item) and x.key == key][-1]
    between = (
        b" = " if last.value_start == last.name_end else data[last.name_end : last.value_start]
    )
    behind = data[last.value_end :]
    gap = b" " if behind[:1] in (b"#", b";") else b""
    return data[: last.name_end] + between + _quoted(value) + gap + behind


def _header(data: bytes, at: int) -> Header:
    found = _HEADER.match(data, at)
    if found is None:
        raise _bad(data, at)
    section = found[1].decode().lower()
    if found[2] is not None:
        section += "." + _text(re.sub(rb"\\(.)", rb"\1", found[2], flags=re.DOTALL))
    return Header(section, at, found.end())


def _item(data: bytes, at: int, section: str | None) -> Item:
    found = _NAME.match(data, at)
    if found is None:
        raise _bad(data, at)
    name = found[0].decode().lower()
    # git takes an item before the first header, too; no key that anybody asks for is like that.
    key = name if section is None else f"{section}.{name}"
    name_end = found.end()
    here = name_end
    while data[here : here + 1] in (b" ", b"\t"):
        here += 1
    line_end = _line_end(data, here)
    if data[here : here + 1] == b"=":
        value, value_start, value_end, line_end = _value(data, here + 1)
        return Item(key, value, at, name_end, value_start, value_end, line_end)
    if data[here:line_end] not in (b"", b"\n", b"\r\n"):
        raise _bad(data, at)
    return Item(key, None, at, name_end, name_end, name_end, line_end)


def _value(data: bytes, at: int) -> tuple[str, int, int, int]:
    """A value from behind its `=`: text, first byte, end, end of line."""
    while data[at : at + 1] in (b" ", b"\t", b"\r", b"\f", b"\v") and data[at : at + 2] != b"\r\n":
        at += 1
    start = last = at
    out = bytearray()
    kept = 0
    quoted = False
    while at < len(data):
        byte = data[at : at + 1]
        if byte == b"\n" or data[at : at + 2] == b"\r\n":
            break
        if not quoted and byte in b"#;":
            break
        if not quoted and byte in _BLANKS:
            if out:
                out += byte
            at += 1
            continue
        if byte == b"\\":
            following = data[at + 1 : at + 3]
            at += 3 if following == b"\r\n" else 2
            if following[:1] in (b"\n", b"") or following == b"\r\n":
                # Blanks before a continued line's end belong to the value.
                kept = len(out)
                continue
            if following[:1] not in _ESCAPES:
                raise _bad(data, at - 2)
            out += _ESCAPES[following[:1]]
        elif byte == b'"':
            quoted = not quoted
            at += 1
        else:
            out += byte
            at += 1
        last, kept = at, len(out)
    if quoted:
        raise _bad(data, start)
    return _text(bytes(out[:kept])), start, last, _line_end(data, at)


def _line_end(data: bytes, at: int) -> int:
    found = data.find(b"\n", at)
    return len(data) if found < 0 else found + 1


def _bad(data: bytes, at: int) -> BadConfig:
    line = data.count(b"\n", 0, at) + 1
    return BadConfig(f"line {line} can't be read")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _quoted(value: str) -> bytes:
    text = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    text = text.replace("\t", "\\t").replace("\b", "\\b")
    if value != value.strip() or any(char in value for char in ";#\r"):
        text = f'"{text}"'
    return text.encode("utf-8", "surrogateescape")


def _without(data: bytes, item: Item) -> bytes:
    line_start = data.rfind(b"\n", 0, item.start) + 1
    before = data[line_start : item.start]
    if before.strip(_BLANKS):
        # A header stands on the same line: it stays, with its line end.
        return data[: item.start].rstrip(_BLANKS) + data[item.value_end :]
    return data[:line_start] + data[item.line_end :]


def _without_empty(data: bytes, section: str) -> bytes:
    """Without headers of the section under which nothing is left, not even a comment."""
    parsed = parse(data)
    ends = [entry.start for entry in parsed[1:]] + [len(data)]
    for entry, end in reversed(list(zip(parsed, ends, strict=True))):
        if (
            isinstance(entry, Header)
            and entry.section == section
            and not data[entry.end : end].strip()
        ):
            line_start = data.rfind(b"\n", 0, entry.start) + 1
            data = data[:line_start] + data[_line_end(data, entry.end) :]
    return data


def _with_new(data: bytes, key: str, value: str) -> bytes:
    section, _, name = key.rpartition(".")
    line = b"\t" + name.encode() + b" = " + _quoted(value) + b"\n"
    place: int | None = None
    inside = False
    for entry in parse(data):
        if isinstance(entry, Header):
            inside = entry.section == section
            place = _line_end(data, entry.end) if inside else place
        elif inside:
            place = entry.line_end
    if place is None:
        place = len(data)
        line = _header_line(section) + line
    before = data[:place]
    if before and not before.endswith(b"\n"):
        before += b"\n"
    return before + line + data[place:]


def _header_line(section: str) -> bytes:
    name, dot, subsection = section.partition(".")
    if not dot:
        return f"[{name}]\n".encode()
    escaped = subsection.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]\n'.encode("utf-8", "surrogateescape")
