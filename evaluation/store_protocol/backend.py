"""The protocol of a store's back end. One file a kind, named in its description."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from evaluation.store_protocol.carried import CarriedTypes
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.holding import Holding
from placement.stores import Capability, Strength
from placement.transfer.link import TransferSettings
from workloads.catalog import Table
from workloads.counting.own import RUN_MARK
from workloads.errors import StoreError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedTable:
    """A complete copy of a table in a store.

    `load_s` is what loading it took, whenever that was: where several are loaded at once, its share
    of the time that they have in common. `found` says that it was there already. `as_of` is
    when its rows were read of a live table; "" for those that nobody changes. `indexes` tells its
    indexes from others, "" where it has none. `reindexed` says that only these were changed now.
    """

    store: str
    table: str
    fingerprint: str
    rows: int
    load_s: float
    found: bool = False
    as_of: str = ""
    indexes: str = ""
    reindexed: bool = False

    @classmethod
    def of(cls, store: str, table: Table, *, load_s: float, indexes: str = "") -> "LoadedTable":
        """Return the copy of `table` that `store` has just got, with all rows of the catalog's."""
        return cls(
            store=store,
            table=table.name,
            fingerprint=table.fingerprint,
            rows=table.rows,
            load_s=load_s,
            as_of="" if table.origin is None else table.origin.as_of,
            indexes=indexes,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """A table as Spark reads it: the name of a format of DataSource V2, and the format's options.

    The options may hold the password, so they never show in `repr`. `register` tells a session of
    the format, where Spark does not find it by its name alone. `columns_option` is the option that
    takes the columns to be read, as a JSON list in which others may be as well, where Spark does
    not prune them itself.
    """

    format: str
    options: Mapping[str, str] = field(repr=False)
    register: "Callable[[SparkSession], None] | None" = None
    columns_option: str | None = None


class Backend(Protocol):
    """A kind of store: how to log in, load and list. How it is read, a subclass says.

    `kind` is the word in the project file, `dialect` sqlglot's name of the SQL that its fragments
    are written in, `jars` the names in `evaluation.installation.artifacts.ARTIFACTS` of what Spark
    needs, `capabilities` and `strength` the model's defaults for an uncalibrated store, `lacks`
    the SQL features (`workloads.footprint.Block.features`) that it cannot run, `holding` the types
    and values that it can hold, `loads_at_once` how many tables are loaded side by side: more than
    one where a load waits more than it works. `makes_indexes` tells that its copies get the indexes
    of their tables.
    Every method raises StoreError (with the store's name, without the password).
    """

    kind: ClassVar[str]
    dialect: ClassVar[str]
    jars: ClassVar[tuple[str, ...]]
    capabilities: ClassVar[frozenset[Capability]]
    lacks: ClassVar[frozenset[str]]
    holding: ClassVar[Holding]
    strength: ClassVar[Strength]
    loads_at_once: ClassVar[int]
    makes_indexes: ClassVar[bool]

    def end_sessions(self, connection: Connection, run: str) -> int:
        """End the sessions marked as those of `run`; return how many there were.

        Nobody else's are touched. What they execute ends with them. A store that is only read by
        tasks of the engine, which end by themselves, has none.
        """
        ...

    def answers(self, connection: Connection) -> bool:
        """Tell whether a login succeeds; it is given a few seconds."""
        ...

    def refusals(self, connection: Connection) -> tuple[StoreError, ...]:
        """Return an error for each thing that would refuse our copies: its version, privileges.

        It is only asked for them, and nothing is written. Raises StoreError where it does not
        answer, or takes no login.
        """
        ...

    def table_name(self, connection: Connection, table: str) -> str:
        """Return the quoted, qualified name of one of our tables in the store's dialect."""
        ...

    def hold(self, connection: Connection) -> AbstractContextManager[None]:
        """Keep other advisors out of the namespace for the length of the block.

        Two at once would drop each other's staging tables and replace what the other measures.
        """
        ...

    def prepare(self, connection: Connection) -> None:
        """Create the namespace and its register of tables; drop what a killed load left."""
        ...

    def loaded(self, connection: Connection) -> Mapping[str, LoadedTable]:
        """Return table → copy for every complete copy; all of them are `found`."""
        ...

    def load(self, connection: Connection, table: Table, stop: Event | None = None) -> LoadedTable:
        """Load `table` from its Parquet by the store's bulk path, atomically.

        The copy is staged, gets its primary key, indexes and statistics, is counted, and only then
        appears under its name and in the register. An older copy stays until that moment. `stop`
        ends a load amid its rows, with LoadStoppedError.
        """
        ...

    def drop(self, connection: Connection, table: str) -> None:
        """Drop our copy of `table` and its entry in the register."""
        ...


@runtime_checkable
class Reindexing(Protocol):
    """A back end that changes the indexes of a copy which is there. Others load it anew."""

    def reindex(
        self, connection: Connection, table: Table, there: LoadedTable, stop: Event | None = None
    ) -> LoadedTable | None:
        """Give the complete copy `there` the indexes of `table`, and drop others that we made.

        None where it has another primary key than the table: it has to be loaded anew.
        One that was interrupted is found as such the next time, and only what is still missing is
        made. `stop` ends it between two indexes, with LoadStoppedError.
        """
        ...


class JdbcBackend(Backend, Protocol):
    """A store that runs SQL: Spark's JDBC sends it each fragment as a query.

    `carried` says in what form its values leave. `few_rows` are the options beside `jdbc`'s for a
    result that is expected to fit into one round trip. `key_store_options` are those that take a
    file of PKCS#12 with our certificate and key, and its password; none where there is no TLS.
    `shares_connections` tells that a session of Spark has a pool of connections for it: where a
    login costs time, and a session can be reset.
    """

    carried: ClassVar[CarriedTypes]
    key_store_options: ClassVar[tuple[str, ...]]
    few_rows: ClassVar[Mapping[str, str]]
    shares_connections: ClassVar[bool]

    def jdbc(
        self, connection: Connection, *, timeout_s: float, fetch_size: int
    ) -> Mapping[str, str]:
        """Return Spark's JDBC options for reading, without ``query`` and ``dbtable``.

        `timeout_s` becomes the store's own statement timeout, so that a cancelled or late query
        does not run on.
        """
        ...

    def transfer_options(self, transfer: TransferSettings) -> Mapping[str, str]:
        """Return the options instead of `jdbc`'s that fetch a result with settings of its own.

        What its driver cannot be told is left out. The largest message is the driver's own.
        """
        ...

    def session_options(
        self,
        options: Mapping[str, str],
        run: str,
        *,
        silence_s: float,
        read_only: bool = False,
    ) -> Mapping[str, str]:
        """Return the JDBC `options` with those that mark sessions as those of `run`.

        With them no wait for the store's answer is longer than `silence_s`, which must be longer
        than the statement timeout. `run` consists of letters, digits and '-', 16 at most. Those of
        a store that is `read_only` take no lock; their statements have `statement_mark`.
        """
        ...


class ScannedBackend(Backend, Protocol):
    """A store that runs no SQL: Spark scans its tables, each by a DataSource V2.

    Fragments are written in Spark's SQL (`dialect` is ``spark``) and Spark pushes columns and
    filters into the scan. `capabilities` are `SCAN`, `KEYS` where the scan takes lists of values,
    and `ONE_SCAN` where the engine may keep a scan's rows for several fragments. `table_name` is
    the name of the view that stands for a table (`view_name`). `origin` is how the names of the
    Java classes begin whose exceptions tell of the store. `keeps_filters` tells that Spark filters
    the rows of a scan by what an earlier query of the same frame asked: then not `ONE_SCAN`.
    """

    origin: ClassVar[str]
    keeps_filters: ClassVar[bool]

    def scan(
        self, connection: Connection, table: str, *, timeout_s: float, fetch_size: int
    ) -> Scan:
        """Return how Spark scans our copy of `table`, `fetch_size` rows a round trip.

        A scan that is late by `timeout_s`, or whose task is cancelled, must end by itself. It may
        count the nanoseconds that it waits for its first rows and for the others, under the names
        of Spark's JDBC (`evaluation.measuring.plan_metrics`).
        """
        ...

    def catalog(self, connection: Connection, *, timeout_s: float, fetch_size: int) -> Scan | None:
        """Return a catalog of Spark that has all tables of the store, with its options.

        Each table there scans as `scan` says, and its name in plans begins with the catalog's. None
        where the store has no such catalog.
        """
        ...


def view_name(namespace: str, table: str) -> str:
    """Return the name by which fragments of a scanned store read a table: one part, not quoted."""
    return f"{namespace}.{table}"


def statement_mark(run: str) -> str:
    """Return the comment that tells statements of `run` in a server's list of what it executes."""
    return f"{RUN_MARK} {run} */"
