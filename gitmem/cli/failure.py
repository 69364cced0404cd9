"""What went wrong, as an error that can be shown: our own, click's, the system's, or a bug.

A bug's traceback goes to a file in the user's state folder, whose path is named: it may quote
memories, so it is never printed among other output.
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gitmem.model.errors import GitmemError, Interrupted, ReadError, UsageError, WriteError

if TYPE_CHECKING:
    from gitmem.cli.context import Run

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG}
_REFUSED = {errno.EACCES, errno.EPERM, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM}


def explained(error: BaseException, run: Run) -> GitmemError:
    """The error as one that has a code, a message and advice."""
    match error:
        case GitmemError() if type(error) is not GitmemError:
            return error
        case KeyboardInterrupt() | click.Abort():
            return Interrupted("interrupted", fix="what was reported as done is done")
        case click.ClickException():
            return _usage(error)
        case OSError() if error.errno in _FULL:
            return WriteError(_of_system(error), fix="make room, or mount it writable")
        case OSError() if error.errno in _REFUSED:
            return ReadError(_of_system(error), fix="check the rights and the state of that file")
    return _bug(error, run)


def _usage(error: click.ClickException) -> UsageError:
    context = error.ctx if isinstance(error, click.UsageError) else None
    message = error.format_message().rstrip(".")
    name = error.param.name if isinstance(error, click.BadParameter) and error.param else None
    return UsageError(
        message[:1].lower() + message[1:],
        field=name,
        fix=f"see `{context.command_path if context else 'gitmem'} --help`",
    )


def _of_system(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}"


def _bug(error: BaseException, run: Run) -> GitmemError:
    # Imported here: it costs as much as a small command.
    from traceback import format_exception

    trace = "".join(format_exception(error))
    kind = type(error).__name__
    log = _logged(run, trace)
    if log is None:
        run.output.hint(trace)
        return GitmemError(f"a bug in gitmem: {kind}", fix="report it with the trace shown here")
    return GitmemError(
        f"a bug in gitmem: {kind}",
        fix=f"report it with {log} (look through it first: it may quote memories)",
        log=str(log),
    )


def _logged(run: Run, trace: str) -> Path | None:
    from gitmem.model.times import format_time

    moment = format_time(run.clock())
    name = f"error-{moment.replace(':', '')}-{os.getpid()}.log"
    facts = f"gitmem failed at {moment}, Python {sys.version}\n\n{trace}"
    try:
        folder = run.state_folder / "log"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / name
        path.write_text(facts, "utf-8", "backslashreplace")
    except (OSError, RuntimeError):
        # RuntimeError: a user without a home.
        return None
    return path
