"""What differs between operating systems, in one place: locks, fsync, links, processes.

Every POSIX-only call has its Windows form beside it. Nothing here knows git or gitmem; errors
are the operating system's own (OSError), except that a lock which stays taken is `Locked`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from pathlib import Path

from gitmem.model.errors import Locked

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# The kernel drops a flock with its process, so a taken one belongs to somebody alive: wait long.
LOCK_TIMEOUT = 60.0
_FIRST_PAUSE = 0.0005
_LONGEST_PAUSE = 0.02
_NO_LOCKS_HERE = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL}
_NO_LINKS_HERE = {errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EXDEV, errno.EMLINK}


class FileLock:
    """An exclusive lock on a file that is never deleted; it ends with the process at the latest.

    On a file system without such locks `held` stays False and the caller works without: the
    lock saves work, correctness never rests on it (I4).
    """

    def __init__(self, path: Path, mode: int = 0o666) -> None:
        self.path = path
        self.held = False
        self._mode = mode
        self._fd: int | None = None

    def acquire(self, timeout: float = LOCK_TIMEOUT) -> None:
        """Take the lock; wait at most `timeout` seconds, then raise Locked."""
        fd = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), self._mode)
        try:
            self.held = self._wait(fd, timeout)
        except BaseException:
            os.close(fd)
            raise
        self._fd = fd

    def _wait(self, fd: int, timeout: float) -> bool:
        deadline = time.monotonic() + timeout
        pause = _FIRST_PAUSE
        while True:
            try:
                _lock_now(fd)
                return True
            except OSError as error:
                if error.errno in _NO_LOCKS_HERE:
                    return False
                if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
                    raise
            if time.monotonic() >= deadline:
                raise Locked(
                    f"another gitmem has held {self.path} for more than {timeout:g} s",
                    fix="wait for it to finish, then try again",
                    path=str(self.path),
                )
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def release(self) -> None:
        """Let the lock go; does nothing if it isn't taken."""
        fd, self._fd, self.held = self._fd, None, False
        if fd is not None:
            os.close(fd)


if sys.platform == "win32":

    def _lock_now(fd: int) -> None:
        os.lseek(fd, 0, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)

    def fsync_file(fd: int) -> None:
        """Return when what was written to `fd` is on the disk."""
        os.fsync(fd)

    def fsync_dir(path: Path) -> None:
        """Windows has no such call: NTFS journals renames itself."""

    def process_alive(pid: int) -> bool:
        """Does a process of this number run on this machine?"""
        import ctypes

        still_active, query_limited = 259, 0x1000
        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(query_limited, False, pid)
        if not handle:
            return False
        code = ctypes.c_ulong()
        kernel.GetExitCodeProcess(handle, ctypes.byref(code))
        kernel.CloseHandle(handle)
        return code.value == still_active

    def host_name() -> str:
        """The name of this machine."""
        return os.environ.get("COMPUTERNAME", "localhost")

    def user_name() -> str:
        """The name this user logs in by."""
        return os.environ.get("USERNAME", "unknown")

else:

    def _lock_now(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def fsync_file(fd: int) -> None:
        """Return when what was written to `fd` is on the disk."""
        if sys.platform == "darwin":
            # A plain fsync leaves the data in the drive's cache there.
            with contextlib.suppress(OSError):
                fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
                return
        os.fsync(fd)

    def fsync_dir(path: Path) -> None:
        """Make names in a folder durable: a rename alone may be lost on a power cut."""
        fd = os.open(path, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def process_alive(pid: int) -> bool:
        """Does a process of this number run on this machine? A zombie doesn't."""
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):
            return False
        except PermissionError:
            return True
        try:
            stat = Path(f"/proc/{pid}/stat").read_bytes()
        except OSError:
            return True
        return stat.rpartition(b")")[2].split()[:1] not in ([b"Z"], [b"X"])

    def host_name() -> str:
        """The name of this machine."""
        return os.uname().nodename

    def user_name() -> str:
        """The name this user logs in by."""
        import pwd

        try:
            return pwd.getpwuid(os.getuid()).pw_name
        except KeyError:
            # A container may run under a number that nobody named.
            return "unknown"


def write_all(fd: int, data: bytes | bytearray) -> None:
    """Write everything: a full disk may take a part first and complain at the next call."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def hard_link(existing: Path, name: Path) -> bool:
    """Give a file a second name. False: this file system has no hard links.

    FileExistsError when the name is taken: that is what makes it a lock.
    """
    try:
        os.link(existing, name)
    except OSError as error:
        if error.errno in _NO_LINKS_HERE and not isinstance(error, FileExistsError):
            return False
        raise
    return True


def same_file(one: Path, other: Path) -> bool:
    """Are these two names of one existing file?"""
    try:
        a, b = one.stat(), other.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return (a.st_ino, a.st_dev) == (b.st_ino, b.st_dev)


def remove_file(path: Path) -> bool:
    """Delete a file if it is there; also a read-only one, which Windows refuses at first."""
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except PermissionError:
        if sys.platform == "win32":
            path.chmod(0o666)
            path.unlink()
        else:
            raise
    return True
