"""The console script: `hook` goes to `hooks/`, all else to `cli/`.

Starts and ends fast, because hooks and agents call it all the time: nothing is imported before
it is needed, and the process ends without taking the interpreter apart.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command line of this process and end it."""
    # What imports make is never garbage; by default it is looked through dozens of times.
    gc.set_threshold(100_000, 50, 50)
    try:
        code = _run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            # Closed, or read by nobody any more.
            continue
    # Files are closed and flushed by now: what is left costs as much as starting Python.
    os._exit(code)


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["hook"] and arguments[1:] and "-" not in {word[:1] for word in arguments}:
        # Runs on every prompt: what click alone takes to import is more than all of its work.
        from gitmem.hooks.main import main as hook

        return hook(arguments[1:])
    from gitmem.cli.main import main as cli

    return cli(arguments)


if __name__ == "__main__":
    main()
