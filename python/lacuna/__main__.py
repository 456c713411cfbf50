"""The command-line tool, which comes with the package: `lacuna`, or `python -m lacuna`."""

import os
import sys
from pathlib import Path

TOOL = Path(__file__).with_name("lacuna")


def main():
    """Becomes the tool: what it reads, writes, hears and returns is its own."""
    try:
        os.execv(TOOL, [str(TOOL), *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"lacuna: error: '{TOOL}', the tool that belongs to the package, cannot be run: {error.strerror}")


if __name__ == "__main__":
    main()
