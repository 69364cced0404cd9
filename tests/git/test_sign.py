"""Commits signed as git signs them, checked by git.

The ssh half needs `ssh-keygen`, the OpenPGP half `gpg`: where one of them isn't installed, only
its tests do without it, by checking that its absence is explained.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from gitmem.git.commits import Signature, commit_data
from gitmem.git.sign import sign
from gitmem.model.errors import PreconditionError

from tests.helpers import fsck, git, run_git

PERSON = Signature("A. Person", "person@example.org", 1_700_000_000, 0)
WHO = "A. Person <person@example.org>"


def make_key(folder: Path, passphrase: str = "") -> Path:
    key = folder / "key"
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "test", "-f", str(key)],
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return key


def commit_signed(repo: Path, settings: dict[str, str]) -> str:
    tree = git(repo, "mktree", data="")
    plain = commit_data(tree, [], PERSON, PERSON, b"signed\n")
    signature = sign(plain, settings.get, WHO)
    signed = commit_data(tree, [], PERSON, PERSON, b"signed\n", signature)
    return git(repo, "hash-object", "-t", "commit", "-w", "--stdin", data=signed)


@pytest.mark.parametrize("named", ["by its file", "by its public half"])
def test_git_verifies_what_ssh_signed(repo: Path, tmp_path: Path, named: str) -> None:
    """Uses ssh-keygen where shutil.which finds it."""
    if shutil.which("ssh-keygen") is None:
        return explains_a_missing_program("ssh", "ssh-keygen")
    key = make_key(tmp_path)
    name = str(key) if named == "by its file" else f"{key}.pub"
    commit = commit_signed(repo, {"gpg.format": "ssh", "user.signingKey": name})
    allowed = tmp_path / "allowed"
    allowed.write_text(f"person@example.org {key.with_suffix('.pub').read_text()}")
    git(repo, "config", "gpg.ssh.allowedSignersFile", str(allowed))
    assert run_git(repo, ["verify-commit", commit]).returncode == 0
    git(repo, "update-ref", "refs/heads/memory", commit)
    assert fsck(repo) == ""
    return None


def test_a_key_behind_a_passphrase_is_an_error_not_a_prompt(tmp_path: Path) -> None:
    """Uses ssh-keygen where shutil.which finds it."""
    if shutil.which("ssh-keygen") is None:
        return explains_a_missing_program("ssh", "ssh-keygen")
    key = make_key(tmp_path, "a secret passphrase")
    with pytest.raises(PreconditionError, match="can't be signed") as caught:
        sign(b"x", {"gpg.format": "ssh", "user.signingKey": str(key)}.get, WHO)
    assert "agent" in (caught.value.fix or "")
    return None


def test_git_verifies_what_gpg_signed(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Uses gpg where shutil.which finds it. The key is chosen by the committer, as in git."""
    if shutil.which("gpg") is None:
        return explains_a_missing_program("openpgp", "gpg")
    # A socket's path may not be long, and pytest's folders are.
    with tempfile.TemporaryDirectory(prefix="gpg", ignore_cleanup_errors=True) as home:
        monkeypatch.setenv("GNUPGHOME", home)
        made = subprocess.run(
            ["gpg", "--batch", "--passphrase", "", "--quick-generate-key", WHO, "ed25519", "sign"],
            capture_output=True,
            check=False,
        )
        assert made.returncode == 0, made.stderr
        try:
            commit = commit_signed(repo, {})
            assert run_git(repo, ["verify-commit", commit]).returncode == 0
            with pytest.raises(PreconditionError, match="can't be signed"):
                sign(b"x", {"user.signingKey": "nobody@example.org"}.get, WHO)
        finally:
            subprocess.run(["gpgconf", "--kill", "all"], check=False)
    return None


def explains_a_missing_program(kind: str, program: str) -> None:
    with pytest.raises(PreconditionError, match=program):
        sign(b"x", {"gpg.format": kind, "user.signingKey": "key"}.get, WHO)


@pytest.mark.parametrize(
    "settings",
    [
        {"gpg.format": "rot13"},
        {"gpg.format": "ssh"},
        {"gpg.program": "no-such-program"},
        {"gpg.format": "x509", "gpg.x509.program": "no-such-program"},
        {"gpg.program": sys.executable},
    ],
)
def test_what_cannot_sign_is_explained(settings: dict[str, str]) -> None:
    with pytest.raises(PreconditionError) as caught:
        sign(b"x", settings.get, WHO)
    assert caught.value.fix


def test_a_program_that_fails_is_quoted(tmp_path: Path) -> None:
    program = tmp_path / "gpg"
    program.write_text(
        "#!/bin/sh\necho '[GNUPG:] BEGIN_SIGNING' >&2\necho 'card is out' >&2\nexit 2\n"
    )
    program.chmod(0o755)
    with pytest.raises(PreconditionError, match="card is out"):
        sign(b"x", {"gpg.program": str(program)}.get, WHO)


def test_a_program_that_signs_nothing_is_not_believed(tmp_path: Path) -> None:
    program = tmp_path / "gpg"
    program.write_text("#!/bin/sh\necho not a signature\n")
    program.chmod(0o755)
    with pytest.raises(PreconditionError):
        sign(b"x", {"gpg.program": str(program)}.get, WHO)
