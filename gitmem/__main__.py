"""The console script: every command line goes to `cli/`.

Nothing is imported before it is needed, so that `gitmem --help` starts fast.
"""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line of this process; its exit code."""
    try:
        from gitmem.cli.main import main as cli
    except KeyboardInterrupt:
        return 130
    return cli(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
