"""The stores as relations of the engine: JDBC reads whose columns are asked for once."""

from collections import OrderedDict
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NONE: Mapping[str, str] = MappingProxyType({})
MOST_KNOWN = 1_000
"""Relations that are remembered: those longest unused are forgotten."""

Options = Mapping[str, Mapping[str, str]]


class Relations:
    """JDBC relations of one run: `options` are Spark's for each store.

    `few_rows` are options beside them for results that are expected to be small. Spark asks the
    store for the columns of every relation it makes, by a connection and a statement of their
    own. While a run holds its stores these do not change, so that a relation is made once.
    """

    def __init__(self, spark: "SparkSession", options: Options, few_rows: Options) -> None:
        self._spark = spark
        self._options = options
        self._few_rows = few_rows
        self._known: OrderedDict[tuple[object, ...], DataFrame] = OrderedDict()

    def frame(
        self,
        store: str,
        sql: str,
        alias: str,
        *,
        few: bool,
        portions: Mapping[str, str] = NONE,
    ) -> "DataFrame":
        """Return a new frame over the rows of `sql`; its scan is told by `alias`.

        With `few` the store may be asked for all rows at once instead of a fetch size at a time.
        `portions` are Spark's options to read ranges of a column at the same time.
        """
        relation = f"({sql}) {alias}"
        few = few and bool(self._few_rows.get(store))
        key = (store, relation, few, *portions.items())
        found = self._known.get(key)
        if found is None:
            more = {**(self._few_rows[store] if few else {}), **portions}
            options = {**self._options[store], **more, "dbtable": relation}
            found = self._spark.read.format("jdbc").options(**options).load()
            self._known[key] = found
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(key)
        # A frame of its own: what one has read is never taken for another's rows.
        return found.select("*")
