"""A repository with a memory, and hooks run on it as the client runs them: one process each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.features.scratch import Scratch, scratch
from tests.helpers import git

PROMPT = "which database does the reporting service use?"


@dataclass(frozen=True, slots=True)
class Ended:
    """A hook that has run."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """The entries of its blocks."""
        return [line for line in self.out.splitlines() if line.startswith("- [")]


@dataclass
class Hooks:
    """Runs hooks in a repository."""

    memory: Scratch

    @property
    def repo(self) -> Path:
        return self.memory.repo

    def call(self, event: str, fields: Mapping[str, Any] | bytes, **environ: str) -> Ended:
        """One hook; `fields` are put on its standard input as JSON, bytes as they are."""
        data = fields if isinstance(fields, bytes) else json.dumps(fields).encode()
        done = subprocess.run(
            [sys.executable, "-P", "-m", "gitmem", "hook", event],
            input=data,
            cwd=self.repo,
            # How fast this machine is, is no matter here.
            env={**os.environ, "GITMEM_HOOK_SECONDS": "60", **environ},
            capture_output=True,
            check=False,
        )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    def prompt(self, text: str = PROMPT, session: str = "s-1", **more: Any) -> Ended:
        given = {"session_id": session, "cwd": str(self.repo), "prompt": text, **more}
        return self.call("user-prompt-submit", given)

    def start(self, session: str = "s-2", source: str = "startup") -> Ended:
        given = {"session_id": session, "cwd": str(self.repo), "source": source}
        return self.call("session-start", given)

    def end(self, session: str = "s-1") -> Ended:
        given = {"session_id": session, "cwd": str(self.repo), "reason": "other"}
        return self.call("session-end", given)

    def usage_commits(self) -> list[str]:
        """The usage commits, oldest first."""
        found = git(
            self.repo, "log", "--reverse", "--format=%H", "--grep=^Gitmem-Op: usage", "memory"
        )
        return found.split()

    def trailer(self, commit: str, name: str) -> list[str]:
        shown = git(self.repo, "log", "-1", f"--format=%(trailers:key={name},valueonly)", commit)
        return shown.splitlines()


def hooks(path: Path, *, view: bool = False) -> Hooks:
    """A memory with some entries, two of them about the database."""
    memory = scratch(path, view=view)
    memory.add("The reporting service uses PostgreSQL as its database", body="Version 16.")
    memory.add("Deploys happen on Tuesdays", body="Never on Fridays.")
    memory.add("The office plant wants water twice a week", body="Ask Kim.")
    return Hooks(memory)
