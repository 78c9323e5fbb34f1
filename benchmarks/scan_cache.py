"""Read tables of several sizes again and again in MariaDB, and count what comes from its disk.

python -m benchmarks.scan_cache [--scale-factor SF] [--repeats N] [-o results.json]

MariaDB reads past the system's page cache, into a pool of which only the old part is for what has
been read once. Tables of TPC-DS are read whole, one after another, and each several times; beside
the seconds stand the bytes that the server took from the disk, and those that the model takes to
be missed (`placement.costs`).
"""

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.provenance import provenance
from benchmarks.tables.scan_cache import readings
from evaluation.calibration.server_settings import settings_of
from evaluation.embedded import EmbeddedRequest, running
from evaluation.load import load
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql.sessions import Execute, session
from placement.plan import Outcome, PlacementPlan
from workloads.benchmarks import tpcds
from workloads.cache import cache_folder
from workloads.progress import Silent

# Smallest first. The last reads what nothing of before has left in memory.
TABLES = ("store_returns", "web_sales", "catalog_sales", "store_sales", "inventory")

POOL_BYTES = 512 << 20
"""Fewer than the largest tables take."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale-factor", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=5)
    default = Path(__file__).parent / "results" / "scan_cache.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    arguments = parser.parse_args()
    before = os.getloadavg()[0]
    found = measured(arguments.scale_factor, arguments.repeats)
    answer = {**provenance("benchmarks.scan_cache", before), **found}
    arguments.output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    print(readings(answer))


def measured(scale_factor: float, repeats: int) -> dict[str, Any]:
    """Load the tables, read each `1 + repeats` times, the first time as it is found."""
    catalog = tpcds.generate(scale_factor, cache_folder(), Silent())
    plan = PlacementPlan(
        strategy="one",
        outcome=Outcome.FEASIBLE,
        placement=dict.fromkeys(TABLES, ("maria",)),
        routing={},
        predicted_s=0.0,
    )
    request = EmbeddedRequest(store="maria", kind="mysql")
    with (
        tempfile.TemporaryDirectory(dir=cache_folder()) as folder,
        running([request], Path(folder), Silent()) as connections,
    ):
        load(catalog, [plan], connections, Silent())
        connection = connections["maria"]
        with session(connection, "setting failed") as execute:
            execute(f"SET GLOBAL innodb_buffer_pool_size = {POOL_BYTES}")
        settings = settings_of(connection)
        tables = []
        for name in TABLES:
            column = quoted(catalog.table(name).columns[-1].name, "`")
            runs = [_read(connection, name, column) for _ in range(1 + repeats)]
            print(name, runs, flush=True)
            tables.append({"table": name, "stored": _stored(connection, name), "runs": runs})
    return {
        "scale_factor": scale_factor,
        "repeats": repeats,
        "pool_bytes": settings.cache_bytes,
        "found_again_bytes": settings.found_again_bytes,
        "tables": tables,
    }


def _read(connection: Connection, table: str, column: str) -> dict[str, float]:
    """Read a table whole; return the seconds, and the bytes that the server read meanwhile."""
    name = f"`{connection.namespace}`.`{table}`"
    with session(connection, "reading failed") as execute:
        before = _data_read(execute)
        started = time.perf_counter()
        execute(f"SELECT count({column}) FROM {name}")
        seconds = time.perf_counter() - started
        return {"seconds": seconds, "from_disk": _data_read(execute) - before}


def _data_read(execute: Execute) -> int:
    ((_, value),) = execute("SHOW GLOBAL STATUS LIKE 'Innodb_data_read'")
    return int(value)


def _stored(connection: Connection, table: str) -> int:
    with session(connection, "asking failed") as execute:
        ((size,),) = execute(
            "SELECT data_length FROM information_schema.tables "
            "WHERE table_schema = %s AND table_name = %s",
            (connection.namespace, table),
        )
    return int(size)


if __name__ == "__main__":
    main()
