"""Signs commits with the programs that git uses: gpg, gpgsm, ssh-keygen.

Only for whoever asked for it in the config. Never prompts (I8): the program gets no terminal and
no display, and is stopped when it waits for somebody.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from gitmem.model.errors import PreconditionError

TIME_LIMIT = 30.0
_PROGRAMS = {"openpgp": "gpg", "x509": "gpgsm", "ssh": "ssh-keygen"}
_LITERAL_KEYS = ("key::", "ssh-", "ecdsa-", "sk-")
_NO_PROMPTS = ("GPG_TTY", "DISPLAY", "WAYLAND_DISPLAY", "SSH_ASKPASS")


def sign(data: bytes, setting: Callable[[str], str | None], who: str) -> bytes:
    """The signature of a commit's bytes, to be put into its `gpgsig` header.

    `setting` answers for git's config, the user's own included (`user.signingKey` is rarely a
    repository's). `who` (`Name <mail>`) chooses the key where none is named, as in git.
    PreconditionError: it can't be done without a person.
    """
    kind = setting("gpg.format") or "openpgp"
    if kind not in _PROGRAMS:
        raise PreconditionError(
            f"gpg.format in the git config is {kind!r}",
            expected=", ".join(_PROGRAMS),
            got=kind,
            fix="set gpg.format to one of these",
        )
    program = setting(f"gpg.{kind}.program")
    if kind == "openpgp":
        program = program or setting("gpg.program")
    program = os.path.expanduser(program or _PROGRAMS[kind])  # noqa: PTH111
    key = setting("user.signingKey")
    if kind == "ssh":
        return _with_ssh(program, key, data)
    # Other programs than gpg itself are only sure to know what git passes them.
    quiet = ["--batch", "--no-tty", "--pinentry-mode=error"] if kind == "openpgp" else []
    done = _run([program, *quiet, "--status-fd=2", "-bsau", key or who], data)
    if done.returncode or b"\n[GNUPG:] SIG_CREATED " not in b"\n" + done.stderr:
        raise _failed(program, done.stderr)
    return done.stdout.replace(b"\r\n", b"\n")


def _with_ssh(program: str, key: str | None, data: bytes) -> bytes:
    if not key:
        raise PreconditionError(
            "signing with ssh needs a key", fix="set user.signingKey in the git config to its file"
        )
    arguments = [program, "-Y", "sign", "-n", "git", "-f"]
    if not key.startswith(_LITERAL_KEYS):
        # An agent is asked by ssh-keygen itself where the file holds a public key.
        done = _run([*arguments, os.path.expanduser(key)], data)  # noqa: PTH111
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "key.pub"
            path.write_text(key.removeprefix("key::") + "\n", encoding="utf-8")
            done = _run([*arguments, str(path), "-U"], data)
    if done.returncode:
        raise _failed(program, done.stderr)
    return done.stdout.replace(b"\r\n", b"\n")


def _run(command: list[str], data: bytes) -> subprocess.CompletedProcess[bytes]:
    environment = {name: value for name, value in os.environ.items() if name not in _NO_PROMPTS}
    try:
        # A session of its own has no terminal that a program could open to ask.
        return subprocess.run(
            command,
            input=data,
            capture_output=True,
            check=False,
            timeout=TIME_LIMIT,
            env={**environment, "SSH_ASKPASS_REQUIRE": "never", "LC_ALL": "C"},
            start_new_session=True,
        )
    except subprocess.TimeoutExpired as error:
        raise _failed(command[0], b"it gave no answer in time") from error
    except OSError as error:
        raise _failed(command[0], str(error.strerror or error).encode()) from error


def _failed(program: str, complaint: bytes) -> PreconditionError:
    lines = [line for line in complaint.decode(errors="replace").splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith("[GNUPG:]")] or lines
    return PreconditionError(
        f"the commit can't be signed: {program}: {said[-1].strip() if said else 'no reason given'}",
        fix="unlock the key in its agent first, or stop asking gitmem for signatures",
    )
