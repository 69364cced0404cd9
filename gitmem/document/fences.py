"""Code fences, and the backslash that keeps a line of prose from being read as a heading.

A fence opens at column 0 with three or more backticks (none later in the line) or tildes, and
closes at the next line with at least as many of them and nothing else. An opener without a
closer is no fence; prose that ends inside one gets the closing line, so that a file's fences
never reach beyond their block. Lines are what lies between LFs, and only those.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

_OPENER = re.compile(r"(`{3,})[^`]*\Z|(~{3,})")
_CLOSER = re.compile(r"(`{3,}|~{3,})[ \t]*\Z")
_ESCAPABLE = re.compile(r"\\*##(?=[ \t]|\Z)")
_ESCAPED = re.compile(r"\\+##(?=[ \t]|\Z)")


class Fences(NamedTuple):
    """`inside`: the numbers of all lines of fences; `unclosed`: the first opener without end."""

    inside: frozenset[int] = frozenset()
    unclosed: tuple[int, str] | None = None


_NONE = Fences()


def find_fences(lines: Sequence[str]) -> Fences:
    """The fences among `lines`."""
    marks = [(number, line) for number, line in enumerate(lines) if line.startswith(("```", "~~~"))]
    if not marks:
        return _NONE
    longest = _longest_closers([line for _, line in marks])
    inside: set[int] = set()
    unclosed: tuple[int, str] | None = None
    at = 0
    while at < len(marks):
        number, line = marks[at]
        opener = _OPENER.match(line)
        at += 1
        if opener is None:
            continue
        run = opener[1] or opener[2]
        if longest[at].get(run[0], 0) < len(run):
            unclosed = unclosed or (number, run)
            continue
        while not _closes(marks[at][1], run):
            at += 1
        inside.update(range(number, marks[at][0] + 1))
        at += 1
    return Fences(frozenset(inside), unclosed)


def _longest_closers(marks: Sequence[str]) -> list[dict[str, int]]:
    """For each place the longest closer of each kind from there on.

    Without it a file of nothing but openers would be searched to its end for each of them.
    """
    longest: list[dict[str, int]] = [{}]
    for line in reversed(marks):
        closer = _CLOSER.match(line)
        last = longest[-1]
        if closer is not None and len(closer[1]) > last.get(line[0], 0):
            last = {**last, line[0]: len(closer[1])}
        longest.append(last)
    longest.reverse()
    return longest


def _closes(line: str, run: str) -> bool:
    closer = _CLOSER.match(line)
    return closer is not None and closer[1].startswith(run)


def _may_matter(text: str) -> bool:
    return "```" in text or "~~~" in text


def close_fences(text: str) -> str:
    """`text` with the closing line of its first open fence, if there is one."""
    if not _may_matter(text):
        return text
    unclosed = find_fences(text.split("\n")).unclosed
    return text if unclosed is None else f"{text}\n{unclosed[1]}"


def escape_headings(text: str) -> str:
    """One more backslash before what would be read as a heading. Fences must be closed."""
    if "##" not in text:
        return text
    return _outside_fences(text, _ESCAPABLE, lambda line: "\\" + line)


def unescape_headings(text: str) -> str:
    """The inverse of `escape_headings`."""
    if "\\##" not in text:
        return text
    return _outside_fences(text, _ESCAPED, lambda line: line[1:])


def _outside_fences(text: str, pattern: re.Pattern[str], change: Callable[[str], str]) -> str:
    lines = text.split("\n")
    inside = find_fences(lines).inside if _may_matter(text) else ()
    return "\n".join(
        change(line) if number not in inside and pattern.match(line) else line
        for number, line in enumerate(lines)
    )
