"""Compare the plans of two checkouts bit for bit, on thirty seeded problems.

python -m benchmarks.same_plans BEFORE AFTER

BEFORE and AFTER are folders of checkouts; each runs its own `benchmarks.plan_digests` in a process
of its own, with this interpreter. A plan is its placement, the store of each fragment, its
predicted seconds, bound and outcome. Every difference is printed, and the exit code is 1 if there
is one.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    arguments = parser.parse_args()
    before, after = (_digests(folder) for folder in (arguments.before, arguments.after))
    different = list(_differences(before, after))
    for line in different:
        print(line)
    plans = sum(len(found) for found in before.values())
    print(f"{len(before)} problems, {plans} plans: {len(different)} differences")
    return 1 if different else 0


def _digests(checkout: Path) -> Mapping[str, Mapping[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.plan_digests"],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout.resolve())},
        stdout=subprocess.PIPE,
        check=True,
    )
    found: Mapping[str, Mapping[str, Any]] = json.loads(done.stdout)
    return found


def _differences(
    before: Mapping[str, Mapping[str, Any]], after: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    for problem in sorted({*before, *after}):
        one, other = before.get(problem, {}), after.get(problem, {})
        for strategy in sorted({*one, *other}):
            for part in sorted({*one.get(strategy, {}), *other.get(strategy, {})}):
                was, is_now = (side.get(strategy, {}).get(part) for side in (one, other))
                if was != is_now:
                    yield f"{problem}, {strategy}, {part}: {was} before, {is_now} after"


if __name__ == "__main__":
    sys.exit(main())
