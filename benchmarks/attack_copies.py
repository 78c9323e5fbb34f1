"""Copy live tables from store to store, and end the advisor's process at random moments.

python -m benchmarks.attack_copies [--kills N] [--rows N] [--sources NAME ...] [--pairs N]
    [--seed S] [-o results.json]

Tables with every type lie on an embedded PostgreSQL, MariaDB and MySQL, where they are read by an
account that may read alone, and in a DuckDB file. For each pair of such a source and a target (the
three servers, another DuckDB file, Accumulo and the object store) they are copied, the rows of the
source are changed, and the process that copies them anew is ended by SIGKILL: a third of the times
while it reads, else while it loads, at moments spread over the time that this took before.
`--sources` takes the pairs of some sources, `--pairs` a seeded sample of them. The file of results
is written after each pair.

After each kill the copies that the target's register has must be whole, the old ones or the new:
digests of the rows as each store's own driver has them are compared. The source must have no table
more and no session of ours. The next load must succeed, leave nothing of the one before, and have
exact copies of the rows as they are now.
"""

import argparse
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.attacks.copied_rows import Target
from benchmarks.attacks.copying import Copying
from benchmarks.attacks.live_tables import EVERY, LiveServer
from benchmarks.provenance import provenance
from evaluation.embedded import EmbeddedRequest, running
from evaluation.installation.jars import jars
from evaluation.installation.java import java_home
from evaluation.kinds import BACKENDS
from evaluation.spark.session import session
from evaluation.store_protocol.connection import Connection
from workloads.progress import Silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILE = "file"
SOURCES = ("pg", "maria", "mysql8", FILE)
REQUESTS = (
    EmbeddedRequest(store="pg", kind="postgresql"),
    EmbeddedRequest(store="maria", kind="mysql"),
    EmbeddedRequest(store="mysql8", kind="mysql", server="mysql8"),
    EmbeddedRequest(store="duck", kind="duckdb"),
    EmbeddedRequest(store="acc", kind="accumulo"),
    EmbeddedRequest(store="mem", kind="objects", nodes=2, memory_bytes=512 << 20),
)
NAMESPACE = "copies"
READING, LOADING = "Reading the stores' own tables", "Loading the stores"
LONGEST_S = 120.0
"""A load that takes longer is a finding, and so is a store that is held for as long."""
SESSION_S = 10.0


def main() -> None:
    arguments = _arguments()
    load_before = os.getloadavg()[0]
    found = []
    with TemporaryDirectory() as folder:
        root = Path(folder)
        # The servers' accounts must get to their folders.
        root.chmod(0o755)
        for pair in _attacked(root, arguments):
            found.append(pair)
            result = _result(arguments, load_before, found)
            arguments.output.write_text(json.dumps(result, indent=1), encoding="utf-8")
    print(f"{result['kills']} kills of {len(found)} pairs, bad: {result['bad'] or 'none'}")


