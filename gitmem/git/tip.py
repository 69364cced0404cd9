"""The commit a ref stands at, and which ref holds the memory.

Reads loose and packed refs; never writes one, never opens an object. Standard library only:
a hook asks this first, and often nothing else.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from gitmem.git.locate import Location
from gitmem.model.errors import ConfigError, Corrupt, ReadError

MEMORY = "refs/heads/memory"
HIDDEN = "refs/gitmem/memory"
_REMOTES = "refs/remotes/"
_LINKS = 5
_SHA = re.compile(r"[0-9a-f]{40}\Z")
_NOT_IN_A_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|\Z)|[./]\Z")
_REMOTE_MEMORY = rb"(?m)^[0-9a-f]{40} refs/remotes/([^\n]+)/memory\r?$"


class Branch(NamedTuple):
    """The ref that holds the memory."""

    ref: str
    local: bool
    """False: a remote's branch as last fetched; it is only read."""
    chosen: bool
    """The repository's config names it."""


def valid_ref(ref: str) -> bool:
    """Is this a full name that git takes for a ref?"""
    return ref.startswith("refs/") and ref.count("/") > 1 and not _NOT_IN_A_REF.search(ref)


def read_ref(common_dir: Path, ref: str) -> str | None:
    """The hash a ref stands at, or None where there is no such ref (or it is unborn)."""
    for _ in range(_LINKS + 1):
        if ref != "HEAD" and not valid_ref(ref):
            raise Corrupt(f"{ref!r} is no name of a ref", fix="see `git check-ref-format --help`")
        text = _loose(common_dir / ref)
        if text is None:
            return _packed(common_dir, ref)
        if not text.startswith("ref:"):
            if not _SHA.match(text):
                raise Corrupt(
                    f"the ref {ref} is damaged: {common_dir / ref} holds no commit",
                    fix="`git reflog` or refs/gitmem/backup may know the commit it stood at",
                    ref=ref,
                )
            return text
        ref = text[len("ref:") :].strip()
    raise Corrupt(f"the ref {ref} leads on to others without end", fix="run `git fsck`", ref=ref)


def memory_branch(location: Location) -> Branch | None:
    """Where this repository's memory is: as configured, else where one is found."""
    chosen = location.settings.get("gitmem.ref")
    if chosen:
        ref = chosen if chosen.startswith("refs/") else f"refs/heads/{chosen}"
        if not valid_ref(ref):
            raise ConfigError(
                f"gitmem.ref in the git config is {chosen!r}, which is no ref",
                fix="set it with `git config gitmem.ref refs/heads/memory`",
            )
        return Branch(ref, local=not ref.startswith(_REMOTES), chosen=True)
    for ref in (MEMORY, HIDDEN):
        if read_ref(location.common_dir, ref) is not None:
            return Branch(ref, local=True, chosen=False)
    for remote in _remotes(location):
        ref = f"{_REMOTES}{remote}/memory"
        if valid_ref(ref) and read_ref(location.common_dir, ref) is not None:
            return Branch(ref, local=False, chosen=False)
    return None


def _remotes(location: Location) -> list[str]:
    """Names that may be remotes: as configured, and as refs show. origin comes first."""
    names = set(location.settings.subsections("remote"))
    try:
        with os.scandir(location.common_dir / "refs" / "remotes") as entries:
            names.update(entry.name for entry in entries)
    except OSError:
        pass
    packed = _read(location.common_dir / "packed-refs") or b""
    names.update(os.fsdecode(name) for name in re.findall(_REMOTE_MEMORY, packed))
    return sorted(names, key=lambda name: (name != "origin", name))


def _loose(path: Path) -> str | None:
    data = _read(path)
    return None if data is None else os.fsdecode(data).strip()


def _packed(common_dir: Path, ref: str) -> str | None:
    data = _read(common_dir / "packed-refs")
    if not data:
        return None
    name = b" " + os.fsencode(ref)
    at = -1
    while (at := data.find(name, at + 1)) >= 0:
        sha = data[max(at - 40, 0) : at].decode("ascii", "replace")
        starts = at == 40 or data[at - 41 : at - 40] == b"\n"
        behind = data[at + len(name) : at + len(name) + 1]
        if starts and behind in (b"\n", b"\r", b"") and _SHA.match(sha):
            return sha
    return None


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        if path.is_dir():
            # Windows says "permission denied" for a folder where refs once were.
            return None
        raise ReadError(
            f"{path} can't be read: {error.strerror or error}",
            fix="check who owns the file and what its permissions are",
            path=str(path),
        ) from error
