"""The frontmatter of a file as chunks: each top-level key with its lines and its value.

The only module that reads YAML. It takes parser events and never loads or composes (both can
crash on hostile input), and refuses with the line whatever a line-based reader would see
otherwise than a YAML reader: a merge works on lines, and both must mean the same keys.
Nothing here knows which keys exist; the codec asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import yaml
from frontmatter.default_handlers import YAMLHandler
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from gitmem.document.limits import MAX_DEPTH, check_keys_size
from gitmem.model.errors import ValidationError

Event = Any
"""An event of PyYAML: its parts depend on its class, which `_Walk.take` looks at."""
EventLoader = type[Any]
"""A loader class of PyYAML whose events are read."""

KEY_LINE = re.compile(r"([A-Za-z_][\w-]*):")
"""How a top-level key begins: the lines that a merge takes for keys."""

_BOUNDARY = re.compile(r"^---[ \t]*$", re.MULTILINE)
_LEADING = re.compile(r"(?:[ \t]*\n)*")
_DOCUMENT_MARK = re.compile(r"^(?:---|\.\.\.)(?=[ \n]|\Z)", re.MULTILINE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))


class Scalar(NamedTuple):
    """A scalar where a value or an element of a list stands; `line` counts from 1 in the file."""

    line: int
    text: str
    plain: bool

    @property
    def is_null(self) -> bool:
        return self.plain and self.text in _NULLS


class Items(NamedTuple):
    """A list of scalars."""

    line: int
    scalars: list[Scalar]


class Nested(NamedTuple):
    """A mapping, or a list that holds more than scalars."""

    line: int


Value = Scalar | Items | Nested


class Chunk(NamedTuple):
    """A top-level key. `source`: its lines as they stand, up to the next key.

    `comment` is the line of a comment beside the value: where text was meant, it would be lost.
    """

    name: str
    value: Value
    source: str
    comment: int | None


class Document(NamedTuple):
    """A file in two: the chunks between the `---`, and the text behind. `line` is the first."""

    line: int
    chunks: list[Chunk]
    body: str


def preferred_loader() -> EventLoader:
    """libyaml's parser, or PyYAML's own where libyaml is absent. Both give the same events."""
    return yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader


@cache
def _handler() -> YAMLHandler:
    return YAMLHandler(fm_boundary=_BOUNDARY)


def read_document(text: str, loader: EventLoader) -> Document:
    """Splits a file's clean text. ValidationError with the line if it has no sound frontmatter."""
    leading = _LEADING.match(text)
    start = leading.end() if leading else 0
    line = text.count("\n", 0, start) + 1
    handler = _handler()
    if not handler.detect(text[start:]):
        raise refusal(line, "the file doesn't begin with a line `---`", "put `---` and keys first")
    try:
        keys, body = handler.split(text[start:])
    except ValueError as error:
        raise refusal(line, "the frontmatter has no end", "close it with a line `---`") from error
    check_keys_size(keys[1:], line)
    return Document(line, _read_chunks(keys, line, loader), body)


def refusal(line: int, what: str, fix: str | None = None, **details: Any) -> ValidationError:
    """The error for what stands on a line of the file."""
    return ValidationError(f"line {line}: {what}", fix=fix, line=line, **details)


def _read_chunks(keys: str, first_line: int, loader: EventLoader) -> list[Chunk]:
    """The chunks of `keys`, which begins with the line end of the first `---`."""
    lines = keys.removesuffix("\n").split("\n")
    text = keys.replace("\t", " ").replace("\u2028", " ").replace("\u2029", " ")
    mark = _DOCUMENT_MARK.search(text)
    if mark is not None:
        line = first_line + text.count("\n", 0, mark.start())
        raise refusal(line, f"`{mark[0]}` ends the YAML document", "remove the line")
    starts = {row: found[1] for row, line in enumerate(lines) if (found := KEY_LINE.match(line))}
    walk = _Walk(text, first_line, starts)
    for event in _events(text, first_line, loader):
        walk.take(event)
    if len(walk.found) < len(starts):
        raise _stray_key(set(starts) - {key.row for key in walk.found}, first_line)
    ends = [*starts, len(lines)][1:]
    return [
        Chunk(key.name, key.value, "\n".join(lines[key.row : end]), key.comment)
        for key, end in zip(walk.found, ends, strict=False)
    ]


def _stray_key(rows: set[int], first_line: int) -> ValidationError:
    """YAML reads a line as a part of a value, and a merge would take it for a key."""
    return refusal(
        first_line + min(rows),
        "a line inside a value begins like a key",
        "indent it, or put the value on one line",
    )


def _events(text: str, first_line: int, loader: EventLoader) -> Iterator[Event]:
    row = 0
    try:
        for event in yaml.parse(text, Loader=loader):
            row = event.end_mark.line if event.end_mark else row
            yield event
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise refusal(
            first_line + (mark.line if mark else row),
            f"not YAML: {error.problem or error.context}",
            "put the value in double quotes",
        ) from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # PyYAML's own parser lets chr() complain about an escape such as "\UFFFFFFFF".
        raise refusal(first_line + row, "not YAML: an escape that is no character") from error


@dataclass(slots=True)
class _Key:
    """A top-level key while its value is read; `end` is where the key's name ends."""

    name: str
    row: int
    end: int
    value: Value
    comment: int | None = None


