"""Frequencies of named queries, from a file beside the SQL."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TextIO

from workloads.errors import ConfigurationError
from workloads.folding.entries import executions
from workloads.sources.logs import files
from workloads.sources.longest import lines_of
from workloads.workload import Query

SIDE_FILE = "frequencies.csv"
_HEADER = ["name", "executions"]


def frequencies_of(file: Path, queries: Sequence[Query]) -> tuple[Query, ...]:
    """Return the queries with the executions that a CSV file of name and executions has for them.

    Raises:
        ConfigurationError: The file is no such CSV, names a query twice or one that is not there,
            or a number is not positive.
    """
    given = _given(file)
    known = {query.name for query in queries}
    for name, (line, _) in given.items():
        if name not in known:
            near = get_close_matches(name, sorted(known), n=1, cutoff=0.4)
            hint = f"did you mean '{near[0]}'?" if near else f"there are {len(known)} queries."
            raise ConfigurationError(f"{file}:{line}: there is no query '{name}': {hint}")
    return tuple(
        replace(query, executions=given[query.name][1]) if query.name in given else query
        for query in queries
    )


def _given(file: Path) -> dict[str, tuple[int, float]]:
    with files.text(file) as text:
        reader = _records(text, file)
        _, first = next(reader, (1, []))
        if [each.strip().lower() for each in first] != _HEADER:
            raise ConfigurationError(
                f"{file}:1: the first line is '{','.join(first)}' instead of 'name,executions'."
            )
        found: dict[str, tuple[int, float]] = {}
        for line, record in reader:
            if not record:
                continue
            number = executions(record[1].strip()) if len(record) == len(_HEADER) else None
            if number is None:
                raise ConfigurationError(
                    f"{file}:{line}: '{','.join(record)}' is no name and positive number."
                )
            name = record[0].strip()
            if name in found:
                raise ConfigurationError(
                    f"{file}:{line}: '{name}' is there twice, first in line {found[name][0]}."
                )
            found[name] = (line, float(number))
    return found


def _records(text: TextIO, file: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the line (1-based) at which each record ends, and its values."""
    reader = csv.reader(lines_of(text, file), skipinitialspace=True)
    try:
        for record in reader:
            yield reader.line_num, record
    except (csv.Error, *files.DAMAGE) as error:
        raise ConfigurationError(f"{file}:{reader.line_num}: it is no CSV: {error}.") from None
