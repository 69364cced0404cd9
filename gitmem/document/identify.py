"""Whose entry is this file? Answered from the text alone, without parsing it (DESIGN "Merge")."""

from __future__ import annotations

_HEAD = 65_536 + 16
"""The keys of an entry lie within this many bytes."""


def peek_id(data: bytes) -> str | None:
    """The id that a file claims between its `---` lines, or None: it is no entry."""
    head = data[:_HEAD]
    if not head.startswith(b"---"):
        return None
    first, _, rest = head.partition(b"\n")
    if first.strip() != b"---":
        return None
    found: str | None = None
    for line in rest.split(b"\n"):
        bare = line.rstrip()
        if bare == b"---":
            return found
        if found is None and bare.startswith(b"id: ") and bare[4:].isalnum():
            text = bare[4:].decode("ascii", "replace")
            found = text if text == text.lower() and text.isascii() else None
    return None
