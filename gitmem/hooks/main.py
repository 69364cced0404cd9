"""Runs one hook: the client's JSON in, an answer out, and whatever happens exit code 0 (I8).

Reads what of standard input comes in time; tells failures in one line on standard error and in
full in a log. Nothing that is slow to import is imported here: most hooks do very little.
"""

from __future__ import annotations

import os
import sys

from gitmem.hooks import CATCH_UP, EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

MOST_INPUT = 10 * 1024 * 1024
FIRST_WAIT, NEXT_WAIT = 2.0, 0.1
"""Seconds for the first byte, and for each further one: some clients never close the pipe."""
MOST_NAME = 200
BLOCK = "BLOCK_HOOK_AGENTS"
"""Set for agents that gitmem or a hook starts, so that they don't start hooks in turn."""


class Call:
    """One call of a hook."""

    __slots__ = ("cwd", "environ", "event", "fields", "problems")

    def __init__(
        self, event: str, fields: Mapping[str, Any], environ: Mapping[str, str], cwd: str
    ) -> None:
        self.event = event
        self.fields = fields
        self.environ = environ
        self.cwd = cwd
        self.problems: list[Exception] = []
        """What went wrong without keeping the hook from its answer."""

    @property
    def session(self) -> str:
        """The client's name for the session; "" where it has none."""
        return self.text("session_id").strip()[:MOST_NAME]

    def text(self, *names: str) -> str:
        """The first of these fields that is a text; "" when none is."""
        for name in names:
            value = self.fields.get(name)
            if isinstance(value, str):
                # A lone surrogate is no text that anything could store or print.
                return value.encode("utf-8", "replace").decode()
        return ""


def main(
    arguments: list[str], folder: str | None = None, say: Callable[[str], None] | None = None
) -> int:
    """Run the hook of an event; always 0.

    `folder`: where to work, whatever the input says; `say` takes the answer, in the place of
    standard output.
    """
    environ = os.environ
    if environ.get(BLOCK):
        return 0
    event = arguments[0] if arguments else ""
    try:
        if event == CATCH_UP:
            from gitmem.hooks.catch_up import catch_up

            catch_up(arguments[1], environ)
        elif event in EVENTS:
            _run(event, environ, folder, say or _print)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the user's session goes on (I8)
        report(event, error, environ)
    return 0


def _run(
    event: str, environ: Mapping[str, str], folder: str | None, say: Callable[[str], None]
) -> None:
    data = read_input(0)
    if not data.strip():
        return
    from gitmem.model.jsontext import loads

    fields = loads(data.decode("utf-8-sig", "replace"))
    if not isinstance(fields, dict):
        return
    # Not `import_module`: that one is slow to import itself.
    module = __import__(EVENTS[event], fromlist=["answer"])
    call = Call(event, fields, environ, folder or _folder(fields))
    answer: str = module.answer(call)
    if answer:
        say(answer)
    for problem in call.problems:
        report(event, problem, environ)


def _print(answer: str) -> None:
    write_output(1, answer.encode("utf-8", "replace"))


def _folder(fields: Mapping[str, Any]) -> str:
    named = fields.get("cwd")
    if isinstance(named, str) and "\0" not in named and os.path.isdir(named):  # noqa: PTH112
        return named
    return os.getcwd()  # noqa: PTH109 - no pathlib here


def read_input(fd: int) -> bytes:
    """What comes on a descriptor until its end, a pause, or too much of it."""
    parts: list[bytes] = []
    size, wait = 0, FIRST_WAIT
    try:
        while size < MOST_INPUT and _is_ready(fd, wait):
            part = os.read(fd, min(1 << 20, MOST_INPUT - size))
            if not part:
                break
            parts.append(part)
            size, wait = size + len(part), NEXT_WAIT
    except (OSError, ValueError):
        # A closed or broken standard input is an empty one.
        pass
    return b"".join(parts)


def _is_ready(fd: int, seconds: float) -> bool:
    if sys.platform == "win32":
        # There select knows sockets alone; a read waits.
        return True
    from select import select

    return bool(select([fd], [], [], seconds)[0])


def write_output(fd: int, data: bytes) -> None:
    """Write it all; a reader that is gone is nobody's fault."""
    try:
        while data:
            data = data[os.write(fd, data) :]
    except OSError:
        pass


def report(event: str, error: BaseException, environ: Mapping[str, str]) -> None:
    """One line for the person, the rest for the log."""
    from gitmem.hooks.log import one_line, write_log

    kept = write_log(event, error, environ)
    more = "; see `gitmem hook-log`" if kept else ""
    line = f"gitmem: {event}: {one_line(str(error) or type(error).__name__)}{more}\n"
    write_output(2, line.encode("utf-8", "replace"))
