"""Large fragments in portions that are read at the same time: ranges of one of their columns."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from evaluation.federation.split import Piece
from placement.fragment import Fragment
from placement.streaming import ROWS_EACH, may_be_divided, usual_count
from workloads.catalog import Catalog, Column, Table
from workloads.sql.trees.tree import QueryTree

WHOLE_NUMBERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranged:
    """A column of a fragment's rows, its least and its greatest value, and the rows predicted.

    A plan states the number of `statements`; None leaves it to the rows and the engine's cores.
    """

    column: str
    low: int
    high: int
    rows: float
    statements: int | None = None

    def options(self, most: int) -> Mapping[str, str]:
        """Return Spark's JDBC options to read by several statements; none where one will do.

        They are as many as are stated, or at most `most`. The first one has the rows without a
        value, and the outer ones those beyond what was known of the values.
        """
        stated = usual_count(self.rows, most) if self.statements is None else self.statements
        count = min(stated, self.high - self.low + 1)
        if count <= 1:
            return {}
        return {
            "partitionColumn": self.column,
            "lowerBound": str(self.low),
            # Spark takes it for the first value that is none.
            "upperBound": str(self.high + 1),
            "numPartitions": str(count),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Divider:
    """A whole-number column that a fragment hands out: its `output` name and what it is."""

    output: str
    alias: str
    table: Table
    column: Column
    low: int
    high: int
    distinct: int

    @property
    def name(self) -> str:
        """Return the name by which a plan states it."""
        return f"{self.alias}.{self.column.name}"


def read_rows(fragment: Fragment, catalog: Catalog) -> int:
    """Return the rows of the largest table that a fragment reads."""
    return max((catalog.table(each).rows for each in fragment.tables), default=0)


def ranged(piece: Piece, catalog: Catalog) -> Ranged | None:
    """Return by what column the rows of a scan or join are divided; None where by none.

    It is the one that the plan states, or the first of `dividers`. `piece` is as it was cut.
    """
    fragment, transfer = piece.routed.fragment, piece.routed.transfer
    streams = None if transfer is None else transfer.streams
    if streams is None and fragment.work.rows_out < 2 * ROWS_EACH:
        return None
    found = dividers(piece, catalog)
    if streams is not None:
        found = [each for each in found if each.name == streams.column]
    if not found:
        return None
    first = found[0]
    return Ranged(
        column=first.output,
        low=first.low,
        high=first.high,
        rows=fragment.work.rows_out,
        statements=None if streams is None else streams.count,
    )


def dividers(piece: Piece, catalog: Catalog) -> list[Divider]:
    """Return the columns that the rows of a piece may be divided by, those of most values first.

    Values are dealt out evenly where each has few rows. Every statement reads the store's tables
    again: what it groups or sorts is never divided.
    """
    if not may_be_divided(piece.routed.fragment):
        return []
    found = _dividers(piece.expression, catalog)
    return sorted(found, key=lambda each: (each.distinct, each.output), reverse=True)


def _dividers(expression: exp.Query, catalog: Catalog) -> Iterator[Divider]:
    tables = QueryTree(expression).root.tables
    for output in expression.selects:
        one = output.unalias()
        if not isinstance(one, exp.Column) or one.table not in tables:
            continue
        table = catalog.table(catalog.spelled(tables[one.table]))
        column = _whole_number(table, one.name)
        known = None if column is None else column.statistics
        if column is None or known is None or known.minimum is None or known.maximum is None:
            continue
        yield Divider(
            output=output.alias_or_name,
            alias=one.table,
            table=table,
            column=column,
            low=int(known.minimum),
            high=int(known.maximum),
            distinct=int(known.distinct),
        )


def _whole_number(table: Table, name: str) -> Column | None:
    """Return the column of this name if its values are whole numbers."""
    for column in table.columns:
        if column.name.lower() == name.lower() and column.type.upper() in WHOLE_NUMBERS:
            return column
    return None
