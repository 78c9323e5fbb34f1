"""A table in the order of its primary key, cut into ranges of it: for stores that keep it so.

Rows that arrive in the key's order go to the end of a page; in any other they go all over the tree.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

from evaluation.bulk.tab_separated import encode
from workloads.catalog import Table
from workloads.duck import connect, literal, quoted

_ROWS_PER_BATCH = 10_000
_SAMPLE_ROWS = 100_000
# Each range reads the whole Parquet for its rows, and one server has use for few streams.
_MOST_RANGES = 8
_SORT_MEMORY = "512MB"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRange:
    """The rows whose first key column is from `low` on and below `high`; None is no limit.

    `scratch` is a folder for what does not fit into memory.
    """

    files: tuple[str, ...]
    columns: tuple[str, ...]
    key: tuple[str, ...]
    scratch: Path
    low: Any = None
    high: Any = None

    def batches(self) -> Iterator[memoryview]:
        """Return the rows as tab-separated text, in the key's order."""
        with connect("sorting by the primary key", scratch=self.scratch) as connection:
            # The other cores have ranges of their own, and no two may spill into one folder.
            # DuckDB makes it when it has to and removes it.
            spill = literal(self.scratch / f"sort-{uuid4().hex}")
            connection.execute(f"SET temp_directory = {spill}")
            connection.execute(f"SET threads = 1; SET memory_limit = '{_SORT_MEMORY}'")
            statement, values = self._query()
            reader = connection.execute(statement, values).to_arrow_reader(_ROWS_PER_BATCH)
            for batch in reader:
                if batch.num_rows:
                    yield encode(batch)

    def _query(self) -> tuple[str, list[Any]]:
        conditions = []
        values = []
        first = quoted(self.key[0])
        if self.low is not None:
            conditions.append(f"{first} >= ?")
            values.append(self.low)
        if self.high is not None:
            # A key without a value is the store's to refuse: it must arrive there.
            conditions.append(f"({first} < ?" + (f" OR {first} IS NULL)" if not values else ")"))
            values.append(self.high)
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        columns = ", ".join(quoted(column) for column in self.columns)
        order = ", ".join(quoted(column) for column in self.key)
        return (
            f"SELECT {columns} FROM {_parquet(self.files)}{where} ORDER BY {order}",  # noqa: S608
            values,
        )


def key_ranges(table: Table, files: Sequence[Path], most: int, scratch: Path) -> list[KeyRange]:
    """Cut `table`, which has a primary key, into at most `most` ranges of about equal rows.

    They are sorted with the help of the folder `scratch`.

    Raises:
        CatalogError: The Parquet cannot be read.
    """
    whole = KeyRange(
        files=tuple(str(file) for file in files),
        columns=tuple(column.name for column in table.columns),
        key=table.primary_key,
        scratch=scratch,
    )
    ranges = min(most, _MOST_RANGES)
    shares = [index / ranges for index in range(1, ranges)]
    if not shares:
        return [whole]
    first = quoted(table.primary_key[0])
    with connect(f"reading table '{table.name}'") as connection:
        row = connection.execute(
            f"SELECT quantile_disc({first}, {shares}) FROM (SELECT {first} "  # noqa: S608 - quoted
            f"FROM {_parquet(whole.files)} USING SAMPLE reservoir({_SAMPLE_ROWS} ROWS) "
            "REPEATABLE (0))"
        ).fetchone()
    found = row[0] if row and row[0] is not None else []
    limits = [None, *sorted({limit for limit in found if limit is not None}), None]
    return [replace(whole, low=low, high=high) for low, high in pairwise(limits)]


def _parquet(files: Sequence[str]) -> str:
    listed = ", ".join(literal(file) for file in files)
    return f"read_parquet([{listed}], hive_partitioning = false)"
