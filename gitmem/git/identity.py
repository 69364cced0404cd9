"""The user's name and mail, as git finds them: environment, then config, then a guess.

Reads the user's and the system's git config besides the repository's; writes nothing, runs
nothing, never asks. The environment is passed in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gitmem.git.configfile import normal_key
from gitmem.git.locate import Location
from gitmem.git.platform import host_name, user_name
from gitmem.git.settings import Condition, Pair, Settings, read_config
from gitmem.model.errors import ConfigError

_SYSTEM_FILES = ("/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig")
_NO = {"", "0", "false", "no", "off"}
_WILD = re.compile(r"\*\*/|/\*\*\Z|\*|\?|\[[^]]+\]|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who writes."""

    name: str
    email: str
    known: bool
    """False: at least a part is guessed from the machine's user and host."""


def identity(location: Location, environ: Mapping[str, str]) -> Identity:
    """The author that git would name here."""
    name = environ.get("GIT_AUTHOR_NAME", "").strip()
    email = environ.get("GIT_AUTHOR_EMAIL", "").strip()
    if not (name and email):
        config = every_setting(location, environ)
        name = name or _first(config, "author.name", "user.name")
        email = email or _first(config, "author.email", "user.email")
        email = email or environ.get("EMAIL", "").strip()
    if name and email:
        return Identity(name, email, known=True)
    user = environ.get("LOGNAME") or environ.get("USER") or environ.get("USERNAME") or user_name()
    return Identity(name or user, email or f"{user}@{host_name()}", known=False)


def _first(config: Settings, *keys: str) -> str:
    return next((value for key in keys if (value := (config.get(key) or "").strip())), "")


def every_setting(location: Location, environ: Mapping[str, str]) -> Settings:
    """Every config that git would read here, the weakest first."""
    home = environ.get("HOME") or environ.get("USERPROFILE")
    condition = _condition(location, home)
    pairs: list[Pair] = []
    for path in _files(location, environ, home):
        pairs += read_config(path, condition)
    return Settings([*pairs, *_from_environment(environ)])


def _files(location: Location, environ: Mapping[str, str], home: str | None) -> Iterator[Path]:
    if environ.get("GIT_CONFIG_NOSYSTEM", "").lower() in _NO:
        system = environ.get("GIT_CONFIG_SYSTEM")
        yield from map(Path, (system,) if system is not None else _SYSTEM_FILES)
    user = environ.get("GIT_CONFIG_GLOBAL")
    if user is not None:
        yield Path(user)
    elif home:
        yield Path(environ.get("XDG_CONFIG_HOME") or Path(home, ".config")) / "git" / "config"
        yield Path(home) / ".gitconfig"
    yield location.common_dir / "config"
    if location.settings.get_bool("extensions.worktreeconfig", False):
        yield location.git_dir / "config.worktree"


def _from_environment(environ: Mapping[str, str]) -> Iterator[Pair]:
    """What `git -c` and its kin pass on to programs that git starts."""
    count = environ.get("GIT_CONFIG_COUNT", "")
    for number in range(int(count) if count.isdecimal() and len(count) < 4 else 0):
        key = environ.get(f"GIT_CONFIG_KEY_{number}")
        value = environ.get(f"GIT_CONFIG_VALUE_{number}")
        if key is not None and value is not None:
            try:
                yield normal_key(key), value
            except ConfigError:
                continue


def _condition(location: Location, home: str | None) -> Condition:
    """Whether an `includeIf "gitdir:PATTERN"` counts for this repository; other kinds don't."""
    git_dir = location.git_dir.as_posix()

    def counts(text: str, file: Path) -> bool:
        kind, _, pattern = text.partition(":")
        if kind not in ("gitdir", "gitdir/i"):
            return False
        if pattern.startswith("~/") and home:
            pattern = Path(home).resolve().as_posix() + pattern[1:]
        elif pattern.startswith("./"):
            pattern = file.parent.resolve().as_posix() + pattern[1:]
        elif not Path(pattern).is_absolute():
            pattern = f"**/{pattern}"
        if pattern.endswith("/"):
            pattern += "**"
        flags = re.IGNORECASE if kind == "gitdir/i" else 0
        return re.fullmatch(_regex(pattern), git_dir, flags | re.DOTALL) is not None

    return counts


def _regex(pattern: str) -> str:
    """git's wildcard pattern as a regular expression: `*` stops at a slash, `**` doesn't."""
    known = {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}
    parts = []
    for piece in _WILD.findall(pattern):
        if len(piece) > 2 and piece[0] == "[":
            negated = piece[1] in "!^"
            inside = piece[2 if negated else 1 : -1].replace("\\", "\\\\").replace("[", "\\[")
            parts.append(f"[{'^' if negated else ''}{inside}]")
        else:
            parts.append(known.get(piece, re.escape(piece)))
    return "".join(parts)
