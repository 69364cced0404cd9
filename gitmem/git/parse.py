"""Trees and commits from their bytes, whoever wrote them.

Knows nothing of files and repositories. What a foreign tool left out or got wrong becomes a
zero or a blank; only bytes that can't be a tree or a commit at all are `Corrupt`. Parsed by
hand, not by dulwich: one regular expression reads a tree, and start-up stays short.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from gitmem.model.errors import Corrupt

FOLDER_MODE = 0o40000
FILE_MODE = 0o100644
HOW_TO_REPAIR = (
    "run `git fsck` to see what is damaged, then fetch the branch from a clone or a backup"
)

_TREE_ITEM = re.compile(rb"([0-7]{1,7}) ([^\0/]+)\0(.{20})", re.DOTALL)
_SIGNATURE = re.compile(
    rb"(.*>) *([0-9]{1,18})(?= |\Z)(?: +([+-])([0-9]{2})([0-9]{2})(?= |\Z))?", re.DOTALL
)
# The last second of the year 9999: later ones can't be shown.
_LATEST = 253_402_300_799


class TreeItem(NamedTuple):
    """What a name in a tree stands for."""

    mode: int
    sha: str

    @property
    def is_folder(self) -> bool:
        return self.mode == FOLDER_MODE


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit, with what foreign tools left out or got wrong replaced by zeros and blanks."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: str
    """`Name <mail>`."""
    time: int
    """The committer's clock, in seconds since 1970, up to the end of the year 9999."""
    author_time: int
    offset: int
    """The committer's distance from UTC in seconds."""
    message: bytes
    """In UTF-8, unless the commit hides what it is in."""


def parse_tree(sha: str, data: bytes) -> dict[str, TreeItem]:
    """The items of a tree. Names are the tree's bytes, decoded with surrogateescape."""
    items: dict[str, TreeItem] = {}
    used = 0
    for mode, name, raw in _TREE_ITEM.findall(data):
        items[name.decode("utf-8", "surrogateescape")] = TreeItem(int(mode, 8), raw.hex())
        used += len(mode) + len(name) + 22
    if used != len(data):
        raise Corrupt(f"tree {sha} can't be read", fix=HOW_TO_REPAIR, object=sha)
    return items


def parse_commit(sha: str, data: bytes) -> Commit:
    """A commit from its bytes, whoever wrote it."""
    head, _, message = data.partition(b"\n\n")
    lines = head.split(b"\n")
    tree = lines[0]
    if tree[:5] != b"tree " or len(tree) != 45:
        raise Corrupt(f"commit {sha} can't be read: it has no tree", fix=HOW_TO_REPAIR, object=sha)
    parents: list[str] = []
    author = committer = b""
    encoding = None
    for line in lines[1:]:
        key, _, value = line.partition(b" ")
        if key == b"parent":
            parents.append(value.decode("ascii", "replace"))
        elif key == b"author":
            author = author or value
        elif key == b"committer":
            committer = committer or value
        elif key == b"encoding":
            encoding = value.decode("ascii", "replace")
    person, author_time, _ = _signature(author)
    _, time, offset = _signature(committer)
    if encoding is None:
        name = person.decode("utf-8", "replace")
    else:
        name = _decode(person, encoding)
        message = _decode(message, encoding).encode("utf-8", "replace")
    return Commit(
        sha,
        tree[5:].decode("ascii", "replace"),
        tuple(parents),
        name,
        time,
        author_time,
        offset,
        message,
    )


def _signature(line: bytes) -> tuple[bytes, int, int]:
    """Person, time and zone of an author or committer line; zero for what can't be read."""
    found = _SIGNATURE.match(line)
    if found is None:
        return line[: line.rfind(b">") + 1] or line, 0, 0
    person, time, sign, hours, minutes = found.groups()
    offset = 60 * min(int(hours) * 60 + int(minutes), 1439) if sign else 0
    return person, min(int(time), _LATEST), -offset if sign == b"-" else offset


def _decode(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding, "replace")
    except (LookupError, ValueError):
        return data.decode("utf-8", "replace")
