"""DuckDB in the driver's process: combines small fragments, and what Spark's SQL cannot say.

The fragments' rows come as Arrow (`driver_rows`), and DuckDB runs the combining query over them.
They have to fit on the driver's machine: DuckDB spills what its share of the memory cannot hold.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.federation.result_types import NULL_TYPE
from evaluation.judging.answer import Answer
from evaluation.judging.duckdb_answer import settled_answer
from evaluation.measuring.plan_metrics import PlanMetrics, added_up
from evaluation.processes.memory import usable_memory_bytes
from evaluation.running.arrived import arrived_types
from evaluation.running.conversions import UnlikeTypeError, in_duckdb
from evaluation.running.driver_rows import DriverRows

if TYPE_CHECKING:
    import pyarrow as pa

MEMORY_SHARE = 0.25
"""Of the machine's memory: Spark and embedded stores have theirs beside it."""
_ARRIVED = "arrived"
_ROWS = "_rows"
_TOLD = {"SYSTEM_PEAK_BUFFER_MEMORY": "true", "SYSTEM_PEAK_TEMP_DIR_SIZE": "true"}
Config = dict[str, str | bool | int | float | list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Took:
    """The most bytes that a database had in memory, and on disk."""

    memory_bytes: int
    disk_bytes: int


class LargerThanPredictedError(Exception):
    """More rows arrive than a query may have that was predicted to be small."""


@dataclass(slots=True, kw_only=True, eq=False)
class DriverFrame:
    """The answer of a query that DuckDB combines over the rows of its fragments.

    `source` brings their rows, which are waited for as long as `patience_s`. DuckDB spills into
    `folder`, beyond its `share` of the machine's memory. `took` are the most bytes that DuckDB had
    in memory and on disk, the rows of the fragments among them; None where it does not tell. Once
    all rows `have_arrived`, Spark and the stores have nothing more to do.
    """

    query: CompiledQuery
    source: DriverRows
    folder: Path
    share: float = MEMORY_SHARE
    patience_s: float | None = None
    connection: duckdb.DuckDBPyConnection = field(init=False)
    took: _Took | None = field(init=False, default=None)
    have_arrived: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        """Open an empty database."""
        config: Config = {
            "temp_directory": str(self.folder),
            "memory_limit": _memory(self.share),
            # Where these say that all text is ASCII, SUBSTRING of short text from before its start
            # has letters that it has not in other text: a part of the rows would tell otherwise.
            "disabled_optimizers": "statistics_propagation",
        }
        connection = duckdb.connect(":memory:", config=config)
        # Not before: the folder to spill into could not be set.
        connection.execute("SET enable_external_access = false")
        self.connection = connection

    def collect(self) -> Answer:
        """Return the answer; this can be done once.

        Raises:
            duckdb.Error: DuckDB cannot compute it, or was interrupted.
            UnlikeTypeError: Of what arrived a column's own type cannot be made exactly.
            LargerThanPredictedError: A fragment has too many rows.
            TimeoutError: A store says nothing, not even after its statements were cancelled.
            Exception: Whatever was raised while rows were read.
        """
        with self.connection as connection:
            connection.execute("SET TimeZone = 'UTC'")
            rows = self.source.begin()
            for each in as_completed(rows.values(), self.patience_s):
                each.result()
            self.have_arrived = True
            if any(each.result().is_cut for each in rows.values()):
                raise LargerThanPredictedError("more rows arrive where little was predicted")
            for fragment in self.query.fragments:
                if fragment.same_as is None:
                    _keep(connection, fragment, rows[fragment.view].result().taken())
                else:
                    connection.execute(_renamed(fragment, fragment.same_as))
            for view, table in self.query.tables.items():
                connection.execute(f"CREATE VIEW {_quoted(table)} AS FROM {_quoted(view)}")
            connection.execute("PRAGMA enable_profiling = 'no_output'")
            connection.execute(f"SET custom_profiling_settings = '{json.dumps(_TOLD)}'")
            answer = settled_answer(connection, self.query.combine_sql or "")
            self.took = _took(connection)
            return answer

    def interrupt(self) -> None:
        """End what DuckDB computes, and the waits for rows."""
        self.source.end()
        with suppress(duckdb.Error):  # It is done, and its connection closed.
            self.connection.interrupt()

    @property
    def refused(self) -> str:
        """Why Spark read a fragment, where its store's own driver could not; else nothing."""
        rows = [each.result() for each in self.source.rows.values()]
        return next((each.refused for each in rows if each.refused), "")

    def counted(self, views: Mapping[int, str]) -> PlanMetrics:
        """Return what was counted while the fragments were read, and the memory of DuckDB."""
        rows = {view: each.result() for view, each in self.source.rows.items()}
        found = added_up([each.counted(view, views) for view, each in rows.items()])
        took = self.took
        if took is None:
            return found
        spilled_bytes = found.spilled_bytes + took.disk_bytes
        return replace(found, peak_memory_bytes=took.memory_bytes, spilled_bytes=spilled_bytes)


def _memory(share: float) -> str:
    return f"{int(usable_memory_bytes() * share)}B"


def _took(connection: duckdb.DuckDBPyConnection) -> _Took | None:
    """Return what the database took so far: it tells that of its last statement, a SELECT."""
    with suppress(duckdb.Error, ValueError, KeyError):
        connection.execute("SELECT 1").fetchall()
        told = json.loads(connection.get_profiling_information(format="json"))
        return _Took(
            memory_bytes=int(told["system_peak_buffer_memory"]),
            disk_bytes=int(told["system_peak_temp_dir_size"]),
        )
    return None


def _keep(
    connection: duckdb.DuckDBPyConnection, fragment: CompiledFragment, table: "pa.Table"
) -> None:
    connection.register(_ARRIVED, table)
    found = arrived_types(connection, _ARRIVED, table)
    for statement in kept_rows(fragment, _ARRIVED, found):
        connection.execute(statement)
    connection.unregister(_ARRIVED)


def kept_rows(
    fragment: CompiledFragment, relation: str, found: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the statements that keep the rows of `relation` under the name of the fragment's view.

    They have the types that they have in DuckDB; `found` are those that they arrived in, where
    these are known. A table, not a view of Arrow data: what DuckDB would let Arrow filter is
    compared by Arrow. What is NULL in every row and has no type takes the one that a query gives
    it: no column of a table does, one of a view does.

    Raises:
        UnlikeTypeError: Of what arrived a column's own type cannot be made exactly.
    """
    columns = ", ".join(
        f"{_typed(fragment, name, is_type, type_)} AS {_quoted(name)}"
        for name, is_type, type_ in zip(
            fragment.columns, found or fragment.types, fragment.types, strict=True
        )
    )
    table, view = _quoted(fragment.view + _ROWS), _quoted(fragment.view)
    yield f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT {columns} FROM {relation}"  # noqa: S608
    outputs = ", ".join(
        f"NULL AS {_quoted(name)}" if type_ == NULL_TYPE else _quoted(name)
        for name, type_ in zip(fragment.columns, fragment.types, strict=True)
    )
    yield f"CREATE OR REPLACE TEMP VIEW {view} AS SELECT {outputs} FROM {table}"  # noqa: S608


def _typed(fragment: CompiledFragment, name: str, found: str, wanted: str) -> str:
    if wanted == NULL_TYPE:
        # What is NULL in every row has no type to be cast to.
        return "NULL"
    made = in_duckdb(_quoted(name), found, wanted)
    if made is None:
        raise UnlikeTypeError(
            f"Store '{fragment.store}': column '{name}' arrives as {found}, of which no {wanted} "
            "can be made exactly."
        )
    return made


def _renamed(fragment: CompiledFragment, read: str) -> str:
    """Return the statement that gives the rows of the view `read` the fragment's names."""
    names = ", ".join(map(_quoted, fragment.columns))
    return f"CREATE VIEW {_quoted(fragment.view)} ({names}) AS FROM {_quoted(read)}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
