"""status and health say what is there and what needs attention, from the index alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from gitmem.features.lifecycle import Request, move
from gitmem.features.settings import set_key
from gitmem.features.status import health, status
from gitmem.features.write.pipeline import remember

from tests.features.scratch import Scratch, scratch
from tests.helpers import commit_files, git


@pytest.fixture
def memory(tmp_path: Path) -> Scratch:
    return scratch(tmp_path / "code")


def test_entries_are_counted_by_tier_and_category(memory: Scratch) -> None:
    one, two = memory.add("One"), memory.add("Two")
    memory.add("Three")
    with memory.open() as workspace:
        move(workspace, "retire", Request(one.id, "wrong"))
        move(workspace, "archive", Request(two.id))
        found = status(workspace)
    assert found["entries"]["total"] == 3
    assert found["entries"]["by_tier"] == {"working": 0, "register": 1, "archive": 1, "retired": 1}
    assert found["entries"]["by_category"] == {"note": {"active": 1, "retired": 1, "archived": 1}}
    assert found["commit"] == git(memory.repo, "rev-parse", "memory")
    assert found["branch"] == "refs/heads/memory"


def test_working_memory_is_measured_against_its_budget(memory: Scratch) -> None:
    with memory.open() as workspace:
        remember(workspace, "five words are in here")
        working = status(workspace)["working"]
    assert (working["words"], working["characters"]) == (5, 22)
    assert (working["word_budget"], working["character_budget"]) == (1500, 9000)


def test_files_that_are_no_entries_are_named(memory: Scratch) -> None:
    commit_files(memory.repo, {"register/notes/x.md": "no entry"}, time=memory.at)
    with memory.open() as workspace:
        (problem,) = status(workspace)["problems"]
        report = health(workspace)
    assert (problem["path"], problem["line"]) == ("register/notes/x.md", 1)
    assert report["summary"] == "NEEDS ATTENTION"


def test_the_state_of_the_view_is_told(memory: Scratch) -> None:
    memory.add("One")
    with memory.open() as workspace:
        assert status(workspace)["view"]["current"] is True
        workspace.after_write = None
        remember(workspace, "Text.")
        assert status(workspace)["view"]["current"] is False
        assert any("gitmem view" in issue for issue in health(workspace)["issues"])


def test_an_unknown_config_key_is_told(memory: Scratch) -> None:
    text = '{\n  "from.the.future": 1,\n  "delete.grace_period_days": "x",\n  "format": 1\n}\n'
    commit_files(memory.repo, {"config.json": text}, time=memory.at)
    with memory.open() as workspace:
        config = status(workspace)["config"]
    assert config["unknown"] == ["from.the.future"]
    assert "delete.grace_period_days" in config["faults"][0]


def test_a_person_git_doesnt_know_is_told(tmp_path: Path) -> None:
    made = scratch(tmp_path / "code", view=False)
    made.environ = {k: v for k, v in made.environ.items() if not k.startswith("GIT_AUTHOR")}
    with made.open() as workspace:
        assert status(workspace)["identity"]["known"] is False


def test_a_sound_memory_is_in_good_health(memory: Scratch) -> None:
    memory.add("One")
    with memory.open() as workspace:
        report = health(workspace)
    assert (report["summary"], report["issues"]) == ("GOOD", [])
    assert report["index"]["in_sync"] is True


def test_entries_with_more_than_five_updates_are_heavily_updated(memory: Scratch) -> None:
    often, seldom = memory.add("Often"), memory.add("Seldom")
    for number in range(6):
        memory.change(often.id, f"body=Text {number}.")
    for number in range(5):
        memory.change(seldom.id, f"body=Text {number}.")
    with memory.open() as workspace:
        found = health(workspace)["heavily_updated"]
    assert [(one["id"], one["times_updated"]) for one in found] == [(often.id, 6)]


def test_retirements_of_the_last_seven_days_are_listed_newest_first(memory: Scratch) -> None:
    ids = [memory.add(f"Entry {number}").id for number in range(4)]
    for number, days in enumerate((0, 3, 3)):
        memory.at += days * 86_400
        with memory.open() as workspace:
            move(workspace, "retire", Request(ids[number], f"reason {number}"))
    with memory.open() as workspace:
        found = health(workspace)["recent_retirements"]
    assert [(one["id"], one["reason"]) for one in found] == [
        (ids[2], "reason 2"),
        (ids[1], "reason 1"),
        (ids[0], "reason 0"),
    ]
    memory.at += 5 * 86_400
    with memory.open() as workspace:
        assert [one["id"] for one in health(workspace)["recent_retirements"]] == [ids[2]]


def test_too_much_working_memory_needs_attention(memory: Scratch) -> None:
    with memory.open() as workspace:
        remember(workspace, "word " * 1501)
        issues = health(workspace)["issues"]
    assert any("1501 words" in issue for issue in issues)


def test_status_loads_no_heavy_library(memory: Scratch) -> None:
    """Reading commands must start fast."""
    memory.add("One")
    with memory.open() as workspace:
        set_key(workspace, "delete.grace_period_days", 7)
    program = (
        "import os, sys, time\n"
        "from pathlib import Path\n"
        "from gitmem.features.status import health, status\n"
        "from gitmem.features.workspace import Workspace\n"
        "from gitmem.store.store import Store\n"
        "with Store.open(Path(sys.argv[1]), os.environ) as store:\n"
        "    workspace = Workspace(store, time.time)\n"
        "    status(workspace), health(workspace)\n"
        "heavy = {'dulwich', 'pydantic', 'pydantic_core', 'yaml', 'frontmatter', 'click'}\n"
        "sys.exit(' '.join(sorted(heavy & set(sys.modules))) or None)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(memory.repo)],
        env=os.environ,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
