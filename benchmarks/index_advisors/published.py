"""Published selections of other index advisors, read from `published.csv`."""

import csv
from collections.abc import Mapping
from pathlib import Path

from workloads.indexes import NamedIndex

FILE = Path(__file__).parent / "published.csv"


def published(benchmark: str, file: Path = FILE) -> Mapping[str, frozenset[NamedIndex]]:
    """Return algorithm → the indexes that were published for a benchmark's queries."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["benchmark"] == benchmark]
    return {
        row["algorithm"]: frozenset(_index(each) for each in row["indexes"].split("; "))
        for row in rows
    }


def _index(text: str) -> NamedIndex:
    table, _, columns = text.removesuffix(")").partition("(")
    return NamedIndex(table, tuple(columns.split(",")))
