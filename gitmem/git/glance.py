"""Where the memory of a folder is and at which commit it stands, found with `os` alone.

For the hook that runs on every prompt: imports nothing that is slow to start, reads a handful of
small files as bytes. It only answers what is certain; whatever is unusual (another format of
repository, settings in included files, a damaged ref) raises `Unusual`, and the caller opens the
store as everybody else does. Changes nothing.
"""

from __future__ import annotations

import os

_HEX = frozenset("0123456789abcdef")
_MEMORY = ("refs/heads/memory", "refs/gitmem/memory")
_LINKS = 5
_REMOTES = "refs/remotes/"
_UNUSUAL = (b"include", b"objectformat", b"refstorage", b"worktreeconfig")
"""What in a config file is a reason to have it read in earnest."""


class Unusual(Exception):
    """It takes the full rules of git to answer."""


class Glance:
    """A repository whose memory was found."""

    __slots__ = ("common_dir", "git_dir", "ref", "tip", "work_tree")

    def __init__(
        self, git_dir: str, common_dir: str, work_tree: str | None, ref: str, tip: str
    ) -> None:
        self.git_dir = git_dir
        self.common_dir = common_dir
        self.work_tree = work_tree
        self.ref = ref
        self.tip = tip

    @property
    def root(self) -> str:
        """Where commands that work on this repository start."""
        return self.work_tree or self.git_dir

    @property
    def folder(self) -> str:
        """Where gitmem keeps what isn't versioned."""
        return os.path.join(self.common_dir, "gitmem")  # noqa: PTH118 - no pathlib here


def repository_of(start: str) -> str | None:
    """The folder at or above `start` that holds `.git`, or is a bare repository itself."""
    folder = os.path.realpath(start)
    while True:
        if _exists(f"{folder}/.git") or _is_git_dir(folder):
            return folder
        parent = folder.rpartition("/")[0] or "/"
        if parent == folder or "/" not in folder:
            return None
        folder = parent


def glance(root: str) -> Glance | None:
    """The memory of the repository at `root`; None where there is none."""
    work_tree: str | None = root
    git_dir = f"{root}/.git"
    pointer = None if _is_git_dir(git_dir) else _read(git_dir)
    if pointer is not None:
        if not pointer.startswith(b"gitdir: "):
            raise Unusual
        git_dir = _joined(root, pointer[len(b"gitdir: ") :])
    elif not _is_git_dir(git_dir):
        git_dir, work_tree = root, None
    common = _read(f"{git_dir}/commondir")
    common_dir = git_dir if common is None else _joined(git_dir, common)
    settings = _read(f"{common_dir}/config") or b""
    if not _exists(f"{common_dir}/objects") or any(word in settings.lower() for word in _UNUSUAL):
        raise Unusual
    if pointer is None and b"worktree" in settings.lower():
        raise Unusual
    named = _named_ref(settings)
    for ref in (named,) if named else (*_MEMORY, *_remote_refs(common_dir)):
        tip = read_tip(common_dir, ref)
        if tip is not None:
            return Glance(git_dir, common_dir, work_tree, ref, tip)
    return None


def read_tip(common_dir: str, ref: str) -> str | None:
    """The commit that a ref stands at; None where there is no such ref."""
    for _ in range(_LINKS):
        data = _read(f"{common_dir}/{ref}")
        if data is None:
            return _packed(common_dir, ref)
        text = data.decode("utf-8", "surrogateescape").strip()
        if is_hash(text):
            return text
        ref = text.removeprefix("ref:").strip()
        if not text.startswith("ref:") or not ref.startswith("refs/") or ".." in ref:
            break
    raise Unusual


def code_head(git_dir: str, common_dir: str) -> tuple[str, str]:
    """The code's commit and branch: "" for an unborn branch or a detached head."""
    text = (_read(f"{git_dir}/HEAD") or b"").decode("utf-8", "surrogateescape").strip()
    if not text.startswith("ref:"):
        return (text if is_hash(text) else ""), ""
    ref = text[len("ref:") :].strip()
    if not ref.startswith("refs/") or ".." in ref:
        return "", ""
    return read_tip(common_dir, ref) or "", ref.removeprefix("refs/heads/")


def is_hash(text: str) -> bool:
    return len(text) == 40 and _HEX.issuperset(text)


def _named_ref(settings: bytes) -> str:
    """`gitmem.ref` as a full name; "" where it isn't set."""
    found, inside = b"", False
    for line in settings.split(b"\n") if b"gitmem" in settings.lower() else ():
        text = line.strip()
        if text.startswith(b"["):
            inside = text.lower() == b"[gitmem]"
            if text.lower().startswith(b"[gitmem") and not inside:
                raise Unusual
        elif inside:
            name, equals, value = text.partition(b"=")
            if equals and name.strip().lower() == b"ref":
                found = value.strip()
    if not found:
        return ""
    ref = found.decode("utf-8", "surrogateescape")
    # Quotes, comments and escapes have rules of their own.
    if not all(character.isalnum() or character in "/-_." for character in ref) or ".." in ref:
        raise Unusual
    return ref if ref.startswith("refs/") else f"refs/heads/{ref}"


def _remote_refs(common_dir: str) -> list[str]:
    """Where remotes may have a memory, origin first."""
    try:
        names = set(os.listdir(f"{common_dir}/refs/remotes"))  # noqa: PTH208
    except OSError:
        names = set()
    for line in (_read(f"{common_dir}/packed-refs") or b"").split(b"\n"):
        if line.endswith(b"/memory") and line[41:].startswith(_REMOTES.encode()):
            names.add(os.fsdecode(line[41 + len(_REMOTES) : -len(b"/memory")]))
    return [f"{_REMOTES}{name}/memory" for name in sorted(names, key=_origin_first)]


def _origin_first(name: str) -> tuple[bool, str]:
    return name != "origin", name


def _packed(common_dir: str, ref: str) -> str | None:
    data = _read(f"{common_dir}/packed-refs")
    if not data:
        return None
    name = b" " + ref.encode("utf-8", "surrogateescape") + b"\n"
    at = data.find(name)
    if at < 40 or (at > 40 and data[at - 41 : at - 40] != b"\n"):
        return None
    text = data[at - 40 : at].decode("ascii", "replace")
    return text if is_hash(text) else None


def _joined(base: str, data: bytes) -> str:
    text = os.fsdecode(data.rstrip(b"\r\n"))
    return os.path.normpath(os.path.join(base, text))  # noqa: PTH118


def _is_git_dir(path: str) -> bool:
    return (_exists(f"{path}/HEAD") and _exists(f"{path}/objects")) or _exists(f"{path}/commondir")


def _exists(path: str) -> bool:
    try:
        os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return False
    return True


def _read(path: str) -> bytes | None:
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError):
        return None
    try:
        parts = []
        while part := os.read(fd, 1 << 20):
            parts.append(part)
        return b"".join(parts)
    except OSError:
        return None
    finally:
        os.close(fd)
