"""The columns that the rows of a large scan or join may be divided by, among several statements."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from sqlglot import exp

from evaluation.federation.split import Piece
from placement.fragment import Fragment
from placement.plan import RoutedFragment
from placement.stores import Capability
from placement.streaming import ROWS_EACH, may_be_divided
from workloads.catalog import Catalog, Column, Table
from workloads.sql.trees.tree import QueryTree

WHOLE_NUMBERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT"})
HIDDEN = "placement_advisor_key"
"""The name of an output that rows are divided by and that nobody asks for."""
FEWEST_VALUES = 100
"""A key whose first column has fewer different values is not divided by: some are too large."""
MOST_READ = 4 * ROWS_EACH
"""The rows of as many statements as `calibrate` puts to a store at the same time."""
NONE: Mapping[str, tuple[str, ...]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Divider:
    """A whole-number column that a fragment's rows have: its `output` name and what it is.

    Rows lie in the order of one that is `by_key`. Nobody asks for the values of a `hidden` one.
    """

    output: str
    alias: str
    table: Table
    column: Column
    low: int
    high: int
    distinct: int
    by_key: bool = False
    hidden: bool = False

    @property
    def name(self) -> str:
        """Return the name by which a plan states it."""
        return f"{self.alias}.{self.column.name}"

    def rows(self, fragment: Fragment) -> float:
        """Return the rows that statements share: those handed out, or read by its key.

        Of a scan that hands out few no more statements were measured than read `MOST_READ` rows.
        """
        handed_out = fragment.work.rows_out
        return max(handed_out, min(self.table.rows, MOST_READ)) if self.by_key else handed_out


def dividers(
    piece: Piece, catalog: Catalog, primary_keys: Mapping[str, tuple[str, ...]] = NONE
) -> list[Divider]:
    """Return the columns that the rows of a piece may be divided by, best first.

    Each statement reads its own range alone of the column in whose order the rows of a scan lie.
    That is the first one of the table's `primary_keys`, which the store has. By another column each
    statement reads the store's tables again. These follow by the number of their values: many are
    dealt out evenly. What a store groups or sorts is never divided.
    """
    if not may_be_divided(piece.routed.fragment):
        return []
    found = _dividers(piece.expression, catalog)
    others = sorted(found, key=lambda each: (each.distinct, each.output), reverse=True)
    key = _key_divider(piece, catalog, primary_keys)
    if key is None:
        return others
    return [key, *(each for each in others if each.name != key.name)]


def _key_divider(
    piece: Piece, catalog: Catalog, primary_keys: Mapping[str, tuple[str, ...]]
) -> Divider | None:
    """Return the first column of the key in whose order the rows of a scan lie; None for none.

    A key of few values has none, and one that the scan filters by: its values are not dealt out
    evenly. Nor has a scan that may read by another index: who is told to read by the primary key
    reads by no other.
    """
    tables = QueryTree(piece.expression).root.tables
    is_scan = piece.routed.fragment.kind is Capability.SCAN
    if not is_scan or len(tables) != 1 or piece.expression.args.get("distinct"):
        return None
    ((alias, name),) = tables.items()
    table = catalog.table(catalog.spelled(name))
    columns = primary_keys.get(table.name.lower(), ())
    if not columns or _reads_by_an_index(piece.routed, table, columns):
        return None
    divider = _divider(HIDDEN, alias, table, columns[0])
    if divider is None or divider.distinct < FEWEST_VALUES:
        return None
    key = divider.column.name.lower()
    where = piece.expression.args.get("where")
    if where is not None and any(each.name.lower() == key for each in where.find_all(exp.Column)):
        return None
    return _handed_out(replace(divider, by_key=True), piece.expression)


def _handed_out(divider: Divider, expression: exp.Query) -> Divider | None:
    """Return the divider with the output that has its column, or else as a hidden one."""
    for output in expression.selects:
        one = output.unalias()
        if isinstance(one, exp.Column) and one.name.lower() == divider.column.name.lower():
            return replace(divider, output=output.alias_or_name)
    names = (*expression.named_selects, *(each.name for each in divider.table.columns))
    return None if HIDDEN in (each.lower() for each in names) else replace(divider, hidden=True)


def _reads_by_an_index(routed: RoutedFragment, table: Table, key: tuple[str, ...]) -> bool:
    """Whether a scan may find its rows by an index: by its own filters, or by keys that are sent.

    The server knows more ways than a price has (OR, indexes that cover all columns). So a scan that
    hands out few rows is of a copy that may be read by no index but its `key`. Keys that are a
    table of the store are asked for by one statement: each other would do so anew.
    """
    fragment, chosen = routed.fragment, routed.read_by
    for each in fragment.work.index_reads:
        if each.clustered and (each.index is None or chosen is None or each.index in chosen):
            return True
    reduction = fragment.reduction
    if not reduction.reducers and fragment.work.rows_out >= 2 * ROWS_EACH:
        return False
    indexed = table.indexes or chosen is None or any(each.table == table.name for each in chosen)
    if indexed or not reduction.reducers:
        return bool(indexed)
    (source,) = fragment.sources
    matched = [each.column for each in reduction.matches]
    sent = {column.lower() for of, column in matched if of == source}
    return bool(reduction.key_tables) or not sent or key[0].lower() in sent


def _dividers(expression: exp.Query, catalog: Catalog) -> Iterator[Divider]:
    tables = QueryTree(expression).root.tables
    for output in expression.selects:
        one = output.unalias()
        if not isinstance(one, exp.Column) or one.table not in tables:
            continue
        table = catalog.table(catalog.spelled(tables[one.table]))
        found = _divider(output.alias_or_name, one.table, table, one.name)
        if found is not None:
            yield found


def _divider(output: str, alias: str, table: Table, name: str) -> Divider | None:
    """Return the column of this name as a divider, if its values are whole numbers and known."""
    column = _whole_number(table, name)
    known = None if column is None else column.statistics
    if column is None or known is None or known.minimum is None or known.maximum is None:
        return None
    return Divider(
        output=output,
        alias=alias,
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
