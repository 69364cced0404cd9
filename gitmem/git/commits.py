"""Commits written byte for byte as git writes them, and the walk over those that are new.

Signs nothing and stores nothing. Walks are iterative and their order depends on the commits
alone: every reader of a branch sees the same sequence.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gitmem.git.objects import Objects
from gitmem.git.parse import Commit
from gitmem.model.errors import PreconditionError

# What git takes off both ends of a name, besides blanks and control characters.
_CRUD = "".join(map(chr, range(33))) + ",:;<>\"\\'"
_NEVER = str.maketrans("", "", "\0\n<>")


@dataclass(frozen=True, slots=True)
class Signature:
    """Who, and when by which clock."""

    name: str
    email: str
    time: int
    """Seconds since 1970."""
    offset: int
    """Distance from UTC in seconds."""


def commit_data(
    tree: str,
    parents: Sequence[str],
    author: Signature,
    committer: Signature,
    message: bytes,
    gpgsig: bytes | None = None,
) -> bytes:
    """The bytes of a commit. The message is UTF-8, so no header needs to name its encoding."""
    lines = [b"tree " + tree.encode()]
    lines += [b"parent " + parent.encode() for parent in parents]
    who = _signature(author)
    by = who if committer is author else _signature(committer)
    lines += [b"author " + who, b"committer " + by]
    if gpgsig is not None:
        folded = gpgsig.replace(b"\r", b"").removesuffix(b"\n").replace(b"\n", b"\n ")
        lines.append(b"gpgsig " + folded)
    return b"\n".join(lines) + b"\n\n" + message


def reflog_person(who: Signature) -> str:
    """Who and when, as a line of the reflog has it."""
    return _signature(who).decode("utf-8", "replace")


def clean_person(text: str) -> str:
    """A name or mail without what git never lets into a commit."""
    return text.strip(_CRUD).translate(_NEVER)


def new_commits(
    objects: Objects, tips: Sequence[str], known: Callable[[str], bool]
) -> list[Commit]:
    """The commits that `known` doesn't know, each once, parents before children.

    Nothing behind a known commit is looked at. PreconditionError: the history is cut off.
    """
    found: list[Commit] = []
    done: set[str] = set()
    open_commits: dict[str, Commit] = {}
    shallow = objects.shallow
    stack = list(reversed(tips))
    while stack:
        sha = stack[-1]
        if sha in done:
            stack.pop()
            continue
        commit = open_commits.pop(sha, None)
        if commit is not None:
            # Its parents have all been dealt with since it was opened.
            stack.pop()
            done.add(sha)
            found.append(commit)
            continue
        if known(sha):
            stack.pop()
            done.add(sha)
            continue
        commit = open_commits[sha] = objects.commit(sha)
        waiting = [parent for parent in reversed(commit.parents) if parent not in done]
        if waiting and sha in shallow and not all(map(known, waiting)):
            raise cut_off(sha)
        stack += waiting
    return found


def is_ancestor(objects: Objects, old: str, new: str) -> bool:
    """Can `old` be reached from `new`? A commit reaches itself."""
    shallow = objects.shallow
    seen = {new}
    heap: list[tuple[int, str]] = [(0, new)]
    while heap:
        # The youngest first: `old` is most often near. Clocks may lie, so none ends the search.
        _, sha = heapq.heappop(heap)
        if sha == old:
            return True
        commit = objects.commit(sha)
        if commit.parents and sha in shallow:
            raise cut_off(sha)
        for parent in commit.parents:
            if parent not in seen:
                seen.add(parent)
                heapq.heappush(heap, (-commit.time, parent))
    return False


def cut_off(sha: str) -> PreconditionError:
    """The error for a history whose older part a shallow clone left out."""
    return PreconditionError(
        f"the memory branch is cut off at commit {sha}: this is a shallow clone",
        fix="run `git fetch --unshallow`, then try again",
        commit=sha,
    )


def _signature(who: Signature) -> bytes:
    email = clean_person(who.email)
    name = clean_person(who.name) or email.partition("@")[0] or "unknown"
    minutes = abs(who.offset) // 60
    sign = "-" if who.offset < 0 and minutes else "+"
    zone = f"{sign}{minutes // 60:02d}{minutes % 60:02d}"
    return f"{name} <{email}> {max(who.time, 0)} {zone}".encode("utf-8", "replace")
