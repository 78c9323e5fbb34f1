"""Read results from PostgreSQL with every pair of settings, and with those that a link chooses.

python -m benchmarks.transfer [--links loopback slow] [--repeats N] [--megabytes MB …] [-o FILE]

Results of four widths and five sizes are read by Spark, over loopback and over a relay with a rate
and a delay. The grid is every fetch size with every message size, each pair once, in an order of
chance. The link is calibrated beforehand as `advisor calibrate` does it, on other data. With all
sizes its probes are at most 5 % of the grid's reads. Then the chosen settings, the best of the
grid, Spark's default and fetch sizes of 10, 1,000 and all rows are read in turn, `--repeats` times:
what chance alone made fast in the grid is so no more. A fetch size of 10 is left out where it takes
thousands of round trips. The memory is that of the largest result of each width, over loopback.
"""

import argparse
import json
import os
import random
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from benchmarks.provenance import provenance
from benchmarks.slow_link import SLOW, slow_link
from benchmarks.tables.transfer import readings
from benchmarks.transfer_reads import STORE, Rows, fill, most_memory, read_s
from evaluation.calibration.links import LinkCalibration, links
from evaluation.embedded import EmbeddedRequest, running
from evaluation.evaluate import open_session
from evaluation.kinds import BACKENDS
from evaluation.running.execution import Federation
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from placement.costs import DEFAULT_COSTS
from placement.fetching import Budget
from placement.transfer.bounds import MOST_MESSAGE
from placement.transfer.closed_form import closed_form
from placement.transfer.link import TransferSettings
from workloads.benchmarks import tpch
from workloads.cache import cache_folder
from workloads.progress import Silent
from workloads.workload import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WIDTHS = (16, 64, 256, 1024)
MEGABYTES = (0.5, 1.0, 2.0, 4.0, 6.0)
FETCH_ROWS = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
"""Beside these, all rows."""
MESSAGE_BYTES = (24_576, MOST_MESSAGE)
"""Below, buffers are so much smaller than loopback's segments that a megabyte takes 10 to 40 s."""
SPARKS_DEFAULT = 0
"""The fetch size by which Spark leaves it to the driver, which asks for all rows at once."""
MOST_TRIPS = 12_500
CALIBRATED_ON = 0.05
"""The scale factor of the data that the link is calibrated on."""
LIMIT_S = 300.0
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A PostgreSQL behind a link, and who reads from it."""

    spark: "SparkSession"
    federation: Federation
    job: Job
    connection: Connection

    def seconds(self, rows: Rows, transfer: TransferSettings) -> float:
        """Return what one reading takes."""
        return read_s(self.federation, self.connection, rows, transfer)


def main() -> None:
    arguments = _arguments()
    before = os.getloadavg()[0]
    found = _measured(arguments)
    answer = {**provenance("benchmarks.transfer", before), **found}
    arguments.output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    print(readings(answer))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--links", nargs="+", choices=("loopback", "slow"))
    parser.add_argument("--megabytes", nargs="+", type=float, default=list(MEGABYTES))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    default = Path(__file__).parent / "results" / "transfer.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    parser.set_defaults(links=["loopback", "slow"])
    return parser.parse_args()


def _measured(arguments: argparse.Namespace) -> dict[str, Any]:
    catalog = tpch.generate(CALIBRATED_ON, cache_folder(), Silent())
    results = [
        Rows(width=width, rows=round(size * 1e6 / width))
        for width, size in product(WIDTHS, arguments.megabytes)
    ]
    largest = {each.width: each.rows for each in sorted(results, key=lambda each: each.rows)}
    request = EmbeddedRequest(store=STORE, kind="postgresql")
    with (
        tempfile.TemporaryDirectory(dir=cache_folder()) as folder,
        running([request], Path(folder), Silent()) as connections,
    ):
        connection, backend = connections[STORE], BACKENDS["postgresql"]
        backend.prepare(connection)
        backend.load(connection, catalog.table("lineitem"))
        fill(connection, largest)
        job = Job(
            workload=Workload(name="none", dialect="duckdb", queries=()),
            catalog=catalog,
            connections=connections,
            query_timeout_s=LIMIT_S,
            seed=arguments.seed,
        )
        with open_session(job, Silent()) as spark:
            told = [_link(spark, job, name, results, arguments) for name in arguments.links]
            with _behind(spark, job, "loopback") as reader:
                memory = list(_memory(reader, largest, told[0]["fragments"]))
    return {
        "seed": arguments.seed,
        "repeats": arguments.repeats,
        "slow": SLOW,
        "links": told,
        "memory": memory,
    }


@contextmanager
def _behind(spark: "SparkSession", job: Job, link: str) -> Iterator[Reader]:
    """Give a reader over the link called so."""
    direct = job.connections[STORE]
    if link == "loopback":
        with _reader(spark, job, direct) as reader:
            yield reader
        return
    if direct.port is None:
        raise RuntimeError("an embedded server has a port")
    with (
        slow_link(direct.port, **SLOW) as port,
        _reader(spark, job, replace(direct, port=port)) as reader,
    ):
        yield reader


@contextmanager
def _reader(spark: "SparkSession", job: Job, connection: Connection) -> Iterator[Reader]:
    behind = replace(job, connections={STORE: connection})
    with Federation(spark, behind.connections, timeout_s=LIMIT_S) as federation:
        yield Reader(spark=spark, federation=federation, job=behind, connection=connection)


def _link(
    spark: "SparkSession",
    job: Job,
    name: str,
    results: Sequence[Rows],
    arguments: argparse.Namespace,
) -> dict[str, Any]:
    """Measure all results over one link."""
    draw = random.Random(arguments.seed)
    with _behind(spark, job, name) as reader:
        for each in results:  # what Java compiles, and what the server keeps, for all alike
            reader.seconds(each, TransferSettings(fetch_rows=1_000, message_bytes=MOST_MESSAGE))
        calibrated = _calibrated(spark, reader.job)
        say(f"{name}: {calibrated.probes} probes, mean relative error {calibrated.error:.3f}")
        grids = _grids(reader, results, draw)
        asked = {each: _compared(each, grids[each], calibrated) for each in results}
        seconds = _in_turn(reader, asked, arguments.repeats, draw)
    return {
        "link": name,
        "calibration": asdict(calibrated),
        "fragments": [
            {
                **asdict(each),
                "grid": [{**asdict(at), "seconds": took} for at, took in grids[each].items()],
                "compared": [
                    {"name": named, **asdict(at), "seconds": seconds[each, named]}
                    for named, at in asked[each].items()
                ],
            }
            for each in results
        ],
    }


def _calibrated(spark: "SparkSession", job: Job) -> LinkCalibration:
    found = links(spark, job, Silent())
    if STORE not in found.stores:
        raise RuntimeError(found.failed.get(STORE, "no link was probed"))
    return found.stores[STORE]


def _grids(
    reader: Reader, results: Sequence[Rows], draw: random.Random
) -> Mapping[Rows, Mapping[TransferSettings, float]]:
    """Return result → settings → seconds of one reading; more rows than there are count once."""
    cells = [
        (each, TransferSettings(fetch_rows=rows, message_bytes=message))
        for each in results
        for rows in sorted({min(rows, each.rows) for rows in (*FETCH_ROWS, each.rows)})
        for message in MESSAGE_BYTES
    ]
    draw.shuffle(cells)
    found: dict[Rows, dict[TransferSettings, float]] = {each: {} for each in results}
    for each, at in watched(cells, "grid"):
        found[each][at] = reader.seconds(each, at)
    return found


def _compared(
    rows: Rows, grid: Mapping[TransferSettings, float], calibrated: LinkCalibration
) -> dict[str, TransferSettings]:
    """Return name → the settings that are compared."""
    sizes = {"Spark's default": SPARKS_DEFAULT, "10 rows": 10, "1,000 rows": 1_000}
    sizes["all rows"] = rows.rows
    if rows.rows / sizes["10 rows"] > MOST_TRIPS:
        del sizes["10 rows"]
    return {
        "chosen": closed_form(
            calibrated.link, rows.result, Budget().bounds(DEFAULT_COSTS.fetch_size)
        ),
        "best of the grid": min(grid, key=lambda each: grid[each]),
        **{
            name: TransferSettings(fetch_rows=fetched, message_bytes=MOST_MESSAGE)
            for name, fetched in sizes.items()
        },
    }


def _in_turn(
    reader: Reader,
    asked: Mapping[Rows, Mapping[str, TransferSettings]],
    repeats: int,
    draw: random.Random,
) -> dict[tuple[Rows, str], list[float]]:
    """Return the seconds of each result with each of its settings, in rounds of all."""
    runs = [(each, name) for each, settings in asked.items() for name in settings]
    found: dict[tuple[Rows, str], list[float]] = {each: [] for each in runs}
    for number in range(repeats):
        draw.shuffle(runs)
        for each, name in watched(runs, f"round {number + 1} of {repeats}"):
            found[each, name].append(reader.seconds(each, asked[each][name]))
    return found


def _memory(
    reader: Reader, largest: Mapping[int, int], fragments: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield what the settings that were compared hold in Spark, of the largest results."""
    for each in fragments:
        if largest[each["width"]] != each["rows"]:
            continue
        rows = Rows(width=each["width"], rows=each["rows"])
        for compared in watched(each["compared"], f"memory of rows of {rows.width} bytes"):
            at = TransferSettings(
                fetch_rows=compared["fetch_rows"], message_bytes=compared["message_bytes"]
            )
            with most_memory(reader.spark) as stopped:
                reader.seconds(rows, at)
                yield {**asdict(rows), "name": compared["name"], **asdict(at), "bytes": stopped()}


def watched(items: Sequence[Item], what: str) -> Iterator[Item]:
    """Yield the items, and say every ten seconds how many are done."""
    told = time.monotonic()
    for number, each in enumerate(items):
        if time.monotonic() - told > 10.0:
            told = time.monotonic()
            say(f"{what}: {number} of {len(items)}")
        yield each


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
