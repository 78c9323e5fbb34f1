"""The command line's entry point: ``advisor`` and ``python -m advisor``."""

import gc
import sys

from advisor.commands import cli


def main() -> int:
    """Run one command of the process's own and return its exit code."""
    code = cli.main()
    # An interruption that went through exec(), as those of imports do, is caught, and Python ends
    # itself by SIGINT all the same unless something is run so that ends well.
    exec("")  # noqa: S102
    # The process ends: looking for cycles in all that it has made takes up to a second.
    gc.freeze()
    return code


if __name__ == "__main__":
    sys.exit(main())
