"""The recall hook as the client runs it: a whole process per prompt, against `python -c pass`.

Each run is a session of its own, so that nothing is left out because it was shown before, and the
ledger is written every time. Cold: the store's files are dropped from the cache of the operating
system before each run (Python's own are not: `pass` needs them as well). How well the hook finds
what it should is measured by `recall_quality`.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.measure import Result, in_turns, run, shown
from benchmarks.stores import Place, lines, text

GOAL, LARGE_GOAL = 4.0, 6.0
LARGE = 100_000
PROMPTS = {
    "a hit": f"what was decided about {json.loads(next(lines(1)))['title']}",
    "a question": "which gateway handles the invoice queue before the nightly release?",
    "two words": "replica lease",
    "nothing known": "please write a haiku about the autumn rain over Kyoto",
    "a long one": text(random.Random(2), 200),
}
_SESSIONS = itertools.count()


def measure(place: Place) -> Iterator[Result]:
    """A row for each size and prompt, and one with a cold cache for each size."""
    smallest = max(place.scale.entries[0] // 10, 1)
    for entries in (smallest, *place.scale.entries):
        store = place.store(entries)
        goal = GOAL if entries < LARGE else LARGE_GOAL
        for name, prompt in PROMPTS.items():
            yield _result(f"recall hook, {name}, {entries:,}", place, store, prompt, goal)
        job = partial(_forget, store)
        prompt = PROMPTS["a hit"]
        yield _result(f"recall hook, cold, {entries:,}", place, store, prompt, None, job)


def _result(
    what: str,
    place: Place,
    store: Path,
    prompt: str,
    goal: float | None,
    before: Callable[[], object] = lambda: None,
) -> Result:
    program = Path(sys.executable).with_name("gitmem")
    given = place.folder / "prompt.json"

    def hook() -> object:
        fields = {"prompt": prompt, "session_id": f"bench-{next(_SESSIONS)}", "cwd": str(store)}
        given.write_text(json.dumps(fields))
        before()
        return run([program, "hook", "user-prompt-submit"], store, place.environ, stdin=given)

    nothing = partial(run, [sys.executable, "-c", "pass"], store, place.environ)
    taken, least = in_turns(place.scale.starts, hook, nothing)
    return Result(what, taken / least, goal, f"{shown(taken)}, pass {shown(least)}")


def _forget(store: Path) -> None:
    """Drop the store's files from the cache, where the system lets a program do that."""
    if not hasattr(os, "posix_fadvise"):
        return
    for file in (store / ".git" / "gitmem").glob("*.db*"):
        fd = os.open(file, os.O_RDONLY)
        try:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(fd)
