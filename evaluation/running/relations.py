"""The stores as relations of the engine, made once for each statement."""

import json
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, TypeVar

from evaluation.federation.compiled import CompiledFragment
from evaluation.measuring.plan_metrics import scanned_tables
from evaluation.running.conversions import UnlikeTypeError
from evaluation.running.typed_frames import Shape, typed
from evaluation.store_protocol.backend import Scan, view_name
from evaluation.store_protocol.carried import CarriedTypes
from evaluation.store_protocol.columns import quoted
from placement.transfer.link import TransferSettings
from workloads.counting.own import ALIAS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NONE: Mapping[str, str] = MappingProxyType({})
AS_IT_IS = Shape()
Kept = TypeVar("Kept")
MOST_KNOWN = 1_000
"""Relations that are remembered: those longest unused are forgotten."""

TransferOptions = Callable[[TransferSettings], Mapping[str, str]]
MemoryOptions = Callable[[Mapping[str, str], int], Mapping[str, str]]

# A literal may have such marks too, and is no name.
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|`((?:[^`]|``)+)`")
_ALL_COLUMNS = re.compile(r"\*\s*FROM\s*`|\.\s*\*", re.IGNORECASE)
# Views belong to the session: one thread at a time gives names to tables.
_NAMING = Lock()


def no_memory(_: Mapping[str, str], __: int) -> Mapping[str, str]:
    """Return none: the store's sessions have the memory that they have."""
    return NONE


def no_options(_: TransferSettings) -> Mapping[str, str]:
    """Return none: a scan has batches of its own."""
    return NONE


class Source(Protocol):
    """A store as the engine reads it. `few_rows` are options for results expected to be small."""

    @property
    def few_rows(self) -> Mapping[str, str]:
        """Options beside the others; none where it makes no difference."""
        ...

    @property
    def keeps_filters(self) -> bool:
        """Whether a relation may be read by one query alone: it keeps what that one asked."""
        ...

    @property
    def transfer_options(self) -> TransferOptions:
        """Return options for a result that is fetched with settings of its own."""
        ...

    def memory_options(self, memory_bytes: int) -> Mapping[str, str]:
        """Return options for a session with so much working memory."""
        ...

    def relation(
        self,
        spark: "SparkSession",
        sql: str,
        alias: str,
        more: Mapping[str, str],
        types: Mapping[str, str] = NONE,
    ) -> "DataFrame":
        """Return a frame over the rows of `sql`, read with `more` options; nothing is read yet.

        `types` are DuckDB's of the columns that the frame has then. Without them it has all, of
        the types that the store hands out.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JdbcSource:
    """A store that runs SQL: `options` are Spark's. Its scan is told by its alias.

    Values leave it as `carried`. Each statement of a store with a `mark` begins with this comment,
    and has a name by which statistics of statements know it as ours: MySQL's keep no comments.
    """

    options: Mapping[str, str] = field(repr=False)
    carried: CarriedTypes
    mark: str = ""
    few_rows: Mapping[str, str] = field(default_factory=dict)
    transfer_options: TransferOptions = no_options
    more_memory: MemoryOptions = no_memory
    keeps_filters: bool = False

    def memory_options(self, memory_bytes: int) -> Mapping[str, str]:
        """Return options for a session with so much working memory."""
        return self.more_memory(self.options, memory_bytes)

    def sent(self, sql: str, types: Mapping[str, str]) -> str:
        """Return the statement that is sent for `sql`, whose columns have DuckDB's `types`."""
        sent = self.carried.sent(sql, types)
        if not self.mark:
            return sent
        return f"{self.mark}SELECT * FROM ({sent}) {ALIAS}"  # noqa: S608 - compiled before

    def relation(
        self,
        spark: "SparkSession",
        sql: str,
        alias: str,
        more: Mapping[str, str],
        types: Mapping[str, str] = NONE,
    ) -> "DataFrame":
        """Return a frame over the rows that the store gives for `sql`."""
        options = {**self.options, **more, "dbtable": f"({self.sent(sql, types)}) {alias}"}
        frame = spark.read.format("jdbc").options(**options).load()
        return typed(frame, tuple(types.values()), self.carried.arrives) if types else frame


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedSource:
    """A store that is scanned: `scan` says how a table is, `namespace` is that of our tables.

    `views` gets each scanned table, by its number in the engine, with the alias it is read under.
    """

    namespace: str
    scan: Callable[[str], Scan]
    views: dict[int, str]
    few_rows: Mapping[str, str] = field(default_factory=dict)
    transfer_options: TransferOptions = no_options
    keeps_filters: bool = False

    def memory_options(self, memory_bytes: int) -> Mapping[str, str]:  # noqa: ARG002
        """Return none: Spark computes what is asked of it."""
        return NONE

    def relation(
        self,
        spark: "SparkSession",
        sql: str,
        alias: str,
        more: Mapping[str, str],  # noqa: ARG002 - ranges are those of the scan itself
        types: Mapping[str, str] = NONE,
    ) -> "DataFrame":
        """Return a frame over the rows that Spark gives for `sql` over scans of the tables.

        A view is resolved when the frame is made, so that it is not needed any longer.
        """
        names = {table: quoted(view_name(self.namespace, table), "`") for table in self._read(sql)}
        with _NAMING:
            try:
                for table, name in names.items():
                    scanned = _scanned(spark, self.scan(table), sql)
                    scanned.createOrReplaceTempView(name)
                    self.views.update(dict.fromkeys(scanned_tables(scanned), alias))
                frame = spark.sql(sql)
            finally:
                for table in names:
                    spark.catalog.dropTempView(view_name(self.namespace, table))
        if not types:
            return frame
        return typed(frame.select(*(quoted(each, "`") for each in types)), tuple(types.values()))

    def _read(self, sql: str) -> list[str]:
        """Return the tables that `sql` reads: their names are written by us, with the namespace."""
        before = re.escape(quoted(view_name(self.namespace, ""), "`").removesuffix("`"))
        found = re.findall(before + "((?:[^`]|``)+)`", sql)
        return [name.replace("``", "`") for name in dict.fromkeys(found)]


