"""The one tree of errors: each class owns its code and its exit code (CLI.md "General").

    GitmemError
      ValidationError  MergeError  OccConflict  PathError  AntiResurrectionError
      UpdateError  DeleteError  ArchiveError  UnarchiveError  RestoreError
      InputError  SecurityError  NotFound  Ambiguous  SecretFound  NotAStore
      ConfigError  SyncError  PreconditionError  UsageError
      Corrupt  ReadError  WriteError           the store is damaged or can't be read or written
      Locked                                   somebody else holds it
      Interrupted

Errors are raised where the fact is known and caught at a front end. A message says what is
wrong, `fix` says what to do next; neither ever names a command that destroys something.
"""

from __future__ import annotations

from typing import Any, ClassVar


class GitmemError(Exception):
    """An error that gitmem can explain. The base class stands for a bug: INTERNAL_ERROR."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        expected: object = None,
        got: object = None,
        fix: str | None = None,
        **details: Any,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.expected = expected
        self.got = got
        self.fix = fix
        self.details = details

    def to_json(self) -> dict[str, Any]:
        """The object that `--json` prints under "error"; absent facts are left out."""
        known = {
            "code": self.code,
            "message": self.message,
            "field": self.field,
            "expected": self.expected,
            "got": self.got,
            "fix": self.fix,
            **self.details,
        }
        return {key: value for key, value in known.items() if value is not None}


class ValidationError(GitmemError):
    """A value breaks a rule of its field."""

    code = "VALIDATION_ERROR"


class MergeError(GitmemError):
    """An update would take away what updates may not take away (tags, related files)."""

    code = "MERGE_ERROR"


class OccConflict(GitmemError):
    """The entry differs between the commit that the writer saw and the tip."""

    code = "OCC_CONFLICT"
    exit_code = 3


class PathError(GitmemError):
    """A path or address that leads out of the store."""

    code = "PATH_ERROR"


class AntiResurrectionError(GitmemError):
    """A create under the slug of an entry that was retired less than 24 hours ago."""

    code = "ANTI_RESURRECTION_ERROR"


class UpdateError(GitmemError):
    """An update that can't be made: nothing changes, or the entry isn't active."""

    code = "UPDATE_ERROR"


class DeleteError(GitmemError):
    """A retire that can't be made."""

    code = "DELETE_ERROR"


class ArchiveError(GitmemError):
    """An archive that can't be made."""

    code = "ARCHIVE_ERROR"


class UnarchiveError(GitmemError):
    """An unarchive that can't be made."""

    code = "UNARCHIVE_ERROR"


class RestoreError(GitmemError):
    """A restore that can't be made."""

    code = "RESTORE_ERROR"


class InputError(GitmemError):
    """Input that isn't what the command reads: no JSON, no object, not UTF-8."""

    code = "INPUT_ERROR"


class SecurityError(GitmemError):
    """Something that only an attacker or a mistake would ask for."""

    code = "SECURITY_ERROR"


class NotFound(GitmemError):
    """No entry, commit or file of that name."""

    code = "NOT_FOUND"


class Ambiguous(GitmemError):
    """A short name that fits several entries."""

    code = "AMBIGUOUS"


class SecretFound(GitmemError):
    """A secret in what is to be written; the value itself is never repeated."""

    code = "SECRET_FOUND"


class NotAStore(GitmemError):
    """No git repository here, or one without a memory branch."""

    code = "NOT_A_STORE"


class ConfigError(GitmemError):
    """A config key that doesn't exist, or a value that it can't take."""

    code = "CONFIG_ERROR"


class SyncError(GitmemError):
    """A remote that can't be reached or doesn't take what we send."""

    code = "SYNC_ERROR"


class PreconditionError(GitmemError):
    """Something must be done first."""

    code = "PRECONDITION_ERROR"


class UsageError(GitmemError):
    """The command line itself is wrong."""

    code = "USAGE_ERROR"
    exit_code = 2


class Corrupt(GitmemError):
    """An object or file of the store is damaged or missing."""

    code = "CORRUPT"
    exit_code = 4


class ReadError(GitmemError):
    """The operating system refuses to read."""

    code = "READ_ERROR"
    exit_code = 4


class WriteError(GitmemError):
    """The operating system refuses to write: disk full, read-only, no right."""

    code = "WRITE_ERROR"
    exit_code = 4


class Locked(GitmemError):
    """Another process holds a lock for longer than we wait."""

    code = "LOCKED"
    exit_code = 5


class Interrupted(GitmemError):
    """Ctrl-C; what was reported as done is done."""

    code = "INTERRUPTED"
    exit_code = 130
