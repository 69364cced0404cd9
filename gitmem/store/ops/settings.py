"""config: one key of config.json, one commit."""

from __future__ import annotations

from gitmem.model.config import Config
from gitmem.store.change import Change
from gitmem.store.layout import CONFIG_PATH
from gitmem.store.ops.moves import Unchanged
from gitmem.store.transaction import Transaction


def set_key(txn: Transaction, key: str, value: object, reason: str = "") -> Change | Unchanged:
    """The commit that sets a key. An unknown key or a wrong value is refused."""
    old = txn.snapshot.config
    new = old.with_value(key, value)
    if new.raw == old.raw:
        return Unchanged("already_set")
    return config_change("config", new, key, reason)


def config_change(op: str, config: Config, subject: str, reason: str = "") -> Change:
    """The commit that writes a whole config.json."""
    return Change(op=op, files={CONFIG_PATH: config.to_bytes()}, subject=subject, reason=reason)
