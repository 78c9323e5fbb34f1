"""Tell how well measured fragments correct the prices of those that were not measured.

python -m benchmarks.corrections benchmarks/results/main_job_*.json

Takes what `main_job.py` wrote, and measures nothing. Each fragment in a store is left out in turn,
and predicted by the factors of the others (`evaluation.measuring.corrections`): by none, by those
of its store, and by those of its query in that store, as `advisor improve` does. A row a run and a
way: the mean and the quantiles of the q-errors, over fragments of which 0.1 s or more were
predicted or measured.
"""

import argparse
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from evaluation.measuring.corrections import tendencies_of
from evaluation.measuring.prediction_quality import LEAST_S, quantile

Fragment = tuple[str, str, str]
"""Store, query and name."""
Tendencies = tuple[float, Mapping[str, float]]

WAYS: Mapping[str, Callable[[Tendencies, str], float]] = {
    "formula": lambda _, __: 0.0,
    "store": lambda found, _: found[0],
    "query in the store": lambda found, query: found[1].get(query, found[0]),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", type=Path)
    arguments = parser.parse_args()
    rows = [row for path in arguments.runs for row in _rows(path)]
    print("| run | fragments | factors of | mean | median | p90 | largest |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        print(
            f"| {row['run']} | {row['fragments']} | {row['factors_of']} | {row['mean']:.2f} "
            f"| {row['median']:.2f} | {row['p90']:.2f} | {row['largest']:.1f} |"
        )


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    seen = _seen(json.loads(path.read_text(encoding="utf-8")))
    for name, way in WAYS.items():
        errors = sorted(
            abs(log - way(_others(seen, fragment), fragment[1])) for fragment, log in seen.items()
        )
        yield {
            "run": path.stem,
            "fragments": len(seen),
            "factors_of": name,
            "mean": math.exp(fmean(errors)),
            "median": math.exp(quantile(errors, 0.5)),
            "p90": math.exp(quantile(errors, 0.9)),
            "largest": math.exp(errors[-1]),
        }


def _seen(run: Mapping[str, Any]) -> Mapping[Fragment, float]:
    """Return the logarithm of measured over predicted seconds of each fragment that was read."""
    found: dict[Fragment, list[float]] = {}
    for candidate in run["candidates"]:
        for query in candidate["queries"]:
            for each in query["fragments"]:
                both = each["predicted_s"], each["seconds"]
                if each["partitions"] and both[0] is not None and max(both) >= LEAST_S:
                    predicted_s, took_s = (max(seconds, LEAST_S) for seconds in both)
                    key = each["store"], query["name"], each["name"]
                    found.setdefault(key, []).append(math.log(took_s / predicted_s))
    return {key: median(logs) for key, logs in found.items()}


def _others(seen: Mapping[Fragment, float], left_out: Fragment) -> Tendencies:
    logs: Sequence[tuple[str, float]] = [
        (query, log)
        for (store, query, name), log in seen.items()
        if store == left_out[0] and (store, query, name) != left_out
    ]
    return tendencies_of(logs)


if __name__ == "__main__":
    main()