@dataclass(slots=True)
class _Open:
    """An open collection below the top level; `keys` are those of a mapping so far."""

    keys: set[str] | None
    key_next: bool
    flow: bool

    def next_is_key(self) -> bool:
        """Whether the node that begins here is a key of this collection."""
        is_key = self.key_next
        self.key_next = self.keys is not None and not is_key
        return is_key


class _Walk:
    """Follows the events of one document and keeps what its top level holds.

    `starts` are the lines that begin like a key: row and name.
    """

    def __init__(self, text: str, first_line: int, starts: Mapping[int, str]) -> None:
        self.found: list[_Key] = []
        self._text = text
        self._first_line = first_line
        self._starts = starts
        self._has_comments = "#" in text
        self._names: set[str] = set()
        self._inside = False
        self._waiting: _Key | None = None
        self._nested: list[_Open] = []

    def take(self, event: Event) -> None:
        kind = type(event)
        if kind is ScalarEvent:
            self._take_scalar(event)
        elif kind is SequenceStartEvent or kind is MappingStartEvent:
            self._take_start(event, is_map=kind is MappingStartEvent)
        elif kind is SequenceEndEvent or kind is MappingEndEvent:
            if self._nested:
                self._nested.pop()
        elif kind is AliasEvent:
            raise self._refusal(event, "an alias", "put the value in double quotes")

    def _refusal(self, event: Event, what: str, fix: str | None = None) -> ValidationError:
        return refusal(self._first_line + event.start_mark.line, what, fix)

    def _no_key(self, event: Event) -> ValidationError:
        return self._refusal(
            event, "no key at the start of the line", "write one `key: value` a line"
        )

    def _refuse_properties(self, event: Event) -> None:
        if event.anchor is not None:
            raise self._refusal(event, "an anchor", "put the value in double quotes")
        if event.tag is not None:
            raise self._refusal(event, "a tag", "put the value in double quotes")

    def _take_scalar(self, event: Event) -> None:
        self._refuse_properties(event)
        text: str = event.value
        if not text.isascii() and _SURROGATE.search(text):
            raise self._refusal(event, "not YAML: an escape that is no character")
        if self._nested:
            self._take_nested_scalar(event, text)
        elif self._waiting is None:
            self._take_key(event, text)
        else:
            self._waiting.value = self._scalar(event)
            if self._has_comments:
                self._waiting.comment = self._comment(self._waiting, event)
            self._waiting = None

    def _scalar(self, event: Event) -> Scalar:
        return Scalar(self._first_line + event.start_mark.line, event.value, not event.style)

    def _take_key(self, event: Event, name: str) -> None:
        mark = event.start_mark
        if mark.column or event.style or not self._inside or self._starts.get(mark.line) != name:
            raise self._no_key(event)
        if name in self._names:
            raise self._twice(event, name)
        self._names.add(name)
        self._waiting = _Key(
            name, mark.line, event.end_mark.index, Nested(self._first_line + mark.line)
        )
        self.found.append(self._waiting)

    def _twice(self, event: Event, name: str) -> ValidationError:
        return self._refusal(event, f"`{name}` stands twice", "keep one of them")

    def _take_nested_scalar(self, event: Event, text: str) -> None:
        innermost = self._nested[-1]
        if innermost.flow and not event.style:
            self._refuse_disputed(event, text)
        if innermost.next_is_key():
            if innermost.keys is not None:
                if text in innermost.keys:
                    raise self._twice(event, text)
                innermost.keys.add(text)
        elif len(self._nested) == 1:
            value = self.found[-1].value
            if isinstance(value, Items):
                value.scalars.append(self._scalar(event))

    def _refuse_disputed(self, event: Event, text: str) -> None:
        """What libyaml and PyYAML's own parser read differently: `[a?b]`, `[a:]`, `[? ]`."""
        behind = self._text[event.end_mark.index : event.end_mark.index + 2]
        if "?" in text or (behind[:1] == ":" and behind[1:] in ",?[]{}"):
            raise self._refusal(event, "`?` or `:` in a list", "put the element in double quotes")

    def _take_start(self, event: Event, *, is_map: bool) -> None:
        self._refuse_properties(event)
        if not self._inside:
            if not is_map or event.flow_style:
                raise self._no_key(event)
            self._inside = True
            return
        if is_map and event.flow_style:
            self._refuse_disputed(event, self._text[event.start_mark.index])
        line = self._first_line + event.start_mark.line
        if len(self._nested) + 1 == MAX_DEPTH:
            raise self._refusal(event, f"nested over {MAX_DEPTH} deep")
        if self._nested:
            self._nested[-1].next_is_key()
            if len(self._nested) == 1 and isinstance(self.found[-1].value, Items):
                self.found[-1].value = Nested(line)
        elif self._waiting is None:
            raise self._no_key(event)
        else:
            self._waiting.value = Nested(line) if is_map else Items(line, [])
            self._waiting = None
        self._nested.append(_Open(set() if is_map else None, is_map, bool(event.flow_style)))

    def _comment(self, key: _Key, event: Event) -> int | None:
        """The line of a comment between a key and the end of its value's last line."""
        start, end = event.start_mark.index, event.end_mark.index
        last = start if event.style in ("|", ">") else end
        stop = self._text.find("\n", last)
        at = self._text.find("#", key.end, start)
        if at < 0:
            at = self._text.find("#", last, stop)
        return None if at < 0 else self._first_line + self._text.count("\n", 0, at)
