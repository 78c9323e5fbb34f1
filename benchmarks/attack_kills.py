"""End `advisor run` at random moments by signals, and see what is left.

python -m benchmarks.attack_kills [--kills N] [--tracking N] [--seed S] [-o results.json]

Half of the kills come while queries run, `--tracking` of them while MLflow's database is made or
written, the others anywhere. A third each are SIGKILL, SIGTERM and SIGINT. The project has an
embedded PostgreSQL and a DuckDB file and is the same one for all kills, so that each run begins
with what the one before has left; before a kill in tracking MLflow's database is taken away. A run
that is asked to end has 5 s for it. After all kills one run and `advisor compare` must end well.

Counted are: exit codes that are neither 0, 2 nor the signal's own, runs that went on for too long
after a signal, processes that are left, a password in what was printed, and runs after which the
project could not be used again.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from advisor.project.config import load_project
from benchmarks.attacks.watched import Watched
from benchmarks.provenance import provenance
from workloads.cache import remove

PROJECT = """
[workload]
source = "tpcds"
queries = [1, 12, 15, 84, 86, 90, 91]
[catalog]
source = "tpcds"
scale_factor = 0.01
[stores.pg]
kind = "postgresql"
embedded = true
[stores.duck]
kind = "duckdb"
embedded = true
[place]
strategies = ["single_store", "optimal"]
[evaluate]
repeats = 2
"""
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
IN_TIME_S = 5.0
LONGEST_S = 600.0
QUERIES = "Running the workload"
TRACKING = ("Open MLflow's database", "Record the runs in MLflow")
SECONDS_OF = {QUERIES: 8.0, TRACKING[0]: 6.0, TRACKING[1]: 0.25}
"""About how long a stage takes on a quiet machine."""


def main() -> None:
    arguments = _arguments()
    load_before = os.getloadavg()[0]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "attacked.toml"
        file.write_text(PROJECT, encoding="utf-8")
        try:
            if not _usable(file):
                sys.exit("a command fails without a kill")
            found = list(_attacked(file, arguments))
            usable = _usable(file)
        finally:
            remove(load_project(file).folder)
    bad = Counter(each for one in found for each in one["bad"])
    result = {
        **provenance("benchmarks.attack_kills", load_before),
        "seed": arguments.seed,
        "kills": len(found),
        "by_signal": Counter(one["signal"] for one in found),
        "by_stage": Counter(one["aimed_at"] for one in found),
        "ended_before": sum(one["ended_before"] for one in found),
        "bad": dict(bad),
        "usable_after": usable,
        "each": found,
    }
    arguments.output.write_text(json.dumps(result, indent=1), encoding="utf-8")
    print(f"{len(found)} kills, bad: {dict(bad) or 'none'}; usable after them: {usable}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--tracking", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "-o", "--output", type=Path, default=Path(__file__).parent / "results/attack_kills.json"
    )
    return parser.parse_args()


def _attacked(file: Path, arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    draw = random.Random(arguments.seed)
    aims = [QUERIES] * (arguments.kills // 2)
    aims += [TRACKING[each % 2] for each in range(arguments.tracking)]
    aims += ["anywhere"] * (arguments.kills - len(aims))
    draw.shuffle(aims)
    for number, aim in enumerate(aims):
        sent = draw.choice(SIGNALS)
        wait_s = draw.uniform(0, SECONDS_OF.get(aim, 25.0))
        if aim in TRACKING:
            for database in load_project(file).folder.glob("tracking.db*"):
                database.unlink()
        one = {"aimed_at": aim, "signal": sent.name, "wait_s": round(wait_s, 3)}
        one |= _killed(file, aim, sent, wait_s)
        print(f"{number + 1} of {len(aims)}: {one}", file=sys.stderr, flush=True)
        yield one


def _killed(file: Path, aim: str, sent: signal.Signals, wait_s: float) -> dict[str, Any]:
    """Start a run, end it in its stage, and return what was bad."""
    watched = Watched(["run", file.name, "--no-quick-rates"], file.parent)
    watched.until(None if aim == "anywhere" else aim, LONGEST_S)
    watched.wait(wait_s)
    ended_before = watched.returncode is not None
    family = _family(watched.pid)
    if not ended_before:
        watched.send(sent)
    took_s = watched.wait(60)
    bad = []
    if watched.returncode is None:
        bad.append("hang")
        watched.send(signal.SIGKILL)
        watched.wait(60)
    elif watched.returncode not in (0, 2, 130, 143, -sent):
        bad.append(f"exit {watched.returncode}")
    if not ended_before and took_s > IN_TIME_S and "hang" not in bad:
        bad.append("late")
    if sent is not signal.SIGKILL:
        time.sleep(0.5)
        bad += ["process left"] * any(map(_lives, family))
    text = watched.said
    bad += ["a fault of ours"] * ("fault of ours" in text or "Traceback" in text)
    bad += ["password"] * any(each in text for each in _passwords(file))
    return {
        "ended_before": ended_before,
        "returncode": watched.returncode,
        "took_s": round(took_s, 2),
        "bad": bad,
        "said": text[-1500:] if bad else "",
    }


def _usable(file: Path) -> bool:
    """Tell whether a run ends well, and can be compared."""
    for command in (["run", file.name, "--no-quick-rates"], ["compare", "--project", file.name]):
        done = subprocess.run(
            [sys.executable, "-m", "advisor", *command],
            cwd=file.parent,
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST_S,
        )
        if done.returncode != 0:
            print(done.stderr[-2000:], file=sys.stderr)
            return False
    return True


def _family(process: int) -> list[tuple[int, str]]:
    """Return the processes that one has started, with when each began."""
    found = []
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, children.read_text().split()):
                found += [(child, _began(child)), *_family(child)]
    return found


def _began(process: int) -> str:
    with suppress(OSError):
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return "" if state[0] == "Z" else state[19]
    return ""


def _lives(known: tuple[int, str]) -> bool:
    process, began = known
    return bool(began) and _began(process) == began


def _passwords(file: Path) -> list[str]:
    """Return the generated passwords of the embedded stores."""
    folder = load_project(file).folder
    return [each.read_text().strip() for each in folder.rglob("password*") if each.is_file()]


if __name__ == "__main__":
    main()
