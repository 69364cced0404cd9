"""Many writer processes at once: every acknowledged commit is there, no error, fsck clean."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Result, run, shown
from benchmarks.stores import Place, new_store


def measure(place: Place) -> Iterator[Result]:
    """Whole processes that each add one note."""
    count, environ = place.scale.processes, place.environ
    folder = place.folder / "writers"
    new_store(folder, environ)
    program = Path(sys.executable).with_name("gitmem")
    start = time.perf_counter()
    children = [
        subprocess.Popen(
            [program, "--json", "remember", f"Note of writer {number}"],
            cwd=folder,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(count)
    ]
    answers = [child.communicate()[0] for child in children]
    taken = time.perf_counter() - start
    acknowledged = {
        json.loads(answer)["commit"]
        for child, answer in zip(children, answers, strict=True)
        if child.returncode == 0
    }
    there = set(run(["git", "rev-list", "memory"], folder, environ).split())
    run(["git", "fsck", "--strict"], folder, environ)
    lost = len(acknowledged - there)
    yield Result(
        f"{count} writers: errors and lost commits",
        count - len(acknowledged) + lost,
        0,
        f"{shown(taken)} in all, {shown(taken / count)} a process; fsck clean",
        unit="",
    )
