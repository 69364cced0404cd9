"""The rows of the design's "Numbers to reach", one file each; `scripts/bench` runs them."""

from __future__ import annotations

MODULES: dict[str, str] = {
    "write": "benchmarks.write",
    "scale": "benchmarks.scale",
    "import": "benchmarks.bulk_import",
    "history": "benchmarks.history",
    "startup": "benchmarks.startup",
    "recall": "benchmarks.recall",
    "writers": "benchmarks.writers",
    "disk": "benchmarks.disk",
}
"""Name of a row to the module that measures it; to add one, write the file and list it here."""
