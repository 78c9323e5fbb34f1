"""Logs written for a test, and the facts that are read of them."""

import csv

from workloads.sources.logs.runners import Processes

ALONE = Processes(workers=1)


def facts(found):
    return [(q.sql, q.executions, q.latency_s, q.line) for q in found.queries]


def write_csv(path, rows, delimiter=","):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return path
