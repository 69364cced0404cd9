"""Nothing here waits for the disk; tests/faults does."""

from __future__ import annotations

from tests.store.kit import unsynced as unsynced
