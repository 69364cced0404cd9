"""The store's configuration: get, set, list. It is versioned with the entries and synced."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gitmem.features.workspace import Workspace
from gitmem.model.config import all_keys, check_value, row_of

if TYPE_CHECKING:
    from gitmem.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class SetKey:
    """A key that was set, and the commit that did it."""

    key: str
    value: Any
    commit: str
    status: str = "set"
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "key": self.key,
            "value": self.value,
            "commit": self.commit,
            "warnings": list(self.warnings),
        }


def get_key(workspace: Workspace, key: str, at: str | None = None) -> Any:
    """The value that counts: the store's, else the default. ConfigError for an unknown key."""
    return workspace.snapshot(at).config.get(key)


def set_key(workspace: Workspace, key: str, value: object, reason: str = "") -> SetKey:
    """Set a key; text is read as the key's type."""
    # Imported here: reading a key needs nothing of what writes.
    from gitmem.features.write.reason import checked_reason
    from gitmem.features.write.secrets import refuse_secrets
    from gitmem.store.ops.moves import Unchanged
    from gitmem.store.ops.settings import set_key as set_key_change

    checked = check_value(key, value)
    told = checked_reason(reason)
    refuse_secrets([("reason", told), (key, str(checked))])

    def plan(txn: Transaction) -> SetKey:
        change = set_key_change(txn, key, checked, told)
        if isinstance(change, Unchanged):
            return SetKey(key, checked, txn.commit or "", change.status)
        return SetKey(key, checked, txn.apply(change).commit)

    answer, written = workspace.write(plan)
    return replace(answer, warnings=written.warnings)


def list_keys(workspace: Workspace, at: str | None = None) -> list[dict[str, Any]]:
    """Every key with its value, its default and what it is for."""
    config = workspace.snapshot(at).config
    listed = []
    for key in all_keys(config.categories()):
        row = row_of(key)
        if row is not None:
            listed.append(
                {
                    "key": key,
                    "value": config.get(key),
                    "default": row.default,
                    "is_set": key in config.raw,
                    "purpose": row.purpose,
                }
            )
    return listed
