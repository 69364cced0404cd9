"""Runs rows of the benchmarks and prints one table: `python -m benchmarks [--quick] [ROW…]`."""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from benchmarks import MODULES
from benchmarks.measure import FULL, QUICK, Result
from benchmarks.stores import Place


def main(arguments: Sequence[str]) -> int:
    """0: all goals were met; 1: some were not."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(MODULES))
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    parser.add_argument("--scratch", type=Path, help="the folder to work in (on which disk)")
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.rows if name not in MODULES]
    if unknown:
        parser.error(f"there is no row {unknown[0]!r}; use {', '.join(MODULES)}")
    results: list[Result] = []
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="gitmem-bench-", dir=asked.scratch) as scratch:
        place = Place(Path(scratch).resolve(), QUICK if asked.quick else FULL)
        for name in asked.rows or MODULES:
            for result in import_module(MODULES[name]).measure(place):
                print(f"  {result.what}: {result.value:.2f}", file=sys.stderr)
                results.append(result)
        results += [_speed(count, seconds) for count, seconds in place.seconds.items()]
    _print_table(results)
    git = subprocess.run(["git", "version"], capture_output=True, text=True, check=True)
    print(
        f"\nPython {platform.python_version()}, {git.stdout.strip()}, {platform.system()}; "
        f"{time.perf_counter() - start:.0f} s in all"
    )
    return 0 if all(result.met is not False for result in results) else 1


def _speed(count: int, seconds: float) -> Result:
    each = seconds / count * 1e6
    return Result(
        f"making the store of {count:,}", each, None, f"{seconds:.1f} s", unit=" us/entry"
    )


def _print_table(results: Sequence[Result]) -> None:
    print("| what | measured | goal | met | figures |")
    print("|---|---|---|---|---|")
    for one in results:
        sign = ">=" if one.at_least else "<="
        goal = "" if one.goal is None else f"{sign} {one.goal:g}{one.unit}"
        met = {True: "yes", False: "NO", None: ""}[one.met]
        digits = 0 if one.value >= 100 or one.value == int(one.value) else 2
        print(
            f"| {one.what} | {one.value:.{digits}f}{one.unit} | {goal} | {met} | {one.absolute} |"
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
