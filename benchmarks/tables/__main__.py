"""Write the tables of the documents from the JSON of the benchmarks.

python -m benchmarks.tables [--check]

The parts of docs/benchmarks.md, docs/experiments.md, docs/store-memory.md and README.md between
`<!-- begin: NAME -->` and `<!-- end: NAME -->` are made from benchmarks/results/*.json, one module
a subject. With `--check` nothing is written: the command fails if a document is not what the JSON
gives.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.provenance import ROOT
from benchmarks.tables import (
    accumulo,
    advised_indexes,
    attacks,
    connection_pool,
    dumps,
    engines,
    every_query,
    experiments,
    fold_log,
    footprints,
    fuzz_sql,
    hash_join_memory,
    index_advisors,
    index_cpu,
    index_prices,
    live_tpcds,
    loading,
    long_statements,
    main_job,
    many_keys,
    object_store,
    placements,
    prediction,
    q_error,
    scan_cache,
    slow_disk_joins,
    soak,
    throughput,
    transfer,
    tuned,
    two_versions,
    web_shop_live,
)
from benchmarks.tables.document import rewritten
from benchmarks.tables.markdown import wrapped

SUBJECTS = {
    "main job": main_job,
    "prediction": prediction,
    "throughput": throughput,
    "scan cache": scan_cache,
    "index prices": index_prices,
    "indexes": index_cpu,
    "advised indexes": advised_indexes,
    "index advisors": index_advisors,
    "engines": engines,
    "every query": every_query,
    "live tables": live_tpcds,
    "transfer": transfer,
    "tuned": tuned,
    "many keys": many_keys,
    "connections": connection_pool,
    "loading": loading,
    "accumulo": accumulo,
    "object store": object_store,
    "footprints": footprints,
    "q-error": q_error,
    "folding": fold_log,
    "dumps": dumps,
    "web shop live": web_shop_live,
    "placements": placements,
    "fuzz": fuzz_sql,
    "attacks": attacks,
    "soak": soak,
    "long statements": long_statements,
    "two versions": two_versions,
}
"""Part of docs/benchmarks.md → the module with its `section` and `conclusion`."""


def conclusions() -> str:
    """Return a line of conclusions a subject."""
    return "\n".join(wrapped(f"- {each.conclusion()}", "  ") for each in SUBJECTS.values())


DOCUMENTS: Mapping[Path, Mapping[str, Callable[[], str]]] = {
    ROOT / "docs" / "benchmarks.md": {
        **{name: module.section for name, module in SUBJECTS.items()},
        "copies": placements.budget_section,
        "conclusions": conclusions,
    },
    ROOT / "README.md": {"demo": main_job.demo},
    ROOT / "docs" / "experiments.md": {"experiments": experiments.section},
    ROOT / "docs" / "store-memory.md": {
        "slow disk": slow_disk_joins.section,
        "stores' joins": hash_join_memory.section,
    },
}


def stale() -> dict[Path, str]:
    """Return the documents that are not what the JSON gives, with what they should be."""
    found = {}
    for path, parts in DOCUMENTS.items():
        text = path.read_text(encoding="utf-8")
        if (made := rewritten(text, parts)) != text:
            found[path] = made
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail on a difference")
    check = parser.parse_args().check
    found = stale()
    if check and found:
        names = ", ".join(path.relative_to(ROOT).as_posix() for path in found)
        sys.exit(f"Not what the JSON gives: {names}. Run python -m benchmarks.tables")
    for path, text in found.items():
        path.write_text(text, encoding="utf-8")
        print(f"{path.relative_to(ROOT)} is made anew")


if __name__ == "__main__":
    main()
