"""The wheel: built from the checkout, installed elsewhere, it works without the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.helpers import git_environment, make_repository

ROOT = Path(__file__).parents[2]
BUILD = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"


def run(*words: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    # The build backend itself, as `python -m build --no-isolation` would call it.
    name = run(sys.executable, "-c", BUILD, folder, cwd=ROOT).splitlines()[-1]
    return folder / name


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment that holds the wheel; dependencies are borrowed."""
    base = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", base, cwd=base)
    scripts = base / ("Scripts" if os.name == "nt" else "bin")
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", scripts / "python"]
    offline = ["--no-deps", "--no-index", "--quiet", "--disable-pip-version-check"]
    run(*pip, "install", *offline, wheel, cwd=base)
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    own = Path(run(scripts / "python", "-c", code, cwd=base).strip())
    (own / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return scripts


def test_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"gitmem"}
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "gitmem").rglob("*.py")}
    assert modules <= set(names)
    assert "gitmem/py.typed" in names


def test_wheel_holds_every_template(wheel: Path) -> None:
    held = zipfile.ZipFile(wheel)
    for path in (ROOT / "templates").rglob("*"):
        # A file that only keeps its folder in git is no template.
        if path.is_file() and not path.name.startswith("."):
            name = f"gitmem/templates/{path.relative_to(ROOT / 'templates').as_posix()}"
            assert held.read(name) == path.read_bytes()


def test_installed_command_works_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    env = {**git_environment(), "HOME": str(tmp_path)}
    env.pop("PYTHONPATH", None)
    gitmem = installed / "gitmem"
    code = "import gitmem; print(gitmem.__file__)"
    origin = Path(run(installed / "python", "-c", code, cwd=repo, env=env).strip())
    assert origin.is_relative_to(installed.parent)
    assert json.loads(run(gitmem, "--json", "init", cwd=repo, env=env))["status"] == "initialized"
    words = ("add", "note", "--title", "A fact", "--body", "Text.")
    made = json.loads(run(gitmem, "--json", *words, cwd=repo, env=env))
    assert made["warnings"] == []
    assert "title: A fact" in run(gitmem, "show", made["id"], cwd=repo, env=env)
    assert (repo / ".claude/memory/register/notes/a-fact.md").is_file()
    assert run(gitmem, "--version", cwd=repo, env=env).startswith("gitmem ")
