"""The console script: every command line goes to `cli/`.

Starts and ends fast, because hooks and agents call it all the time: nothing is imported before
it is needed, and the process ends without taking the interpreter apart.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line of this process and end it."""
    # What imports make is never garbage; by default it is looked through dozens of times.
    gc.set_threshold(100_000, 50, 50)
    try:
        from gitmem.cli.main import main as cli

        code = cli(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    # Files are closed and flushed by now: what is left costs as much as starting Python.
    os._exit(code)


if __name__ == "__main__":
    main()
