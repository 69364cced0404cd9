"""Many processes write at once: the view ends in line with the branch, and nothing looks edited."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from gitmem.features.lifecycle import Request, move, pin
from gitmem.features.view.adopt import adopt
from gitmem.features.view.checkout import checkout

from tests.features.scratch import Scratch, scratch

WRITER = """
import sys
from pathlib import Path
from tests.features.scratch import Scratch
memory = Scratch(Path(sys.argv[1]))
for number in range(4):
    answer = memory.add(f"Note {sys.argv[2]} {number}")
    assert answer.warnings == (), answer.warnings
    answer = memory.change(answer.id, "body=Another text.")
    assert answer.warnings == (), answer.warnings
"""


def test_many_writers_leave_the_view_in_line(memory: Scratch) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(memory.repo), str(number)],
            cwd=Path(__file__).parents[3],
            stderr=subprocess.PIPE,
            env=dict(memory.environ),
        )
        for number in range(4)
    ]
    assert [(one.communicate()[1], one.returncode) for one in running] == [(b"", 0)] * 4
    with memory.open() as workspace:
        done = checkout(workspace)
    assert (done.written, done.removed, done.edited) == (0, 0, ())
    assert len(memory.entries()) == 17


@pytest.mark.parametrize("seed", range(3))
def test_a_view_kept_along_equals_one_made_anew(tmp_path: Path, seed: int) -> None:
    """Random writes, edits and deletions; at the end everything was adopted or restored."""
    chance = random.Random(seed)
    memory = scratch(tmp_path / "code")
    ids: list[str] = []
    for step in range(25):
        _step(memory, chance, ids, step)
    with memory.open() as workspace:
        adopt(workspace)
        aside = {name for name in memory.files() if ".invalid." in name}
        kept = {name: memory.file(name) for name in memory.files() - aside}
        for name in kept:
            (memory.view / name).unlink()
        checkout(workspace)
    assert {name: memory.file(name) for name in memory.files() - aside} == kept


def _step(memory: Scratch, chance: random.Random, ids: list[str], step: int) -> None:
    kind = chance.choice(("add", "add", "file", "change", "rename", "move", "edit", "delete"))
    if kind == "add" or not ids:
        ids.append(memory.add(f"Entry {step}").id)
    elif kind == "file":
        name = chance.choice("abc")
        ids.append(memory.add(f"File {step}", "file", path=f"{name}.md", body=str(step)).id)
    elif kind in ("edit", "delete"):
        name = chance.choice(sorted(memory.entries() - {"config.json"}) or ["config.json"])
        file = memory.view / name
        if kind == "delete":
            file.unlink()
        else:
            file.write_bytes(file.read_bytes() + b"\nOne more line.\n")
        if chance.random() < 0.5:
            with memory.open() as workspace:
                adopt(workspace)
    else:
        _write(memory, chance, chance.choice(ids), kind, step)


def _write(memory: Scratch, chance: random.Random, ref: str, kind: str, step: int) -> None:
    with memory.open() as workspace:
        tier = workspace.store.snapshot().find(ref).tier
        if kind == "move":
            there = {"register": ("retire", "archive", "promote"), "working": ("demote",)}
            back = {"retired": ("restore",), "archive": ("unarchive",)}
            name = chance.choice((there | back)[tier])
            if name == "restore":
                return
            move(workspace, name, Request(ref, "because"))
            return
    if tier in ("register", "working"):
        field = f"title=Another {step} name" if kind == "rename" else f"body=Text {step}"
        memory.change(ref, field)
        with memory.open() as workspace:
            pin(workspace, Request(ref), pinned=step % 2 == 0)
