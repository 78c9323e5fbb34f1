"""Fold a log into templates, one JSON object a line, which 'advisor analyze' reads as a log.

spark-submit evaluation/jobs/fold.py [--dialect D] [--frequencies F] -o folded.jsonl PATH…
"""

import argparse
import json
import sys
from pathlib import Path

from evaluation.fold import fold
from evaluation.jobs.arguments import fail
from workloads.errors import AdvisorError
from workloads.whole_files import whole_file
from workloads.workload import Workload


def main() -> int:
    """Fold, write the templates, and say on standard error what was left out."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", type=Path, nargs="+", help="files and folders of the log")
    parser.add_argument("--dialect", default=None, help="its SQL; detected if left out")
    parser.add_argument("--frequencies", type=Path, default=None, help="CSV of name,executions")
    parser.add_argument("-o", "--output", type=Path, required=True, help="where the templates go")
    arguments = parser.parse_args()
    try:
        workload = fold(arguments.paths, arguments.dialect, frequencies=arguments.frequencies)
        with whole_file(arguments.output) as file:
            for line in _lines(workload):
                file.write(line.encode())
    except AdvisorError as error:
        return fail(error)
    except OSError as error:
        sys.stderr.write(f"{arguments.output} cannot be written: {error.strerror}.\n")
        return 2
    sys.stderr.write(f"{len(workload.queries)} templates in the SQL of {workload.dialect}.\n")
    for skipped in workload.skipped:
        sys.stderr.write(f"{skipped.source}:{skipped.line}: {skipped.reason}\n")
    return 0


def _lines(workload: Workload) -> list[str]:
    return [
        json.dumps(
            {
                "name": query.name,
                "sql": query.sql,
                "executions": query.executions,
                "latency_s": query.latency_s,
                "origin": query.origin,
                "line": query.line,
            },
            ensure_ascii=False,
        )
        + "\n"
        for query in workload.queries
    ]


if __name__ == "__main__":
    sys.exit(main())
