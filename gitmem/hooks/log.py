"""The log of hooks that failed: in the user's state folder, two files at most.

Holds what went wrong and where in our code, never a prompt or what a memory says. A log that
can't be written is no reason for a hook to fail.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Mapping
from pathlib import Path

NAME = "hooks.log"
MOST_BYTES = 256 * 1024
_MOST_LINE = 300


def state_folder(environ: Mapping[str, str]) -> Path:
    """Where logs of this user go."""
    base = environ.get("XDG_STATE_HOME", "")
    # The specification of that variable says to ignore a relative one.
    return (Path(base) if base.startswith("/") else Path.home() / ".local" / "state") / "gitmem"


def write_log(event: str, error: BaseException, environ: Mapping[str, str]) -> bool:
    """Add an error; False where that wasn't possible."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    trace = "".join(traceback.format_exception(error)).rstrip().replace("\n", "\n  ")
    try:
        folder = state_folder(environ)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = folder / NAME
        if file.exists() and file.stat().st_size > MOST_BYTES:
            file.replace(folder / f"{NAME}.1")
        fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(fd, "w", encoding="utf-8", errors="backslashreplace") as log:
            log.write(f"{moment} {event} [{os.getpid()}]\n  {trace}\n")
    except (OSError, RuntimeError):
        return False
    return True


def read_log(environ: Mapping[str, str]) -> str:
    """All that is kept, oldest first."""
    folder = state_folder(environ)
    files = [file for file in (folder / f"{NAME}.1", folder / NAME) if file.is_file()]
    return "".join(file.read_text("utf-8", "replace") for file in files)


def one_line(text: str) -> str:
    """A text for a terminal: one line without control characters, cut."""
    plain = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(plain.split())[:_MOST_LINE]
