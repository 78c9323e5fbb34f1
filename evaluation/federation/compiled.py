"""A query as it is run: the SQL of its fragments, and what combines them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from evaluation.federation.keys import KeyFilter
from evaluation.federation.portions import Ranged
from evaluation.federation.row_order import OrderedBy
from placement.fragment import Fragment
from placement.transfer.link import TransferSettings

Combiner = Literal["spark", "duckdb"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneScan:
    """A scan that is read once for several fragments, and what one of these takes of its rows.

    `view` is that of the fragment for which it is read: the `columns` of a `table`, and the rows
    that meet any of the conditions `wanted`. The fragment takes those that meet its own `condition`
    and makes its `outputs` of them. A condition is "" where all rows are wanted.
    """

    view: str
    table: str
    columns: tuple[str, ...]
    wanted: tuple[str, ...]
    condition: str
    outputs: tuple[str, ...]

    @property
    def sql(self) -> str:
        """Return what is read."""
        outputs = ", ".join(self.columns) or "1"
        sql = f"SELECT {outputs} FROM {self.table}"  # noqa: S608 - all of it is written by us
        wanted = " OR ".join(f"({each})" for each in self.wanted)
        return f"{sql} WHERE {wanted}" if all(self.wanted) else sql


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledFragment:
    """A fragment's SQL in its store's dialect; the engine sees its rows as `view`.

    `columns` are what the view's are called. `rows` is equal for fragments of one store that have
    the same rows, column by column, whatever these are called.
    `reads` is how often the combining query reads the view, counting each reader of a CTE: what
    is read more than once is kept by the engine instead of being fetched again. With `keys` it is
    restricted to the keys of other sources once these are known. `ranged` is what large ones are
    divided by. `same_as` is the view of an earlier fragment with the same rows, which alone is
    read. `types` are DuckDB's of the columns; none where DuckDB does not understand it. `transfer`
    are the settings that its rows are fetched with, where these are its own, and `memory_bytes` the
    working memory of its session. `read_rows` are those of its largest table. `common` is the
    expression behind WITH that its statement begins with, which has keys of others. With `one_scan`
    its rows are taken from that, and its own `sql` is not run.
    """

    view: str
    store: str
    fragment: Fragment
    sql: str
    rows: str
    columns: tuple[str, ...]
    reads: int = 1
    keys: tuple[KeyFilter, ...] = ()
    ranged: Ranged | None = None
    same_as: str | None = None
    types: tuple[str, ...] = ()
    transfer: TransferSettings | None = None
    memory_bytes: int | None = None
    read_rows: int = 0
    common: str = ""
    one_scan: OneScan | None = None

    @property
    def is_read(self) -> bool:
        """Whether something is read from the store for it: others have rows that were read."""
        if self.one_scan is not None:
            return self.one_scan.view == self.view
        return self.same_as is None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledQuery:
    """One query as it is run: fragments, then `combine_sql` over their views.

    `combine_sql` is None where the only fragment is the whole query. Its rows are ordered by
    `order` then, and its first columns are those of the query. `combiner` runs it and says
    in whose SQL it is: Spark, or DuckDB in the driver's process. With features `lacked` by Spark
    (`workloads.sql.features`) only DuckDB can run it. `driver_sql` is what DuckDB can run instead
    of Spark; it is empty where that may mean something else. `names` and `types` are those of the
    query's columns in DuckDB. `tables` are the tables that views hold as they are, by which
    `combine_sql` calls them. `second_try` makes the query of whole tables that is left where this
    one fails by an error in the data (`whole_tables`); SqlError where there is none.
    """

    query: str
    fragments: tuple[CompiledFragment, ...]
    combine_sql: str | None
    combiner: Combiner = "spark"
    lacked: tuple[str, ...] = ()
    driver_sql: str = ""
    names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    order: tuple[OrderedBy, ...] = ()
    tables: Mapping[str, str] = field(default_factory=dict)
    second_try: "Callable[[], CompiledQuery] | None" = field(
        default=None, compare=False, repr=False
    )

    @property
    def bytes_in(self) -> float:
        """The predicted bytes of its views' rows, those that several have counted once."""
        own = [each for each in self.fragments if each.same_as is None]
        return sum(each.fragment.work.bytes_out for each in own)

    def in_driver(self) -> "CompiledQuery":
        """Return the query as DuckDB in the driver combines it."""
        return replace(self, combine_sql=self.driver_sql, combiner="duckdb", driver_sql="")

    @property
    def stores(self) -> list[str]:
        """The stores that its fragments are in, or the keys that are sent along with them."""
        of_keys = {key.source.store for each in self.fragments for key in each.keys}
        return sorted({each.store for each in self.fragments} | of_keys)
