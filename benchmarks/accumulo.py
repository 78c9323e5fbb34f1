"""Write and read five columns in Accumulo, in both layouts, beside its client's own scan.

python -m benchmarks.accumulo [--rows N] [--repeats N] [-o results.json]

The table has a key of whole numbers, in no order, and four other columns. It is loaded as the
advisor loads, and written by Spark. Spark reads it on two cores to its `noop` sink, after a
warm-up, the ways taking turns: every column, two of them, and one row in a hundred by a condition,
each by an iterator in the tablet servers, which hands out batches of rows, and by Spark's tasks,
which are handed the entries as they are stored; and a range of keys. Accumulo's client, open
already, reads the same entries, a thread for each core, and throws them away. Rates are of rows in
the table a second, medians over the repeats with the fastest and slowest. Loads and writes are
measured three times, after one that warms up.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from benchmarks.provenance import provenance
from benchmarks.tables.accumulo import rates as rates_table
from evaluation.embedded import EmbeddedRequest, running
from evaluation.installation.jars import jars
from evaluation.installation.java import java_home
from evaluation.spark.session import session
from evaluation.store_protocol.connection import Connection
from evaluation.stores.accumulo.backend import FORMAT, Accumulo
from evaluation.stores.accumulo.names import qualified
from evaluation.stores.accumulo.tablets import LAYOUTS
from workloads.catalog import Column, Table
from workloads.progress import Silent

if TYPE_CHECKING:
    from py4j.java_gateway import JavaObject
    from pyspark.sql import DataFrame, SparkSession

CORES = 2
WRITES = 3
COLUMNS = {
    "id": "BIGINT", "quantity": "INTEGER", "price": "DECIMAL(7,2)", "day": "DATE",
    "word": "VARCHAR",
}  # fmt: skip
QUERY = """
SELECT (i * 7919) % {rows} AS id, (i % 100)::INTEGER AS quantity,
    ((i * 31) % 90000 / 100)::DECIMAL(7,2) AS price, DATE '2000-01-01' + (i % 3650)::INTEGER AS day,
    'word number ' || (i % 5000) AS word
FROM range({rows}) AS r(i)
"""
BACKEND = Accumulo()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    default = Path(__file__).parent / "results" / "accumulo.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    arguments = parser.parse_args()
    before = os.getloadavg()[0]
    rates = measure(arguments.rows, arguments.repeats)
    answer = {
        **provenance("benchmarks.accumulo", before),
        "rows": arguments.rows,
        "repeats": arguments.repeats,
        "rows_per_s": rates,
    }
    arguments.output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    print(rates_table(answer))


def measure(rows: int, repeats: int) -> dict[str, dict[str, Sequence[float]]]:
    """Return layout → way → rows a second of each repeat."""
    request = EmbeddedRequest(store="acc", kind=BACKEND.kind)
    with (
        tempfile.TemporaryDirectory() as folder,
        running([request], Path(folder), Silent()) as connections,
        session(
            master=f"local[{CORES}]",
            jars=jars(BACKEND.jars, Silent()),
            java_home=java_home(Silent()),
            driver_memory="2g",
        ) as spark,
    ):
        table = made(Path(folder), rows)
        return {
            layout: layout_rates(spark, connections["acc"], table, layout, repeats)
            for layout in LAYOUTS
        }


def made(folder: Path, rows: int) -> Table:
    path = folder / "measured.parquet"
    with duckdb.connect() as database:
        query = QUERY.format(rows=rows)
        database.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 100000)")
    return Table(
        name="measured",
        rows=rows,
        fingerprint="measured",
        primary_key=("id",),
        parquet=path,
        columns=tuple(Column(name=n, type=t, width_bytes=8.0) for n, t in COLUMNS.items()),
    )


def layout_rates(
    spark: "SparkSession", connection: Connection, table: Table, layout: str, repeats: int
) -> dict[str, Sequence[float]]:
    connection = replace(connection, options={"layout": layout, "iterators": "server"})
    BACKEND.prepare(connection)
    loads = [
        table.rows / BACKEND.load(connection, replace(table, fingerprint=str(each))).load_s
        for each in range(WRITES + 1)
    ]
    found: dict[str, list[float]] = {"loaded": loads[1:]}
    with closing(opened(spark, connection)) as client:
        ways = dict(reads(spark, connection, table, client))
        for turn in range(repeats + 1):
            for name, way in ways.items():
                started = time.perf_counter()
                way()
                if turn:
                    found.setdefault(name, []).append(table.rows / (time.perf_counter() - started))
    writes = [spark_write(spark, connection, table, layout) for _ in range(WRITES + 1)]
    return {**found, "written by Spark": writes[1:]}


def reads(
    spark: "SparkSession", connection: Connection, table: Table, client: "JavaObject"
) -> Iterator[tuple[str, Callable[[], object]]]:
    def frame(iterators: str = "server") -> "DataFrame":
        scan = BACKEND.scan(
            replace(connection, options={"iterators": iterators}),
            table.name,
            timeout_s=600,
            fetch_size=10_000,
        )
        return spark.read.format(scan.format).options(**scan.options).load()

    def read(found: "DataFrame") -> Callable[[], object]:
        return lambda: found.write.format("noop").mode("overwrite").save()

    yield "5 columns, in batches of servers", read(frame())
    yield "5 columns, as they are stored", read(frame("client"))
    yield "2 columns, cut in servers", read(frame().select("id", "quantity"))
    yield "2 columns, cut in tasks", read(frame("client").select("id", "quantity"))
    yield "1 row in 100, tested in servers", read(frame().where("quantity = 7"))
    yield "1 row in 100, tested in tasks", read(frame("client").where("quantity = 7"))
    yield "1 row in 100, a range of keys", read(frame().where(f"id < {table.rows // 100}"))
    yield "Accumulo's client alone", lambda: client_scan(spark, client, connection, table)


def opened(spark: "SparkSession", connection: Connection) -> "JavaObject":
    """Return a client of Accumulo's in Spark's process."""
    jvm: Any = spark._jvm
    return jvm.placementadvisor.accumulo.Login(
        f"{connection.host}:{connection.port}",
        connection.database,
        connection.user,
        connection.password,
    ).open()


def client_scan(
    spark: "SparkSession", client: "JavaObject", connection: Connection, table: Table
) -> None:
    """Iterate over all entries in Java, a thread for each core."""
    jvm: Any = spark._jvm
    name = qualified(connection.namespace, table.name)
    ends = [None, *sorted(client.tableOperations().listSplits(name), key=str), None]

    def scanned(tablet: int) -> None:
        scanner = client.createScanner(name, jvm.org.apache.accumulo.core.security.Authorizations())
        scanner.setBatchSize(10_000)
        scanner.setRange(
            jvm.org.apache.accumulo.core.data.Range(ends[tablet], False, ends[tablet + 1], True)
        )
        jvm.com.google.common.collect.Iterables.size(scanner)
        scanner.close()

    with ThreadPoolExecutor(CORES) as pool:
        list(pool.map(scanned, range(len(ends) - 1)))


def spark_write(spark: "SparkSession", connection: Connection, table: Table, layout: str) -> float:
    scan = BACKEND.scan(connection, "written", timeout_s=600, fetch_size=10_000)
    rows = spark.read.parquet(str(table.parquet))
    started = time.perf_counter()
    (
        rows.write.format(FORMAT)
        .options(**scan.options, key="id", layout=layout)
        .mode("overwrite")
        .save()
    )
    return table.rows / (time.perf_counter() - started)


if __name__ == "__main__":
    main()
