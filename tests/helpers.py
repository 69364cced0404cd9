"""What every test may use: the real git in a clean environment, and scratch repositories.

Nothing here reads the user's home, git configuration or clock: dates and people are fixed, so
that hashes are the same everywhere.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

MEMORY = "refs/heads/memory"
PERSON = {
    "GIT_AUTHOR_NAME": "A. Person",
    "GIT_AUTHOR_EMAIL": "person@example.org",
    "GIT_AUTHOR_DATE": "1700000000 +0000",
    "GIT_COMMITTER_NAME": "A. Person",
    "GIT_COMMITTER_EMAIL": "person@example.org",
    "GIT_COMMITTER_DATE": "1700000000 +0000",
}
FileMap = Mapping[str, bytes | str | None]
"""Path to content; None takes the file away."""


def git_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment git runs in: the fixture's home, no user configuration, a fixed person."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    return {
        **kept,
        "GIT_CONFIG_GLOBAL": os.environ.get("GIT_CONFIG_GLOBAL", os.devnull),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
        **PERSON,
        **(extra or {}),
    }


def run_git(
    repo: Path,
    arguments: Sequence[str],
    *,
    data: bytes | str | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run git in `repo`, whatever it answers."""
    return subprocess.run(
        ["git", *arguments],
        cwd=repo,
        input=(data.encode() if isinstance(data, str) else data) or b"",
        env=git_environment(env),
        capture_output=True,
        check=False,
    )


def git_bytes(
    repo: Path,
    *arguments: str,
    data: bytes | str | None = None,
    env: Mapping[str, str] | None = None,
) -> bytes:
    """What git prints, to the byte. AssertionError with its complaint when it fails."""
    done = run_git(repo, arguments, data=data, env=env)
    complaint = done.stderr.decode(errors="replace")
    assert done.returncode == 0, f"git {' '.join(arguments)}: {done.returncode}\n{complaint}"
    return done.stdout


def git(
    repo: Path,
    *arguments: str,
    data: bytes | str | None = None,
    env: Mapping[str, str] | None = None,
) -> str:
    """What git prints, without the last line end. AssertionError when it fails."""
    printed = git_bytes(repo, *arguments, data=data, env=env)
    return printed.decode("utf-8", "surrogateescape").removesuffix("\n")


def git_succeeds(repo: Path, *arguments: str, env: Mapping[str, str] | None = None) -> bool:
    """Does git exit with 0?"""
    return run_git(repo, arguments, env=env).returncode == 0


def make_repository(path: Path, *options: str, bare: bool = False) -> Path:
    """A fresh repository on the unborn branch main; options go to `git init`."""
    path.mkdir(parents=True, exist_ok=True)
    git(path, "init", "-q", "-b", "main", *(["--bare"] if bare else []), *options, ".")
    return path


def commit_files(
    repo: Path,
    files: FileMap,
    message: str = "a change",
    *,
    ref: str = MEMORY,
    time: int = 1_700_000_000,
) -> str:
    """One commit on `ref` by `git fast-import`, beside work tree and index; its hash."""
    old = rev(repo, ref)
    text = message.encode()
    lines = [
        b"commit " + ref.encode(),
        b"mark :1",
        f"committer {PERSON['GIT_COMMITTER_NAME']} <{PERSON['GIT_COMMITTER_EMAIL']}>".encode()
        + f" {time} +0000".encode(),
        b"data %d\n%s" % (len(text), text),
        *([b"from " + old.encode()] if old else []),
    ]
    for path, content in files.items():
        name = path.encode("utf-8", "surrogateescape")
        quoted = b'"%s"' % name.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
        if content is None:
            lines.append(b"D " + quoted)
        else:
            data = content.encode() if isinstance(content, str) else content
            lines.append(b"M 100644 inline %s\ndata %d\n%s" % (quoted, len(data), data))
    lines += [b"get-mark :1", b"done"]
    return git(repo, "fast-import", "--quiet", "--done", data=b"\n".join(lines) + b"\n")


def rev(repo: Path, name: str) -> str | None:
    """The hash a name stands for, or None."""
    done = run_git(repo, ["rev-parse", "--verify", "--quiet", name])
    return done.stdout.decode().strip() if done.returncode == 0 else None


def fsck(repo: Path) -> str:
    """What `git fsck --strict` complains about; empty for a clean repository."""
    done = run_git(repo, ["fsck", "--strict", "--full", "--no-dangling", "--no-progress"])
    said = (done.stdout + done.stderr).decode(errors="replace")
    lines = [line for line in said.splitlines() if not line.startswith("notice: ")]
    if done.returncode and not lines:
        lines = [f"git fsck exits with {done.returncode}"]
    return "\n".join(lines)
