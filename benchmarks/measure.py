"""How things are measured: in turns, medians, as ratios of one run.

A machine that does other things too slows both sides of a ratio, so the two are always timed in
turns, and the median of each counts. Nothing here knows what is measured.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Scale:
    """How large everything is."""

    entries: tuple[int, ...]
    """Sizes of the stores that are written to, ascending."""
    writes: int
    """Writes per store and side; git, which is slow in large ones, does fewer."""
    imported: int
    commits: int
    """One-entry commits before upkeep."""
    processes: int
    starts: int
    """Runs of each command."""


FULL = Scale((1_000, 10_000, 100_000), 30, 10_000, 10_000, 50, 15)
QUICK = Scale((1_000, 10_000), 15, 2_000, 1_000, 20, 7)
SMALL = Scale((20, 40), 3, 30, 40, 3, 1)
"""For a test that all of it runs."""


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the table. `goal` None: nothing was promised for this size."""

    what: str
    value: float
    goal: float | None
    absolute: str
    at_least: bool = False
    """The value should be the goal or more; otherwise the goal or less."""
    unit: str = "x"

    @property
    def met(self) -> bool | None:
        if self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal


def in_turns(repeats: int, *jobs: Callable[[], object]) -> list[float]:
    """The median seconds of each job; they take turns, and each has run once before.

    The disk is at rest before each turn: what one side left unwritten must not be paid for by the
    other side's fsync.
    """
    for job in jobs:
        job()
    times: list[list[float]] = [[] for _ in jobs]
    for _ in range(repeats):
        for job, taken in zip(jobs, times, strict=True):
            if hasattr(os, "sync"):
                os.sync()
            start = time.perf_counter()
            job()
            taken.append(time.perf_counter() - start)
    return [statistics.median(taken) for taken in times]


def environment(home: Path) -> dict[str, str]:
    """The environment that git and gitmem run in: nobody's configuration, one person."""
    kept = {
        key: os.environ[key] for key in ("PATH", "TMPDIR", "LD_LIBRARY_PATH") if key in os.environ
    }
    person = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", "A. Person"), ("EMAIL", "person@example.org"))
    }
    return {
        **kept,
        **person,
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
    }


def run(
    arguments: Sequence[str | Path],
    folder: Path,
    environ: Mapping[str, str],
    *,
    stdin: Path | None = None,
    stdout: Path | None = None,
) -> str:
    """What a program prints (unless it goes to a file). CalledProcessError when it fails."""
    with (stdin or Path(os.devnull)).open("rb") as source:
        if stdout is not None:
            with stdout.open("wb") as target:
                subprocess.run(
                    arguments, cwd=folder, env=environ, stdin=source, stdout=target, check=True
                )
            return ""
        done = subprocess.run(
            arguments, cwd=folder, env=environ, stdin=source, capture_output=True, check=True
        )
    return done.stdout.decode("utf-8", "replace")


def shown(seconds: float) -> str:
    """A time for people."""
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} us"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