def _result(
    arguments: argparse.Namespace, load_before: float, found: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    kills = [one for pair in found for one in pair["kills"]]
    return {
        **provenance("benchmarks.attack_copies", load_before),
        "seed": arguments.seed,
        "rows": arguments.rows,
        "pairs": len(found),
        "exact": sum(pair["exact"] for pair in found),
        "kills": len(kills),
        "by_stage": Counter(one["stage"] for one in kills),
        "bad": Counter(each for one in kills for each in one["bad"]),
        "each": found,
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--sources", nargs="+", choices=SOURCES, default=list(SOURCES))
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "-o", "--output", type=Path, default=Path(__file__).parent / "results/attack_copies.json"
    )
    return parser.parse_args()


def _attacked(root: Path, arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    draw = random.Random(arguments.seed)
    pairs = [(source, each.store) for source in arguments.sources for each in REQUESTS]
    draw.shuffle(pairs)
    pairs = pairs[: arguments.pairs]
    wanted = {each for pair in pairs for each in pair}
    file = Connection(store=FILE, kind="duckdb", path=root / "file.duckdb")
    requests = [each for each in REQUESTS if each.store in wanted]
    with (
        running(requests, root / "servers", Silent()) as connections,
        session(
            master="local[1]",
            jars=jars(BACKENDS["accumulo"].jars, Silent()),
            java_home=java_home(Silent()),
            driver_memory="1g",
        ) as spark,
    ):
        for source, target in pairs:
            pair = _Pair({**connections, FILE: file}, source, target, root, spark)
            yield pair.attacked(arguments, draw)


class _Pair:
    """A source and a target."""

    def __init__(
        self,
        connections: Mapping[str, Connection],
        source: str,
        target: str,
        root: Path,
        spark: "SparkSession",
    ) -> None:
        self.name = f"{source} to {target}"
        self._live = LiveServer(owner=connections[source])
        # One server may be both: its copies are another store's.
        to = replace(connections[target], store=f"{target}_copies", namespace=NAMESPACE)
        self._target = Target(to, spark)
        folder = root / f"rows-{source}-{target}"
        self._copying = Copying(source=self._live.reader, target=to, folder=folder)

    def attacked(self, arguments: argparse.Namespace, draw: random.Random) -> dict[str, Any]:
        """Copy, change and kill; return what was bad."""
        self._live.fill(arguments.rows)
        there = self._live.objects(NAMESPACE)
        first = self._loaded()
        old = self._live.digests()
        exact = first["bad"] == []
        self._live.change(arguments.kills)
        second = self._loaded()
        if not second["lasted"]:
            # Without its times no kill can be aimed.
            failed = {"stage": "before any kill", "bad": [*first["bad"], *second["bad"]]}
            return {"pair": self.name, "exact": exact, "kills": [failed]}
        lasted = second["lasted"]
        reads = arguments.kills // 3
        kills = []
        for number in range(arguments.kills):
            old = self._live.digests()
            self._live.change(number)
            aim, kth, of = (
                (READING, number, reads)
                if number < reads
                else (LOADING, number - reads, arguments.kills - reads)
            )
            one = self._killed(aim, lasted[aim] * (kth + draw.random()) / of, old)
            one["bad"] += ["the source has other tables"] * (self._live.objects(NAMESPACE) != there)
            after = self._loaded()
            one["bad"] += after["bad"]
            lasted = after["lasted"] or lasted
            kills.append(one)
            print(f"{self.name}, {number + 1}: {one}", file=sys.stderr, flush=True)
        self._target.drop(old)
        return {"pair": self.name, "exact": exact, "kills": kills}

    def _loaded(self) -> dict[str, Any]:
        """Let a load end; return the seconds of its stages, and what is wrong of the copies."""
        began = time.monotonic()
        while True:
            started = time.monotonic()
            process, pipe = self._copying.start()
            told, at = _told(pipe, LONGEST_S)
            process.join(SESSION_S)
            # A store notices after a while that who held it is gone.
            is_held = "another advisor" in "".join(told[-1:])
            if not is_held or time.monotonic() - began > LONGEST_S:
                break
            time.sleep(0.2)
        bad = [] if told[-1:] == ["done"] else [f"the next load failed: {told[-1:]}"]
        expected = self._live.digests()
        found = {name: self._digest(name) for name in self._target.registered()}
        bad += ["not exact"] * (found != expected)
        bad += [f"left: {each}" for each in self._target.left()]
        times = dict(zip(told, at, strict=True))
        lasted = {}
        if told[-1:] == ["done"]:
            lasted = {
                READING: times[LOADING] - times[READING], LOADING: times["done"] - times[LOADING]
            }  # fmt: skip
        return {"lasted": lasted, "bad": bad, "held_s": round(started - began, 2)}

    def _killed(self, aim: str, wait_s: float, old: Mapping[str, str]) -> dict[str, Any]:
        """Kill a load so many seconds into a stage; return its stage and what is wrong then."""
        process, pipe = self._copying.start()
        told, _ = _told(pipe, LONGEST_S, until=aim)
        time.sleep(wait_s)
        told += _told(pipe, 0.0)[0]
        assert process.pid is not None
        # It may have ended by itself a moment ago.
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        process.join()
        new = self._live.digests()
        bad = []
        for name, rows in self._target.registered().items():
            found = self._digest(name)
            bad += ["half a copy"] * (found not in (old[name], new[name]))
            bad += ["a wrong count"] * (not found.endswith(f" of {rows}"))
        left_s = self._live.seconds_until_no_session(SESSION_S)
        bad += ["a session is left in the source"] * (left_s is None)
        return {
            "stage": told[-1],
            "wait_s": round(wait_s, 3),
            "left": len(self._target.left()),
            "source_free_after_s": left_s and round(left_s, 2),
            "bad": bad,
        }

    def _digest(self, table: str) -> str:
        return self._target.digest(table, self._live.float_column if table == EVERY else None)


def _told(pipe: Pipe, seconds: float, until: str | None = None) -> tuple[list[str], list[float]]:
    """Return what a process says, and when, within so many seconds or `until` it says that."""
    ends = time.monotonic() + seconds
    told: list[str] = []
    at: list[float] = []
    while pipe.poll(max(0.0, ends - time.monotonic())):
        try:
            told.append(pipe.recv())
        except EOFError:
            break
        at.append(time.monotonic())
        if told[-1] == until:
            break
    return told, at


if __name__ == "__main__":
    main()
