"""A query as it is run: the SQL of its fragments, and what combines them."""

from dataclasses import dataclass
from typing import Literal

from evaluation.federation.keys import KeyFilter
from evaluation.federation.portions import Ranged
from placement.fragments import Fragment

Combiner = Literal["spark", "duckdb"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledFragment:
    """A fragment's SQL in its store's dialect; the engine sees its rows as `view`.

    `columns` are what the view's are called. `rows` is equal for fragments of one store that have
    the same rows, column by column, whatever these are called.
    `reads` is how often the combining query reads the view, counting each reader of a CTE: what
    is read more than once is kept by the engine instead of being fetched again. With `keys` it is
    restricted to the keys of other sources once these are known. `ranged` is what large ones are
    divided by. `same_as` is the view of an earlier fragment with the same rows, which alone is
    read. `types` are DuckDB's types of the columns.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledQuery:
    """What is run for one query: fragments, then `combine_sql` over their views.

    `combine_sql` is None where the only fragment is the whole query. `combiner` runs it and says
    in whose SQL it is: Spark, or DuckDB in the driver's process where Spark lacks the features
    `lacked` (`workloads.sql.features`) that the query needs.
    """

    query: str
    fragments: tuple[CompiledFragment, ...]
    combine_sql: str | None
    combiner: Combiner = "spark"
    lacked: tuple[str, ...] = ()
