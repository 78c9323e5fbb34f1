"""Measure how fast dumps with data are read as a catalog and as a workload, and in what memory.

python -m benchmarks.dumps [--megabytes N] [--repeats R] [--seed S] [--folder F] [-o results.json]

Writes a seeded dump of so many megabytes in each format (benchmarks/dumps_written.py), and reads
each, by turns, in a process of its own, which says its seconds, its CPU seconds and the most memory
that it had. The rows of every table must be those that were written.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.dumps_written import FORMATS
from benchmarks.provenance import provenance
from benchmarks.tables.dumps import runs

_READ_AS = ("catalog", "workload")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("-o", "--output", type=Path, default=None)
    parser.add_argument("--read-as", choices=_READ_AS, help=argparse.SUPPRESS)
    parser.add_argument("--dump", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read_as:
        print(json.dumps(read(arguments.dump, arguments.read_as)))
        return
    answer = measure(arguments.megabytes, arguments.repeats, arguments.seed, arguments.folder)
    output = arguments.output or Path(__file__).parent / "results" / "dumps.json"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")
    print(runs(answer))


def measure(megabytes: int, repeats: int, seed: int, folder: Path) -> dict:
    """Write a dump in each format and read all by turns."""
    before = os.getloadavg()[0]
    written, found = [], []
    with tempfile.TemporaryDirectory(dir=folder) as work:
        files = {}
        for number, (name, write) in enumerate(FORMATS.items()):
            files[name] = Path(work) / f"dump_{number}.sql"
            rows = write(files[name], megabytes * 1_000_000, seed)
            size_bytes = files[name].stat().st_size
            written.append({"format": name, "bytes": size_bytes, "rows": rows})
        for _ in range(repeats):
            for dump in written:
                found += [apart(dump, files[dump["format"]], how) for how in _READ_AS]
    return {
        **provenance("benchmarks.dumps", before),
        "seed": seed,
        "dumps": written,
        "runs": found,
    }


def apart(dump: dict, file: Path, how: str) -> dict:
    """Read a dump in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.dumps", "--read-as", how, "--dump", str(file)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    answer = json.loads(done.stdout)
    if how == "catalog" and answer["rows"] != dump["rows"]:
        raise SystemExit(f"{dump['format']}: {answer['rows']} rows are not {dump['rows']}")
    if how == "workload" and answer["loaded"] != list(dump["rows"]):
        raise SystemExit(f"{dump['format']}: {answer['loaded']} are not {list(dump['rows'])}")
    measured = {key: answer[key] for key in ("seconds", "cpu_s", "peak_bytes")}
    return {"format": dump["format"], "read_as": how, **measured}


def read(dump: Path, how: str) -> dict:
    """Read a dump, and say what came out and what it took."""
    from workloads.progress import Silent
    from workloads.sources.ddl.catalog import definitions
    from workloads.sources.logs.recorded import workload

    used, started = cpu_s(), time.perf_counter()
    if how == "catalog":
        tables = definitions([dump], Silent()).catalog.tables
        answer = {"rows": {name: table.rows for name, table in tables.items()}}
    else:
        skipped = workload(dump).skipped
        # "a load of public.customer": PostgreSQL names the schema too.
        loads = [each.reason.split()[-1] for each in skipped if each.kind == "load"]
        answer = {"loaded": [each.rpartition(".")[-1] for each in loads]}
    seconds, cpu = time.perf_counter() - started, cpu_s() - used
    peak_kib = max(resource.getrusage(each).ru_maxrss for each in _WHO)
    return {**answer, "seconds": seconds, "cpu_s": cpu, "peak_bytes": 1024 * peak_kib}


_WHO = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def cpu_s() -> float:
    """User and system seconds of this process and of those that it waited for."""
    used = [resource.getrusage(each) for each in _WHO]
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    main()
