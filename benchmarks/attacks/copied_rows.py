"""Digests of rows, alike for each driver, and those of the copies in a store."""

import hashlib
import struct
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from benchmarks.attacks.asking import asked
from evaluation.kinds import BACKENDS, SCANNED
from evaluation.objects.client import ObjectClient
from evaluation.objects.tables import SpaceTables, batches, group_of
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.register import STAGING
from evaluation.stores.accumulo.sessions import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_DIGITS = Context(prec=60)
"""Numbers have no more digits than that; the usual context rounds to 28."""


def digest(rows: Iterable[Sequence[Any]], float_column: int | None = None) -> str:
    """Return a digest of rows in any order; `float_column` has four bytes in some store."""
    lines = sorted(
        "\t".join(_text(value, short=at == float_column) for at, value in enumerate(row))
        for row in rows
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16] + f" of {len(lines)}"


def _text(value: Any, *, short: bool) -> str:  # noqa: ANN401
    """Return a value as every driver's is; text is told from NULL."""
    if value is None:
        return r"\N"
    if short:
        value = struct.unpack("f", struct.pack("f", value))[0]
    forms: dict[type, Callable[[Any], str]] = {
        bool: lambda one: str(int(one)),
        Decimal: lambda one: format(one.normalize(_DIGITS), "f"),
        datetime: _moment,
        date: lambda one: one.isoformat(),
        **dict.fromkeys((bytes, bytearray, memoryview), lambda one: bytes(one).hex()),
    }
    return forms.get(type(value), repr)(value)


def _moment(value: datetime) -> str:
    in_utc = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    return in_utc.isoformat(timespec="microseconds")


class Target:
    """A store that gets copies, asked without what has loaded them."""

    def __init__(self, connection: Connection, spark: "SparkSession") -> None:
        self.connection = connection
        self._spark = spark

    def registered(self) -> dict[str, int]:
        """Return table → rows of the copies that are complete, as the store's register says."""
        backend = BACKENDS[self.connection.kind]
        return {name: copy.rows for name, copy in backend.loaded(self.connection).items()}

    def digest(self, table: str, float_column: int | None) -> str:
        """Return the digest of the rows of a copy."""
        return digest(self._rows(table), float_column)

    def left(self) -> list[str]:
        """Return what a load that did not end has left in the namespace."""
        return [name for name in self._names() if name.startswith(STAGING)]

    def drop(self, tables: Iterable[str]) -> None:
        """Drop copies."""
        for each in tables:
            BACKENDS[self.connection.kind].drop(self.connection, each)

    def _rows(self, table: str) -> Sequence[Sequence[Any]]:
        kind = self.connection.kind
        if kind == "accumulo":
            scan = SCANNED[kind].scan(self.connection, table, timeout_s=60, fetch_size=1000)
            frame = self._spark.read.format(scan.format).options(**scan.options).load()
            return [tuple(row) for row in frame.collect()]
        if kind == "objects":
            with ObjectClient(self.connection.nodes, self.connection.password or "") as client:
                entry = SpaceTables(client, self.connection.namespace).all()[table]
                found = [one for each in client.get(entry.ids).buffers() for one in batches(each)]
                columns = pa.Table.from_batches(found, entry.arrow_schema).to_pydict()
                return list(zip(*columns.values(), strict=True))
        name = BACKENDS[kind].table_name(self.connection, table)
        return self._asked(f"SELECT * FROM {name}")

    def _names(self) -> list[str]:
        kind = self.connection.kind
        if kind == "accumulo":
            with session(self.connection, "listing its tables failed") as opened:
                listed = opened.execute("list", namespace=self.connection.namespace)
            return [name.partition(".")[2] for name in listed]
        if kind == "objects":
            with ObjectClient(self.connection.nodes, self.connection.password or "") as client:
                entries = SpaceTables(client, self.connection.namespace).all()
                made = client.objects(group_of(self.connection.namespace)).values()
                strays = {one for ids in made for one in ids}
                for entry in entries.values():
                    strays -= set(entry.ids)
                return [*entries, *(f"{STAGING}{each.hex()}" for each in strays)]
        where = f"WHERE table_schema = '{self.connection.namespace}'"
        rows = self._asked(f"SELECT table_name FROM information_schema.tables {where}")
        return [str(row[0]) for row in rows]

    def _asked(self, sql: str) -> Sequence[Sequence[Any]]:
        if self.connection.kind == "duckdb":
            with duckdb.connect(str(self.connection.path), read_only=True) as file:
                file.execute("SET TimeZone = 'UTC'")
                return file.execute(sql).fetchall()
        return asked(self.connection, sql)
