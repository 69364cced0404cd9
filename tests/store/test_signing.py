"""Commits are signed when the repository's git config asks for it, and never in a hook."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from gitmem.model.errors import PreconditionError

from tests.helpers import git, rev
from tests.store.kit import Memory, new_memory


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return new_memory(tmp_path / "repo")


def _ask_for_signatures(memory: Memory, key: Path) -> Memory:
    git(memory.repo, "config", "gitmem.sign", "true")
    git(memory.repo, "config", "gpg.format", "ssh")
    git(memory.repo, "config", "user.signingKey", str(key))
    return memory.reopened()


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="signing with ssh needs ssh-keygen")
def test_a_signed_commit_is_one_that_git_verifies(memory: Memory, tmp_path: Path) -> None:
    key = tmp_path / "key"
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    allowed = tmp_path / "allowed"
    allowed.write_text(f"writer@example.org {key.with_suffix('.pub').read_text()}")
    signing = _ask_for_signatures(memory, key)
    commit = signing.add("Signed by hand").commit
    git(memory.repo, "-c", f"gpg.ssh.allowedSignersFile={allowed}", "verify-commit", commit)


def test_a_key_that_cannot_sign_refuses_the_write_and_changes_nothing(
    memory: Memory, tmp_path: Path
) -> None:
    before = memory.tip
    signing = _ask_for_signatures(memory, tmp_path / "missing")
    with pytest.raises(PreconditionError):
        signing.add("Never written")
    assert rev(memory.repo, "memory") == before


def test_a_hook_never_signs(memory: Memory, tmp_path: Path) -> None:
    signing = _ask_for_signatures(memory, tmp_path / "missing")
    signing.workspace.actor = "hook:stop"
    assert "gpgsig" not in git(memory.repo, "cat-file", "commit", signing.add("Unsigned").commit)
