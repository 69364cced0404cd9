"""The rows of a case file, and what is the same in two of their entries."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import yaml

DATA = Path(__file__).parent.parent / "data"
LOADERS = [yaml.BaseLoader, *([yaml.CBaseLoader] if yaml.__with_libyaml__ else [])]
"""Both YAML parsers, or the one that is there."""


def read_rows(name: str) -> list[dict[str, Any]]:
    """The rows of a file. Split at LF alone: some rows hold other line ends."""
    text = (DATA / name).read_bytes().decode()
    return [json.loads(line) for line in text.split("\n") if line]


def row_bytes(row: dict[str, Any]) -> bytes:
    """The file that a row holds."""
    if "bytes_base64" in row:
        return base64.b64decode(row["bytes_base64"])
    text: str = row["bytes"]
    return text.encode()


def without_nulls(value: Any) -> Any:
    """A null key is an absent one, but for `after`."""
    if isinstance(value, dict):
        return {
            key: without_nulls(member)
            for key, member in value.items()
            if member is not None or key == "after"
        }
    if isinstance(value, list):
        return [without_nulls(member) for member in value]
    return value
