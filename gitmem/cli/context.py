"""What every command starts from: directory, store, clock, who asks, JSON or text.

The one place of the command line that reads the process's environment, current folder and clock;
everything below is handed what it needs.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from gitmem.cli.output import Output
from gitmem.model.errors import InputError, UsageError

if TYPE_CHECKING:
    from gitmem.features.workspace import Workspace

T = TypeVar("T")

SOURCES = ("user", "agent", "tool", "document", "import")
MAX_TEXT = 2 * 1024 * 1024


class Run:
    """One run of the command line."""

    def __init__(self, environ: Mapping[str, str], output: Output) -> None:
        self.environ = environ
        self.output = output
        self.store = "project"
        """`--store`: project, user, or a path."""
        self.results: list[dict[str, Any]] = []
        """What was done for the entries before the one that failed."""
        self._folders: list[str] = []

    @classmethod
    def of_process(cls) -> Run:
        """This process: its environment and its streams."""
        environ = dict(os.environ)
        return cls(environ, Output.of_process(environ))

    # What was asked

    def change_folder(self, folder: str) -> None:
        """`-C`: as if started there; several add up, as git's do."""
        self._folders.append(folder)

    @property
    def folder(self) -> Path:
        """The folder that the command works in."""
        folder = Path(*self._folders) if self._folders else Path()
        if self._folders and not folder.is_dir():
            raise UsageError(f"{folder} is no folder", got=str(folder), fix="check the path of -C")
        try:
            return folder.absolute()
        except FileNotFoundError:
            raise UsageError("the current folder is gone", fix="change to another folder") from None

    @property
    def folder_given(self) -> bool:
        """Was the folder named with `-C`?"""
        return bool(self._folders)

    def path(self, name: str) -> Path:
        """A path of the command line, as seen from the folder the command works in."""
        return self.folder / Path(name).expanduser() if self._folders else Path(name).expanduser()

    def clock(self) -> float:
        return time.time()

    # The store

    @contextmanager
    def workspace(self) -> Iterator[Workspace]:
        """The open store, with the clock and who asks."""
        from gitmem.features.opening import open_workspace

        workspace = open_workspace(
            self.folder,
            self.environ,
            self.clock,
            store=self.store,
            timezone=_timezone(self.clock()),
            actor=self.environ.get("GITMEM_ACTOR") or "cli",
            session=self.session,
            source=self._source(),
        )
        with workspace.store:
            yield workspace

    @property
    def start(self) -> Path:
        """Where the repository of the store is looked for."""
        from gitmem.features.opening import store_path

        return store_path(self.folder, self.environ, self.store)

    def read(self, ask: Callable[[Workspace], T]) -> T:
        """Ask the store something; a damaged index is thrown away and built anew, once."""
        from gitmem.index.db import IndexDamaged, remove_index

        with self.workspace() as workspace:
            try:
                return ask(workspace)
            except IndexDamaged:
                folder = workspace.store.folder
        remove_index(folder)
        with self.workspace() as workspace:
            return ask(workspace)

    def write(self, change: Callable[[Workspace], T]) -> T:
        """Change the store."""
        with self.workspace() as workspace:
            return change(workspace)

    @property
    def session(self) -> str | None:
        """The session that a change belongs to."""
        return (
            self.environ.get("GITMEM_SESSION") or self.environ.get("CLAUDE_CODE_SESSION_ID") or None
        )

    def _source(self) -> str:
        source = self.environ.get("GITMEM_SOURCE") or "user"
        if source not in SOURCES:
            raise UsageError(
                f"GITMEM_SOURCE is {source!r}",
                field="GITMEM_SOURCE",
                expected=", ".join(SOURCES),
                got=source,
                fix="set it to one of these, or not at all",
            )
        return source

    # Input

    @property
    def stdin(self) -> BinaryIO:
        """Standard input as bytes."""
        if sys.stdin is None:
            raise InputError("standard input is closed", fix="name a file instead of -")
        return sys.stdin.buffer

    @property
    def interactive(self) -> bool:
        """Does a person sit in front of this?"""
        return bool(sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty())

    def text_of(self, argument: str) -> str:
        """The text of an argument; `-` is standard input."""
        if argument != "-":
            return argument
        data = self.stdin.read(MAX_TEXT + 1)
        if len(data) > MAX_TEXT:
            raise InputError(f"standard input is larger than {MAX_TEXT} bytes", fix="shorten it")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InputError("standard input isn't UTF-8", fix="convert it to UTF-8") from None

    def json_object(self, name: str) -> Mapping[str, Any]:
        """The JSON object in a file; `-` is standard input."""
        from io import BytesIO

        from gitmem.features.write.draft import read_input

        if name == "-":
            return read_input(name, self.stdin)
        return read_input(str(self.path(name)), BytesIO())

    @property
    def state_folder(self) -> Path:
        """Where logs and kept texts of this user go."""
        base = self.environ.get("XDG_STATE_HOME", "")
        # The specification of that variable says to ignore a relative one.
        return (Path(base) if base.startswith("/") else Path.home() / ".local" / "state") / "gitmem"


def _timezone(now: float) -> int:
    """The local offset from UTC in seconds; whole minutes, because git writes no others."""
    return (time.localtime(now).tm_gmtoff or 0) // 60 * 60
