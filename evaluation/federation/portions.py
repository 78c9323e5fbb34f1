"""Large fragments in portions that are read at the same time: ranges of one of their columns."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import ErrorLevel, exp

from evaluation.federation.dividers import NONE, dividers
from evaluation.federation.split import Piece
from placement.fragment import Fragment
from placement.streaming import ROWS_EACH, usual_count
from workloads.catalog import Catalog
from workloads.sql.trees.copies import copied, last_written

_MOST_WHOLE = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranged:
    """A column of a fragment's rows, its least and its greatest value.

    `rows` are those that its statements share: handed out, or read where it is `by_key`, so that
    rows of a copy lie in its order. A plan states the number of `statements`; None leaves it to the
    rows and the engine's cores. By a key several statements have the text `sql`. Where the fragment
    does not hand that column out, they do: it is the table's column `hidden`.
    """

    column: str
    low: int
    high: int
    rows: float
    statements: int | None = None
    by_key: bool = False
    hidden: str = ""
    sql: str = ""

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
            # Spark takes it for the first value that is none, and for 64 bits. The last statement
            # has all above it, too.
            "upperBound": str(min(self.high + 1, _MOST_WHOLE)),
            "numPartitions": str(count),
        }


def read_rows(fragment: Fragment, catalog: Catalog) -> int:
    """Return the rows of the largest table that a fragment reads."""
    return max((catalog.table(each).rows for each in fragment.tables), default=0)


def ranged(
    piece: Piece, catalog: Catalog, primary_keys: Mapping[str, tuple[str, ...]] = NONE
) -> Ranged | None:
    """Return by what column the rows of a scan or join are divided; None where by none.

    It is the one that the plan states, or the first of `dividers`. `piece` is as it was cut.
    """
    fragment, transfer = piece.routed.fragment, piece.routed.transfer
    streams = None if transfer is None else transfer.streams
    most = max(fragment.work.rows_out, read_rows(fragment, catalog))
    if streams is None and most < 2 * ROWS_EACH:
        return None
    found = dividers(piece, catalog, primary_keys)
    if streams is not None:
        found = [each for each in found if each.name == streams.column]
    if not found:
        return None
    first = found[0]
    rows = first.rows(fragment)
    if streams is None and rows < 2 * ROWS_EACH:
        return None
    return Ranged(
        column=first.output,
        low=first.low,
        high=first.high,
        rows=rows,
        statements=None if streams is None else streams.count,
        by_key=first.by_key,
        hidden=first.column.name if first.hidden else "",
    )


def by_key(found: Ranged | None, tree: exp.Query, dialect: str) -> Ranged | None:
    """Return what rows are divided by, with the SQL of each statement where it reads by a key.

    `tree` is what is run of the fragment, with the names that the store has. MariaDB reads the
    table whole for half of its keys, unless it is told to read by them.
    """
    if found is None or not found.by_key:
        return found
    told = copied(tree)
    relation = told.args["from_"].this
    if found.hidden:
        key = exp.column(found.hidden, table=relation.alias_or_name, quoted=True)
        told = told.select(exp.alias_(key, found.column, quoted=True), copy=False)
    primary = exp.IndexTableHint(this="FORCE", expressions=[exp.to_identifier("PRIMARY")])
    relation.set("hints", [primary])
    return replace(found, sql=last_written(told, dialect, ErrorLevel.RAISE))
