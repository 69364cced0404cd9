"""Whole processes: reading commands, `--help` and a write, against `python -c pass`."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from gitmem.features.importers.gitmem import import_jsonl
from gitmem.store.store import Store

from benchmarks.measure import Result, in_turns, run, shown
from benchmarks.stores import Place, lines, new_store, workspace

READ_GOAL = 8.0
WRITE_GOAL = 24.0
_ENTRIES = 50
_NUMBERS = itertools.count()

READS = (
    ("--help",),
    ("show", "REF"),
    ("list",),
    ("log",),
    ("log", "REF"),
    ("blame", "REF"),
    ("status",),
    ("health",),
    ("config", "list"),
    ("export",),
)
WRITES = (
    ("add", "note", "--title", "NEW", "--tag", "bench", "--body", "A note of a few words."),
    ("update", "REF", "--field", "content.body=NEW"),
    ("pin", "REF"),
)


def measure(place: Place) -> Iterator[Result]:
    """A row for each command."""
    folder = place.folder / "commands"
    new_store(folder, place.environ, view=True)
    with Store.open(folder, place.environ) as store:
        import_jsonl(workspace(store, place.environ), lines(_ENTRIES))
        note = next(iter(store.snapshot().entries(("register",), category="note")))
    program = Path(sys.executable).with_name("gitmem")
    nothing = partial(run, [sys.executable, "-c", "pass"], folder, place.environ)
    for commands, goal in ((READS, READ_GOAL), (WRITES, WRITE_GOAL)):
        for command in commands:
            words = [note.id if word == "REF" else word for word in command]
            job = _job(program, words, folder, place)
            taken, least = in_turns(place.scale.starts, job, nothing)
            name = " ".join(word for word in command[:2] if not word.startswith("NEW"))
            yield Result(
                f"gitmem {name}", taken / least, goal, f"{shown(taken)}, pass {shown(least)}"
            )


def _job(program: Path, words: list[str], folder: Path, place: Place) -> Callable[[], object]:
    def job() -> object:
        fresh = [word.replace("NEW", f"note {next(_NUMBERS)}") for word in words]
        return run([program, *fresh], folder, place.environ)

    return job
