"""Compare estimated with true rows of every fragment, and print the figures as Markdown.

python -m benchmarks.q_error [--benchmark tpcds|tpch] [--scale-factor SF] [--limit-s S]
    [--no-postgresql] [-o results.json] [--plot plot.svg]

Counts each fragment in DuckDB (remembered in the cache, hours the first time for large scale
factors), estimates it by our formulas alone and with samples, and asks PostgreSQL's optimizer
(`benchmarks.q_error_postgresql`, remembered too). Fragments have at most six sources.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.provenance import provenance
from benchmarks.q_error.estimates import estimate_all
from benchmarks.q_error.figures import Compared, groups, summary, worst
from benchmarks.q_error.fragment_sql import FragmentSql, asked, every_fragment, stamp
from benchmarks.q_error.plot import boxes
from benchmarks.q_error.truth import count_all
from benchmarks.tables.q_error import of_kinds
from workloads.cache import cache_folder
from workloads.progress import Silent
from workloads.sources.benchmarks import BENCHMARKS
from workloads.sql import footprint

SAMPLES, FORMULAS = "samples", "formulas"
POSTGRESQL = {
    "PostgreSQL": "",
    "PostgreSQL, statistics target 1000": "_1000",
}
"""PostgreSQL's answers by the ending of their file."""

PLOTTED = (SAMPLES, FORMULAS, "PostgreSQL")
HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--benchmark", choices=sorted(BENCHMARKS), default="tpcds")
    parser.add_argument("--scale-factor", type=float, default=1.0)
    parser.add_argument("--limit-s", type=float, default=120.0)
    parser.add_argument("--no-postgresql", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=None)
    parser.add_argument("--plot", type=Path, default=None)
    arguments = parser.parse_args()
    name = f"{arguments.benchmark}_sf{arguments.scale_factor:g}"
    benchmark = BENCHMARKS[arguments.benchmark]
    catalog = benchmark.generate(arguments.scale_factor, cache_folder(), Silent())
    workload = benchmark.queries("all")
    fragments = list(every_fragment(workload, catalog))
    counts = cache_folder() / "benchmarks" / f"q_error_counts_{name}.json"
    true_rows = count_all(fragments, catalog, counts, limit_s=arguments.limit_s)
    before = os.getloadavg()[0]
    footprints = [footprint(query, catalog, workload.dialect) for query in workload.queries]
    ours = {
        SAMPLES: estimate_all(footprints, catalog, sampled=True),
        FORMULAS: estimate_all(footprints, catalog, sampled=False),
    }
    rows = {estimator: found.rows for estimator, found in ours.items()}
    if arguments.benchmark == "tpcds" and not arguments.no_postgresql:
        rows |= postgresql(arguments.scale_factor, fragments)
    compared = [
        Compared(
            fragment=each.fragment,
            query=each.query,
            kind=each.kind,
            sources=each.sources,
            true_rows=true,
            estimates={
                e: found[each.fragment] for e, found in rows.items() if each.fragment in found
            },
        )
        for each in fragments
        if (true := true_rows[each.fragment]) is not None
    ]
    seconds = {e: {"wall": found.seconds, "cpu": found.cpu_s} for e, found in ours.items()}
    answer = {
        **provenance("benchmarks.q_error", before),
        "benchmark": name,
        "fragments": len(fragments),
        "not_counted": [f.fragment for f in fragments if true_rows[f.fragment] is None],
        "estimating_s": seconds,
        "q_error": {
            group: {estimator: summary(members, estimator) for estimator in rows}
            for group, members in groups(compared)
        },
    }
    output = arguments.output or HERE.parent / "results" / f"q_error_{name}.json"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    if arguments.plot is not None:
        arguments.plot.write_text(
            boxes(compared, [e for e in PLOTTED if e in rows], _title(name, compared)), "utf-8"
        )
    print(of_kinds(answer))
    for estimator in rows:
        print(f"\nWorst of '{estimator}', one a query:\n\n{worst(compared, estimator)}")
    print(f"\nNot counted within {arguments.limit_s:g} s: {answer['not_counted'] or 'none'}.")


def postgresql(
    scale_factor: float, fragments: Sequence[FragmentSql]
) -> dict[str, dict[str, float]]:
    """Return PostgreSQL's estimates by fragment, asked for unless the same was asked before."""
    folder = cache_folder() / "benchmarks"
    answered = stamp(folder, scale_factor)
    if not answered.exists() or answered.read_text("utf-8") != asked(fragments):
        command = [sys.executable, "-m", "benchmarks.q_error_postgresql"]
        subprocess.run([*command, "--scale-factor", f"{scale_factor:g}"], check=True)
    return {
        estimator: _answers(folder / f"q_error_postgresql{ending}_sf{scale_factor:g}.json")
        for estimator, ending in POSTGRESQL.items()
    }


def _answers(path: Path) -> dict[str, float]:
    return {
        fragment: rows
        for by_fragment in json.loads(path.read_text("utf-8")).values()
        for fragment, rows in by_fragment.items()
        if rows is not None
    }


def _title(name: str, compared: list[Compared]) -> str:
    data = name.replace("_sf", ", scale factor ")
    return f"Estimated over true rows of {len(compared):,} fragments ({data})"


if __name__ == "__main__":
    main()
