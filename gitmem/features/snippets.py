"""The part of a text that shows why it was found, and where in it the words of the query stand."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from gitmem.features.recall.query import parse_query
from gitmem.index.analyser import terms

WIDTH = 160
_LEAD = 40
"""So much is shown before the first match."""
_MOST_CHARACTERS = 20_000
_MOST_MATCHES = 200
_CUT = "…"

_CHUNK = re.compile(r"\S+")
_EDGES = "\"'`.,;:!?()[]{}<>*_~|-–—…#“”„«»¿¡"


class Snippet(NamedTuple):
    """One line of text; `matches` are the places of the words that were looked for."""

    text: str
    matches: tuple[tuple[int, int], ...]


class _Match(NamedTuple):
    start: int
    end: int
    words: frozenset[str]


def words_of(query: str) -> frozenset[str]:
    """The terms of a query: what is marked."""
    return frozenset(parse_query(query).weights)


def snippet(text: str, asked: Collection[str]) -> Snippet:
    """The window of the text that holds most of the terms, the first of several."""
    line = " ".join(text[:_MOST_CHARACTERS].split())
    found = _matches(line, frozenset(asked))
    start, end = _window(line, found)
    head = _CUT if start else ""
    tail = _CUT if end < len(line) else ""
    shift = len(head) - start
    inside = tuple(
        (one.start + shift, one.end + shift)
        for one in found
        if one.start >= start and one.end <= end
    )
    return Snippet(f"{head}{line[start:end]}{tail}", inside)


def marked(text: str, asked: Collection[str]) -> Snippet:
    """All of a short text, on one line, with the places of the terms."""
    line = " ".join(text.split())
    return Snippet(line, tuple((one.start, one.end) for one in _matches(line, frozenset(asked))))


def _matches(line: str, asked: frozenset[str]) -> list[_Match]:
    found: list[_Match] = []
    for chunk in _CHUNK.finditer(line):
        words = asked.intersection(terms(chunk[0]))
        if words:
            found += _places(chunk[0], chunk.start(), words)
            if len(found) >= _MOST_MATCHES:
                break
    return found


def _places(chunk: str, offset: int, words: frozenset[str]) -> list[_Match]:
    """Where the words stand in what has no blanks: all of it, or parts of a script without any."""
    lower = chunk.lower()
    exact = [word for word in words if not word.isascii() and word in lower]
    if not exact or len(lower) != len(chunk):
        start = offset + len(chunk) - len(chunk.lstrip(_EDGES))
        return [_Match(start, max(start, offset + len(chunk.rstrip(_EDGES))), words)]
    held = bytearray(len(chunk))
    for word in exact:
        place = lower.find(word)
        while place >= 0:
            held[place : place + len(word)] = b"\x01" * len(word)
            place = lower.find(word, place + 1)
    return [
        _Match(offset + run.start(), offset + run.end(), words)
        for run in re.finditer(rb"\x01+", held)
    ]


def _window(line: str, found: list[_Match]) -> tuple[int, int]:
    """The best part of a line, from the beginning of a word to the end of one."""
    if len(line) <= WIDTH or not found:
        return 0, _end(line, 0)
    best, most = found[0], 0
    for place, first in enumerate(found):
        words: set[str] = set()
        for one in found[place:]:
            if one.end > first.start + WIDTH - _LEAD:
                break
            words |= one.words
        if len(words) > most:
            best, most = first, len(words)
    start = max(0, min(best.start - _LEAD, len(line) - WIDTH))
    if start:
        blank = line.find(" ", start, best.start)
        start = blank + 1 if blank >= 0 else start
    return start, _end(line, start)


def _end(line: str, start: int) -> int:
    if start + WIDTH >= len(line):
        return len(line)
    blank = line.rfind(" ", start + WIDTH // 2, start + WIDTH + 1)
    return blank if blank >= 0 else start + WIDTH