def _scanned(spark: "SparkSession", scan: Scan, sql: str) -> "DataFrame":
    """Return the frame of one table that `sql` reads."""
    if scan.register is not None:
        scan.register(spark)
    options = dict(scan.options)
    if scan.columns_option is not None and not _ALL_COLUMNS.search(sql):
        # Every name of a column that is read stands between these marks.
        names = [each.replace("``", "`") for each in _QUOTED.findall(sql) if each]
        options[scan.columns_option] = json.dumps(list(dict.fromkeys(names)))
    return spark.read.format(scan.format).options(**options).load()


class Relations:
    """Relations of one run: `sources` are the stores.

    Spark asks the store for the columns of every relation it makes, by a connection and a
    statement of their own. While a run holds its stores these do not change, so that a relation
    is made once. So is what gives a frame its types and order: Spark analyses each step anew. Not
    so of a data source of Python: Spark keeps what it learnt with the filters of one query, and
    reads the next one's rows through them.
    """

    def __init__(self, spark: "SparkSession", sources: Mapping[str, Source]) -> None:
        self._spark = spark
        self._sources = sources
        self._known: OrderedDict[tuple[object, ...], DataFrame] = OrderedDict()
        self._written: OrderedDict[tuple[object, ...], str] = OrderedDict()

    def runs_sql(self, store: str) -> bool:
        """Whether a store is sent statements; another is scanned."""
        return isinstance(self._sources[store], JdbcSource)

    def frame(
        self,
        store: str,
        sql: str,
        alias: str,
        *,
        few: bool,
        portions: Mapping[str, str] = NONE,
        hidden: str = "",
        types: Mapping[str, str] = NONE,
        shape: Shape = AS_IT_IS,
        transfer: TransferSettings | None = None,
        memory_bytes: int | None = None,
        common: str = "",
    ) -> "DataFrame":
        """Return a new frame over the rows of `sql`; its scan is told by `alias`.

        With `few` the store may be asked for all rows at once instead of a fetch size at a time,
        unless the result has settings of its own, `transfer`. With `memory_bytes` the session has
        so much working memory.
        `portions` are Spark's options to read ranges of a column at the same time. The frame has no
        column `hidden`, a whole number that rows are divided by alone. `types` are DuckDB's of the
        frame's columns. A frame that is a query's answer has its `shape`. `common` is the
        expression behind WITH that the statement begins with.

        Raises:
            UnlikeTypeError: Of what arrives a column's own type cannot be made exactly.
        """
        source = self._sources[store]
        few = few and bool(source.few_rows) and transfer is None
        settings = (transfer, memory_bytes)
        key = (store, sql, alias, few, settings, shape, *portions.items(), *types.items())
        # What has many keys within it is too large to be remembered.
        found = None if common else self._known.get(key)
        if found is None:
            fetched = NONE if transfer is None else source.transfer_options(transfer)
            memory = NONE if memory_bytes is None else source.memory_options(memory_bytes)
            begun = {"prepareQuery": f"WITH {common}"} if common else NONE
            more = {**(source.few_rows if few else fetched), **memory, **portions, **begun}
            read = {**types, hidden: "BIGINT"} if types and hidden else types
            try:
                found = shape.of(source.relation(self._spark, sql, alias, more, read))
            except UnlikeTypeError as error:
                raise UnlikeTypeError(f"Store '{store}': {error}.") from None
            found = found.drop(hidden) if hidden else found
            if source.keeps_filters or common:
                return found
            _keep(self._known, key, found)
        else:
            self._known.move_to_end(key)
        # A frame of its own: what one has read is never taken for another's rows.
        return found.select("*")

    def combined(self, sql: str, shape: Shape, views: Sequence[CompiledFragment]) -> "DataFrame":
        """Return a new frame that computes `sql` over `views`, which the session has, in `shape`.

        Which types Spark gives it is asked once.
        """
        key = (sql, shape, *((each.view, each.store, each.sql, each.types) for each in views))
        written = self._written.get(key)
        if written is None:
            frame = self._spark.sql(sql)
            written = shape.written(sql, frame.dtypes if shape.types else ())
            _keep(self._written, key, written)
            if written == sql:
                return frame
        else:
            self._written.move_to_end(key)
        return self._spark.sql(written)


def _keep(known: OrderedDict[tuple[object, ...], Kept], key: tuple[object, ...], one: Kept) -> None:
    known[key] = one
    while len(known) > MOST_KNOWN:
        known.popitem(last=False)
