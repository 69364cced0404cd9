"""Stores of many entries for the rows to work on, each made once per run, by import.

Beside each store lies its twin: an ordinary repository with the same files checked out, where
`git add` and `git commit` do what gitmem does.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gitmem.features.importers.gitmem import import_jsonl
from gitmem.features.starting import Wanted, init
from gitmem.features.workspace import Workspace
from gitmem.store.store import Store

from benchmarks.measure import Scale, environment, run

_TEXT = """
account admin alert archive audit backup batch billing branch broker browser bucket build cache
certificate charge client cluster column commit config contract cookie cron currency customer
dashboard database deadline default deploy design disk domain driver editor email endpoint engine
error event export failure feature filter flag font frontend gateway handler header host image
import index invoice job kernel label latency layout lease library limit loader lock login mapping
memory merge metric migration mirror module monitor network node note notice object offset order
output owner package page parser partition patch payment pipeline plugin policy pool port prefix
preview price process profile project prompt proxy quota queue record region release render replica
report request resource response retry review role rollback route runner sample schedule schema
scope script search sequence server service shard signal snapshot socket source stack stage
storage stream subnet summary switch table target template tenant test theme thread ticket timeout
trace transfer trigger update upload user vendor version view volume warning worker workflow zone
"""
_WORDS = _TEXT.split()


@dataclass(slots=True)
class Place:
    """A scratch folder with the stores of this run in it."""

    folder: Path
    scale: Scale
    seconds: dict[int, float] = field(default_factory=dict)
    """How long each store's import took."""

    @property
    def environ(self) -> dict[str, str]:
        return environment(self.folder)

    def store(self, entries: int) -> Path:
        """A repository whose memory holds so many entries."""
        path = self.folder / f"store-{entries}"
        if not path.exists():
            new_store(path, self.environ)
            with Store.open(path, self.environ) as store:
                start = time.perf_counter()
                import_jsonl(workspace(store, self.environ), lines(entries))
                self.seconds[entries] = time.perf_counter() - start
        return path

    def twin(self, entries: int) -> Path:
        """An ordinary repository with the files of that store checked out."""
        path = self.folder / f"twin-{entries}"
        if not path.exists():
            store = self.store(entries)
            path.mkdir()
            run(["git", "init", "-q", "-b", "main"], path, self.environ)
            run(["git", "config", "gc.auto", "0"], path, self.environ)
            run(
                ["git", "fetch", "-q", "--depth=1", f"file://{store}", "memory"], path, self.environ
            )
            run(["git", "reset", "-q", "--hard", "FETCH_HEAD"], path, self.environ)
        return path


def new_store(path: Path, environ: dict[str, str], *, view: bool = False) -> None:
    """A repository with an empty memory."""
    path.mkdir()
    run(["git", "init", "-q", "-b", "main"], path, environ)
    init(path, environ, time.time, Wanted(view=view))


def workspace(store: Store, environ: dict[str, str]) -> Workspace:
    """What library calls are given."""
    return Workspace(store, time.time, environ=environ)


def lines(count: int) -> Iterator[bytes]:
    """So many entries as an import reads them, always the same ones."""
    chance = random.Random(1)
    for number in range(count):
        yield json.dumps(entry(chance, number)).encode()


def entry(chance: random.Random, number: int) -> dict[str, Any]:
    """An entry of about 120 words, of one of three categories."""
    tags = [chance.choice(_WORDS), chance.choice(_WORDS)]
    common = {"title": f"{text(chance, 5)} {number}", "tags": tags, "confidence": 0.85}
    match number % 3:
        case 0:
            content: dict[str, Any] = {
                "status": "accepted",
                "context": text(chance, 30),
                "decision": text(chance, 50),
                "rationale": [text(chance, 20), text(chance, 20)],
            }
            return {**common, "category": "decision", "content": content}
        case 1:
            steps = [text(chance, 12) for _ in range(6)]
            content = {
                "trigger": text(chance, 20),
                "steps": steps,
                "verification": text(chance, 20),
            }
            return {**common, "category": "runbook", "content": content}
        case _:
            return {**common, "category": "note", "content": {"body": text(chance, 120)}}


def text(chance: random.Random, words: int) -> str:
    """A sentence of so many words."""
    return " ".join(chance.choices(_WORDS, k=words)).capitalize() + "."
