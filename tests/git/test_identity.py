"""The author is the one that git itself would name."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from gitmem.git.identity import identity
from gitmem.git.locate import locate

from tests.helpers import git

Environment = dict[str, str]


@pytest.fixture
def environ(clean_environment: Path) -> Environment:
    """A home and nothing else."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(clean_environment),
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C",
    }


def by_git(repo: Path, environ: Environment) -> tuple[str, str]:
    """Name and mail as `git var` answers in exactly this environment."""
    done = subprocess.run(
        ["git", "var", "GIT_AUTHOR_IDENT"], cwd=repo, env=environ, capture_output=True, check=True
    )
    found = re.match(r"(.*) <(.*)> \d+ [+-]\d{4}$", done.stdout.decode().strip())
    assert found is not None
    return found[1], found[2]


def check(repo: Path, environ: Environment, name: str, email: str) -> None:
    found = identity(locate(repo), environ)
    assert (found.name, found.email) == (name, email) == by_git(repo, environ)
    assert found.known


def test_the_strongest_place_counts(repo: Path, environ: Environment) -> None:
    home = Path(environ["HOME"])
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/config").write_text("[user]\nname = Xdg\nemail = x@d\n")
    check(repo, environ, "Xdg", "x@d")
    (home / ".gitconfig").write_text("[user]\nname = Home ü\n")
    check(repo, environ, "Home ü", "x@d")
    git(repo, "config", "user.email", "re@po")
    check(repo, environ, "Home ü", "re@po")
    git(repo, "config", "author.name", "Author")
    check(repo, environ, "Author", "re@po")
    counted = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "author.email"}
    environ |= counted | {"GIT_CONFIG_VALUE_0": "c@ounted"}
    check(repo, environ, "Author", "c@ounted")
    environ["GIT_AUTHOR_EMAIL"] = "en@v"
    check(repo, environ, "Author", "en@v")
    environ["GIT_AUTHOR_NAME"] = "Env"
    check(repo, environ, "Env", "en@v")


def test_a_work_tree_may_have_its_own_author(repo: Path, environ: Environment) -> None:
    git(repo, "config", "user.email", "re@po")
    git(repo, "config", "user.name", "Repo")
    git(repo, "config", "extensions.worktreeConfig", "true")
    git(repo, "config", "--worktree", "user.name", "Tree")
    check(repo, environ, "Tree", "re@po")


def test_the_global_file_can_be_another_one(
    repo: Path, environ: Environment, tmp_path: Path
) -> None:
    (Path(environ["HOME"]) / ".gitconfig").write_text("[user]\nname = Home\nemail = h@h\n")
    (tmp_path / "mine").write_text("[user]\nname = Mine\nemail = m@m\n")
    check(repo, environ | {"GIT_CONFIG_GLOBAL": str(tmp_path / "mine")}, "Mine", "m@m")
    found = identity(locate(repo), environ | {"GIT_CONFIG_GLOBAL": os.devnull})
    assert not found.known


def test_the_system_file_counts_unless_told_otherwise(
    repo: Path, environ: Environment, tmp_path: Path
) -> None:
    (tmp_path / "system").write_text("[user]\nname = System\nemail = s@s\n")
    environ["GIT_CONFIG_SYSTEM"] = str(tmp_path / "system")
    assert not identity(locate(repo), environ).known
    for word in ("0", "false"):
        check(repo, environ | {"GIT_CONFIG_NOSYSTEM": word}, "System", "s@s")
    del environ["GIT_CONFIG_NOSYSTEM"]
    check(repo, environ, "System", "s@s")


def test_another_home_for_configuration_is_followed(
    repo: Path, environ: Environment, tmp_path: Path
) -> None:
    (tmp_path / "xdg/git").mkdir(parents=True)
    (tmp_path / "xdg/git/config").write_text("[user]\nname = X\nemail = x@x\n")
    check(repo, environ | {"XDG_CONFIG_HOME": str(tmp_path / "xdg")}, "X", "x@x")


@pytest.mark.parametrize(
    ("condition", "counts"),
    [
        ("gitdir:{parent}/", True),
        ("gitdir:{parent}/**", True),
        ("gitdir:{repo}/.git", True),
        ("gitdir:{repo}", False),
        ("gitdir:repo/", True),
        ("gitdir:rep?/.git", True),
        ("gitdir:r[a-f]po/", True),
        ("gitdir:r[!a-f]po/", False),
        ("gitdir:*/.git", True),
        ("gitdir:REPO/", False),
        ("gitdir/i:REPO/", True),
        ("gitdir:~/", False),
        ("gitdir:**/repo/**", True),
        ("gitdir:", True),
        ("onbranch:main", None),
    ],
)
def test_conditions_on_the_repository_are_judged_as_git_does(
    repo: Path, environ: Environment, condition: str, counts: bool | None
) -> None:
    where = condition.format(repo=repo.resolve(), parent=repo.parent.resolve())
    home = Path(environ["HOME"])
    (home / ".gitconfig").write_text(
        f'[user]\nname = Base\nemail = b@b\n[includeIf "{where}"]\npath = more\n'
    )
    (home / "more").write_text("[user]\nname = Included\n")
    name = "Included" if counts else "Base"
    if counts is None:
        assert identity(locate(repo), environ).name == name
    else:
        check(repo, environ, name, "b@b")


def test_conditions_relative_to_home_and_file(repo: Path, environ: Environment) -> None:
    environ["HOME"] = str(repo.parent)
    for where in ("~/repo/", "./repo/.git"):
        (repo.parent / ".gitconfig").write_text(
            f'[user]\nname = Base\nemail = b@b\n[includeIf "gitdir:{where}"]\npath = more\n'
        )
        (repo.parent / "more").write_text("[user]\nname = Included\n")
        check(repo, environ, "Included", "b@b")


def test_without_any_configuration_the_author_is_a_guess(repo: Path, environ: Environment) -> None:
    found = identity(locate(repo), environ | {"USER": "somebody"})
    assert not found.known
    assert found.name == "somebody"
    assert re.fullmatch(r"somebody@\S+", found.email)
    guessed = identity(locate(repo), environ)
    assert guessed.name
    assert "@" in guessed.email


def test_a_name_alone_is_kept_beside_a_guessed_mail(repo: Path, environ: Environment) -> None:
    git(repo, "config", "user.name", "Only Name")
    found = identity(locate(repo), environ | {"USER": "somebody"})
    assert (found.name, found.known) == ("Only Name", False)
    check(repo, environ | {"EMAIL": "e@mail"}, "Only Name", "e@mail")
