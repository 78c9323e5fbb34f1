"""Large fragments in portions that are read at the same time: ranges of one of their columns."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from evaluation.federation.split import Piece
from placement.fragment import Fragment
from placement.stores import Capability
from workloads.catalog import Catalog, ColumnStatistics
from workloads.sql.trees.tree import QueryTree

ROWS_EACH = 250_000
"""Rows that are worth a statement of their own: more than half a second at the default rates."""
WHOLE_NUMBERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranged:
    """A column of a fragment's rows, its least and its greatest value, and the rows predicted."""

    column: str
    low: int
    high: int
    rows: float

    def options(self, most: int) -> Mapping[str, str]:
        """Return Spark's JDBC options to read by `most` statements; none where one will do."""
        count = min(most, int(self.rows // ROWS_EACH), self.high - self.low + 1)
        if count <= 1:
            return {}
        return {
            "partitionColumn": self.column,
            "lowerBound": str(self.low),
            # Spark takes it for the first value that is none.
            "upperBound": str(self.high + 1),
            "numPartitions": str(count),
        }


def read_rows(fragment: Fragment, catalog: Catalog) -> int:
    """Return the rows of the largest table that a fragment reads."""
    return max((catalog.table(each).rows for each in fragment.tables), default=0)


def ranged(piece: Piece, catalog: Catalog) -> Ranged | None:
    """Return by what column the rows of a scan or join may be divided; None where by none.

    It is the whole number of most values, as they are dealt out evenly where each has few rows.
    Every statement reads the store's tables again: what it groups or sorts is never divided.
    `piece` is as it was cut.
    """
    fragment = piece.routed.fragment
    if fragment.kind not in (Capability.SCAN, Capability.JOIN) or fragment.reduction.preaggregated:
        return None
    if fragment.work.rows_out < 2 * ROWS_EACH:
        return None
    tables = QueryTree(piece.expression).root.tables
    found = [
        (known.distinct, output.alias_or_name, known)
        for output in piece.expression.selects
        if (known := _statistics(output.unalias(), tables, catalog)) is not None
    ]
    if not found:
        return None
    _, column, known = max(found, key=lambda each: each[:2])
    low, high = known.minimum, known.maximum
    if low is None or high is None:
        return None
    return Ranged(column=column, low=int(low), high=int(high), rows=fragment.work.rows_out)


def _statistics(
    output: exp.Expr, tables: Mapping[str, str], catalog: Catalog
) -> ColumnStatistics | None:
    """Return what is known of the whole numbers that `output` is, if it is a table's column."""
    if not isinstance(output, exp.Column) or output.table not in tables:
        return None
    for known in catalog.table(catalog.spelled(tables[output.table])).columns:
        if known.name.lower() == output.name.lower() and known.type.upper() in WHOLE_NUMBERS:
            return known.statistics
    return None
