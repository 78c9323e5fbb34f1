"""The command line's entry point: ``advisor`` and ``python -m advisor``."""

import gc
import sys

from advisor import cli


def main() -> int:
    """Run one command of the process's own and return its exit code."""
    code = cli.main()
    # The process ends: looking for cycles in all that it has made takes up to a second.
    gc.freeze()
    return code


if __name__ == "__main__":
    sys.exit(main())
