"""Prints answers: one JSON value, or text for people.

Always UTF-8, whatever the locale: memories are UTF-8, and a program that reads them must not
depend on how it was started. Text never carries control characters to a terminal: what is shown
may have been written by anybody. Warnings, hints and progress go to standard error.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, TextIO

from gitmem.model.errors import GitmemError, WriteError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

SHORT = 12
"""Characters of a commit that people are shown."""

_HIDDEN = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if code not in (9, 10)}
_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


class NobodyReads(Exception):
    """The reader of standard output has seen enough. No OSError: click would handle it its way."""


class Output:
    """Standard output and standard error of one run."""

    def __init__(self, environ: Mapping[str, str], out: TextIO, err: TextIO) -> None:
        self.json = False
        self._out = out
        self._err = err
        for stream in (out, err):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        plain = bool(environ.get("NO_COLOR")) or environ.get("TERM") == "dumb"
        self._colour = out.isatty() and not plain
        self._error_colour = err.isatty() and not plain

    @classmethod
    def of_process(cls, environ: Mapping[str, str]) -> Output:
        """The streams that this process was given; a closed one swallows what is printed."""
        return cls(environ, sys.stdout or io.StringIO(), sys.stderr or io.StringIO())

    def answer(self, value: object, text: str | Iterable[str] = ()) -> None:
        """The answer of a command: the value as JSON, or the text (lines, or one as it is)."""
        if self.json:
            self._json(value)
        elif isinstance(text, str):
            self.text(text)
        else:
            self.text("".join(f"{line}\n" for line in text))

    def text(self, text: str) -> None:
        """Text for people, as it is but for control characters."""
        self._write(text)

    def raw(self, data: bytes) -> None:
        """Bytes as they are."""
        with _explained():
            self._out.flush()
            buffer = getattr(self._out, "buffer", None)
            if buffer is None:
                self._out.write(data.decode("utf-8", "backslashreplace"))
                return
            buffer.write(data)
            buffer.flush()

    def styled(self, text: str, style: str) -> str:
        """The text in a colour, where colours are wanted."""
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self._colour and text else text

    def warn(self, warnings: Iterable[str]) -> None:
        """Warnings, one line each, on standard error."""
        for warning in warnings:
            self._note("warning", "33", warning)

    def hint(self, text: str) -> None:
        """A remark on standard error."""
        self._say(clean(text))

    def failure(self, error: GitmemError, more: Mapping[str, Any] | None = None) -> None:
        """What went wrong: JSON on standard output, or two lines on standard error."""
        if self.json:
            self._json({"error": error.to_json(), **(more or {})})
            return
        self._note("error", "31", error.message)
        if error.fix:
            self._note("fix", "36", error.fix)

    def _note(self, label: str, code: str, text: str) -> None:
        name = f"\x1b[{code}m{label}:\x1b[0m" if self._error_colour else f"{label}:"
        self._say(f"{name} {clean(text)}")

    def _say(self, line: str) -> None:
        # A closed standard error must not turn a success into a failure.
        try:
            self._err.write(line + "\n")
            self._err.flush()
        except (OSError, ValueError):
            return

    def _json(self, value: object) -> None:
        # Indented for people only: the fast encoder knows one line alone.
        indent = 2 if self._out.isatty() else None
        self._write(json.dumps(value, ensure_ascii=False, indent=indent) + "\n")

    def _write(self, text: str) -> None:
        with _explained():
            self._out.write(text)
            self._out.flush()

    def progress(self, label: str) -> AbstractContextManager[Callable[[int, int], None] | None]:
        """A bar on standard error, on a terminal only: call it with steps done and in all."""
        return _bar(label, self._err) if self._err.isatty() else nullcontext()


@contextmanager
def _bar(label: str, file: TextIO) -> Iterator[Callable[[int, int], None]]:
    import click

    with click.progressbar(length=1, label=label, file=file) as bar:

        def step(done: int, total: int) -> None:
            bar.length = max(total, 1)
            bar.update(done - bar.pos)

        yield step
        bar.update((bar.length or 1) - bar.pos)


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        _quiet_pipe()
        raise NobodyReads from error
    except OSError as error:
        raise WriteError(
            f"can't write to standard output: {error.strerror}",
            fix="what was to be written to the memory is done; check where the output goes",
        ) from error


def _quiet_pipe() -> None:
    # What is still in the buffer would fail once more, and loudly, when Python ends.
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def clean(text: str) -> str:
    """The text with its control characters made visible, but for tab and line end."""
    return text if text.isprintable() else text.translate(_HIDDEN)


def one_line(text: str) -> str:
    """The text as part of a line."""
    return clean(" ".join(text.split()))


def columns(rows: Sequence[Sequence[str]], gap: str = "  ") -> list[list[str]]:
    """The rows with every cell but the last padded to the width of its column."""
    if not rows:
        return []
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)][:-1]
    return [
        [*(_padded(*one) + gap for one in zip(row[:-1], widths, strict=True)), row[-1]]
        for row in rows
    ]


def _padded(cell: str, wide: int) -> str:
    return cell + " " * (wide - width(cell))


def width(text: str) -> int:
    """The columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text
    )


def short(value: object, most: int = 60) -> str:
    """A value as the end of a line."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=list)
    line = one_line(text)
    return line if len(line) <= most else line[: most - 1] + "…"


def facts(values: Mapping[str, str]) -> Iterable[str]:
    """Names and values as aligned lines."""
    return ("".join(row) for row in columns(list(values.items())))
