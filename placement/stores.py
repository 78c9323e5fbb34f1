"""Stores as the model sees them: capacity, capabilities and strengths."""

from dataclasses import dataclass
from enum import StrEnum


class Capability(StrEnum):
    """What a store can run in one fragment, from least to most."""

    SCAN = "scan"  # one table with filters
    JOIN = "join"  # several tables of one block
    BLOCK = "block"  # a whole block with its aggregation
    QUERY = "query"  # a whole query


FULL_SQL = frozenset(Capability)


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """The rates of a store, for one execution on an otherwise idle machine.

    `source` names where the figures come from: 'default' until the store is calibrated.

    start_s: seconds before the first row of any fragment (connection, planning, Spark's task).
    scan_bytes_per_s: bytes of a table read and filtered a second; a column store reads only the
        columns it needs (`columnar`).
    join_rows_per_s: rows that enter a join, a second.
    aggregate_rows_per_s: rows that enter an aggregation, a sort or a set operation, a second.
    transfer_bytes_per_s and transfer_rows_per_s: what the engine receives from it.
    """

    source: str = "default"
    columnar: bool = False
    start_s: float
    scan_bytes_per_s: float
    join_rows_per_s: float
    aggregate_rows_per_s: float
    transfer_bytes_per_s: float
    transfer_rows_per_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """A system that holds tables and runs fragments. `capacity_bytes` None is unlimited.

    Capacities are in the catalog's bytes (rows times mean width), the same for every store.
    `lacks` names SQL features (`Fragment.features`) that the store cannot run.
    """

    name: str
    kind: str
    strength: Strength
    capacity_bytes: int | None = None
    capabilities: frozenset[Capability] = FULL_SQL
    lacks: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What combines fragments across stores: Spark.

    start_s: seconds to plan and run the combining query of a query that is not one fragment.
    fragment_s: seconds to materialise one arriving fragment, whatever its size.
    rows_per_s: rows that the combining query handles a second.
    """

    source: str = "default"
    start_s: float
    fragment_s: float
    rows_per_s: float
