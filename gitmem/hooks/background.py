"""Starts a process that brings a store's index along and outlives the hook that wanted it."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Mapping

from gitmem.hooks import CATCH_UP


def start(root: str, environ: Mapping[str, str], seconds: float) -> bool:
    """Start it and wait for so long; whether it is done by then."""
    # -P: else the folder that the user works in could lend us its own modules.
    words = [sys.executable, "-P", "-m", "gitmem", "hook", CATCH_UP, root]
    process = subprocess.Popen(
        words,
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        # Not ours: the client reads them until the last process has closed them.
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    if seconds > 0:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
    done = process.returncode is not None
    if not done:
        # It isn't ours to wait for any more; without this Popen complains when it is collected.
        process.returncode = 0
    return done
