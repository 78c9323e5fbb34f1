"""Fold a log into templates, one JSON object a line, which 'advisor analyze' reads as a log.

spark-submit evaluation/jobs/fold.py [--dialect D] [--frequencies F] [FILTER…] -o folded.jsonl PATH…

What is folded no longer says who ran it, so that filters are given here: --user, --database and
--application (each may be given several times), --since, --until, --shortest-s and --longest-s.
"""

import argparse
import json
import sys
from datetime import datetime
from pathlib import Path

from evaluation.fold import fold
from evaluation.jobs.arguments import fail
from workloads.counting.counting import Counting
from workloads.counting.facts import moment_of
from workloads.counting.filters import Filters
from workloads.errors import AdvisorError
from workloads.sources.joined import refuse_nothing_left
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
    for name in ("--user", "--database", "--application"):
        parser.add_argument(name, action="append", default=[], metavar="NAME")
    for name in ("--since", "--until"):
        parser.add_argument(name, type=_time, default=None, metavar="TIME")
    for name in ("--shortest-s", "--longest-s"):
        parser.add_argument(name, type=float, default=None, metavar="S")
    arguments = parser.parse_args()
    filters = _filters(arguments)
    try:
        workload = fold(
            arguments.paths,
            arguments.dialect,
            frequencies=arguments.frequencies,
            counting=Counting(filters=filters),
        )
        refuse_nothing_left(workload, filters)
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


def _filters(arguments: argparse.Namespace) -> Filters | None:
    filters = Filters(
        user=tuple(arguments.user),
        database=tuple(arguments.database),
        application=tuple(arguments.application),
        since=arguments.since,
        until=arguments.until,
        shortest_s=arguments.shortest_s,
        longest_s=arguments.longest_s,
    )
    return filters if any(filters.written()) else None


def _time(text: str) -> datetime:
    found = moment_of(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"'{text}' is no time such as 2025-05-01")
    return found


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
