"""How large a file may be: what is written can be read again, and reading stays cheap."""

from __future__ import annotations

from gitmem.model.errors import ValidationError

MAX_FILE_BYTES = 1_048_576
MAX_KEYS_BYTES = 65_536
"""Between the two lines `---`."""
MAX_DEPTH = 20
"""Of nested values: `key: [a]` is 2."""


def check_file_size(data: bytes) -> None:
    """ValidationError for a file that is too large."""
    if len(data) > MAX_FILE_BYTES:
        raise _too_large("the file", len(data), MAX_FILE_BYTES, 1)


def check_keys_size(keys: str, line: int) -> None:
    """ValidationError for frontmatter that is too large; `line` is where it begins."""
    # A character takes at most 4 bytes: most frontmatter needn't be encoded to be counted.
    if len(keys) * 4 > MAX_KEYS_BYTES and len(keys.encode()) > MAX_KEYS_BYTES:
        raise _too_large("the frontmatter", len(keys.encode()), MAX_KEYS_BYTES, line)


def _too_large(what: str, size: int, limit: int, line: int) -> ValidationError:
    return ValidationError(
        f"line {line}: {what} has {size:,} bytes, at most {limit:,}",
        expected=limit,
        got=size,
        fix="move a part of the text to another entry",
        line=line,
    )
