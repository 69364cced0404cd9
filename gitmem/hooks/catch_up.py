"""Brings a store's index to its tip, and what is derived from the code's history beside it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from gitmem.features.opening import open_workspace
from gitmem.features.recall.staleness import refresh


def catch_up(root: str, environ: Mapping[str, str]) -> None:
    """Do it for the repository at `root`, however long it takes."""
    workspace = open_workspace(Path(root), environ, time.time, actor="hook:catch-up")
    with workspace.store:
        workspace.snapshot()
        refresh(workspace)
