"""A session ends: what it was shown becomes one usage commit, if there is time."""

from __future__ import annotations

from gitmem.features.usage import flush
from gitmem.hooks.main import Call
from gitmem.hooks.stores import each_store

SECONDS = 1.0
"""The client gives all hooks of this event 1.5 s together; the next session start makes up."""


def answer(call: Call) -> str:
    """Nothing is said to the model."""
    session = call.session
    if session:
        each_store(call, SECONDS, lambda workspace: flush(workspace, only=session))
    return ""
