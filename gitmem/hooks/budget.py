"""The time that a hook may take: when it is over the process ends, with exit code 0.

A crash at any instant leaves a whole store (I4), so ending is safe; what a hook didn't get done,
a later one does. Imports next to nothing.
"""

from __future__ import annotations

import _thread
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS = "GITMEM_HOOK_SECONDS"
"""In the environment: more time, for a slow disk or a busy machine."""


class OutOfTime(Exception):
    """The hook took too long."""


def allowed(seconds: float, environ: Mapping[str, str]) -> float:
    """The budget, unless the environment names another."""
    try:
        return max(float(environ.get(SECONDS, "")), 0.0)
    except ValueError:
        return seconds


def end_after(event: str, seconds: float, environ: Mapping[str, str]) -> None:
    """End this process in so many seconds if it hasn't ended by itself."""
    _thread.start_new_thread(_end, (event, allowed(seconds, environ), environ))


def _end(event: str, seconds: float, environ: Mapping[str, str]) -> None:
    time.sleep(seconds)
    from gitmem.hooks.main import report

    report(event, OutOfTime(f"it took more than {seconds:g} s; a later hook makes up"), environ)
    os._exit(0)
