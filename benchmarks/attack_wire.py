"""Put faults on the way to running servers in every phase, and see how commands end.

python -m benchmarks.attack_wire [--faults N] [--seed S] [--silence-s S] [-o results.json]

A PostgreSQL and a MariaDB are reached through proxies (`attacks.wire`), for which one fault after
another is drawn: a way that falls silent, loses one direction, is reset, closed or damaged, or
pauses. A fault begins at a random moment of a phase (logins, catalog, calibration, loading,
queries), and stays until the command ends. Then the way is good again, and at the end one run must
end well.

Counted are: exit codes that are neither 0 nor 2, commands that go on for over `--longest-s` after
the fault, a pause by which anything fails, tracebacks, a password in what was printed, and whether
the project can be used afterwards.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.attacks.watched import Watched
from benchmarks.attacks.wire import Fault, Wire, wire
from benchmarks.provenance import provenance
from evaluation.embedded import EmbeddedRequest, running
from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql import sessions as mysql_sessions
from evaluation.stores.postgresql import sessions as postgresql_sessions
from workloads.progress import Silent

SERVERS = {"pg": "postgresql", "maria": "mysql"}
RUN = """
[workload]
source = "tpcds"
queries = [1, 12, 15, 84, 90]
[catalog]
source = "tpcds"
scale_factor = 0.01
[place]
strategies = ["single_store", "optimal"]
[evaluate]
repeats = 2
silence_s = {silence_s:g}
"""
LIVE = """
[workload]
source = "live.sql"
[catalog]
source = "stores.{store}"
schema = "wired"
[evaluate]
silence_s = {silence_s:g}
"""
TABLES = "CREATE TABLE wired.t{number} (k int PRIMARY KEY, v varchar(20))"
ROWS = "INSERT INTO wired.t{number} VALUES {values}"
STATEMENT = "SELECT t0.v FROM wired.t0 JOIN wired.t1 ON t0.k = t1.k;"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A command, the line of progress by which its phase begins, and about how long it takes."""

    name: str
    command: tuple[str, ...]
    begins: str | None
    seconds: float


_RUN = ("run", "run.toml", "--no-quick-rates")
PHASES = (
    Phase(name="logins", command=_RUN, begins=None, seconds=0),
    Phase(name="loading", command=_RUN, begins="Loading the stores", seconds=3),
    Phase(name="queries", command=_RUN, begins="Running the workload", seconds=8),
    Phase(
        name="calibration",
        command=("calibrate", "run.toml", "--scale-factor", "0.01", "--repeats", "1"),
        begins="Loading the stores",
        seconds=4,
    ),
    Phase(name="catalog", command=("analyze", "live_{store}.toml"), begins=None, seconds=2),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacked:
    """The project and the ways to its stores."""

    folder: Path
    ways: Mapping[str, Wire]
    environment: Mapping[str, str]
    longest_s: float

    @property
    def passwords(self) -> tuple[str, ...]:
        return tuple(self.environment[_variable(store)] for store in self.ways)


def main() -> None:
    arguments = _arguments()
    load_before = os.getloadavg()[0]
    requests = [EmbeddedRequest(store=store, kind=kind) for store, kind in SERVERS.items()]
    with TemporaryDirectory() as name:
        folder = Path(name)
        # Servers run as another user.
        folder.chmod(0o755)
        with running(requests, folder / "servers", Silent()) as found:
            _fill(found)
            with (
                wire(found["pg"].port or 0, arguments.seed) as pg,
                wire(found["maria"].port or 0, arguments.seed) as maria,
            ):
                ways = {"pg": pg, "maria": maria}
                under = Attacked(
                    folder=folder,
                    ways=ways,
                    environment=_project(folder, found, ways, arguments.silence_s),
                    longest_s=arguments.longest_s,
                )
                if any(_ended(under, _command(phase, "pg")) for phase in PHASES[1:]):
                    sys.exit("a command fails without a fault")
                each = list(_attacked(under, arguments.faults, arguments.seed))
                usable = _ended(under, _RUN) == 0
    bad = Counter(what for one in each for what in one["bad"])
    result = {
        **provenance("benchmarks.attack_wire", load_before),
        "seed": arguments.seed,
        "silence_s": arguments.silence_s,
        "faults": len(each),
        "by_phase": Counter(one["phase"] for one in each),
        "by_fault": Counter(one["fault"] for one in each),
        "exits": Counter(str(one["returncode"]) for one in each),
        "ended_before": sum(one["ended_before"] for one in each),
        "longest_s": max(one["took_s"] for one in each),
        "bad": dict(bad),
        "usable_after": usable,
        "each": each,
    }
    arguments.output.write_text(json.dumps(result, indent=1), encoding="utf-8")
    print(f"{len(each)} faults, bad: {dict(bad) or 'none'}; usable after them: {usable}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--faults", type=int, default=70)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--silence-s", type=float, default=5.0)
    parser.add_argument("--longest-s", type=float, default=420.0)
    parser.add_argument(
        "-o", "--output", type=Path, default=Path(__file__).parent / "results/attack_wire.json"
    )
    return parser.parse_args()


def _fill(found: Mapping[str, Connection]) -> None:
    """Make tables of a user's, whose catalog is read."""
    statements = ["CREATE SCHEMA wired"]
    for number in range(20):
        values = ", ".join(f"({key}, 'v{key}')" for key in range(200))
        statements += [TABLES.format(number=number), ROWS.format(number=number, values=values)]
    with postgresql_sessions.session_with(found["pg"], "filling") as session:
        for statement in statements:
            session.execute(statement.encode())
    with mysql_sessions.session(found["maria"], "filling") as execute:
        for statement in statements:
            execute(statement)


def _project(
    folder: Path, found: Mapping[str, Connection], ways: Mapping[str, Wire], silence_s: float
) -> dict[str, str]:
    """Write the project files, and return the environment of commands."""
    sections = {
        store: f'[stores.{store}]\nkind = "{each.kind}"\nhost = "127.0.0.1"\n'
        f'port = {ways[store].port}\nuser = "{each.user}"\n'
        + (f'database = "{each.database}"\n' if each.kind == "postgresql" else "")
        + f'password_env = "{_variable(store)}"\n'
        for store, each in found.items()
    }
    run = RUN.format(silence_s=silence_s) + "".join(sections.values())
    (folder / "run.toml").write_text(run, encoding="utf-8")
    (folder / "live.sql").write_text(STATEMENT, encoding="utf-8")
    for store, section in sections.items():
        text = LIVE.format(store=store, silence_s=silence_s) + section
        (folder / f"live_{store}.toml").write_text(text, encoding="utf-8")
    passwords = {_variable(store): each.password or "" for store, each in found.items()}
    return {
        **os.environ,
        **passwords,
        "PYTHONPATH": str(Path(__file__).parents[1]),
    }


def _attacked(under: Attacked, faults: int, seed: int) -> Iterator[dict[str, Any]]:
    draw = random.Random(seed)
    # Every fault meets every phase before one does so again.
    stores = tuple(under.ways)
    cases = [
        (phase, fault, stores[(again + number + other) % len(stores)])
        for again in range(1 + faults // (len(PHASES) * len(Fault)))
        for number, phase in enumerate(PHASES)
        for other, fault in enumerate(Fault)
    ][:faults]
    draw.shuffle(cases)
    for number, (phase, fault, store) in enumerate(cases):
        wait_s = draw.uniform(0, phase.seconds)
        one = {"phase": phase.name, "fault": fault, "store": store, "wait_s": round(wait_s, 3)}
        one |= _met(under, phase, fault, store, wait_s)
        print(f"{number + 1} of {len(cases)}: {one}", file=sys.stderr, flush=True)
        yield one


def _met(under: Attacked, phase: Phase, fault: Fault, store: str, wait_s: float) -> dict[str, Any]:
    """Run a command that meets a fault, and return what was bad."""
    way = under.ways[store]
    before = phase.begins is None and not phase.seconds
    if before and fault is not Fault.PAUSE:
        way.put(fault)
    watched = Watched(_command(phase, store), under.folder, under.environment)
    watched.until(phase.begins, under.longest_s)
    watched.wait(wait_s)
    ended_before = watched.returncode is not None
    if not ended_before and (fault is Fault.PAUSE or not before):
        way.put(fault)
    took_s = watched.wait(under.longest_s)
    bad = []
    if watched.returncode is None:
        bad.append("hang")
        watched.send(signal.SIGTERM)
        watched.wait(30)
        if watched.returncode is None:
            bad.append("not ended by SIGTERM")
            watched.send(signal.SIGKILL)
            watched.wait(30)
    elif watched.returncode not in (0, 2):
        bad.append(f"exit {watched.returncode}")
    elif fault is Fault.PAUSE and watched.returncode:
        bad.append("failed by a pause")
    if fault is not Fault.PAUSE:
        way.put(None)
    text = watched.said
    bad += ["a fault of ours"] * ("fault of ours" in text or "Traceback" in text)
    bad += ["password"] * any(each in text for each in under.passwords)
    return {
        "ended_before": ended_before,
        "returncode": watched.returncode,
        "took_s": round(took_s, 2),
        "bad": bad,
        "said": _told(text) if bad else text.strip().rpartition("advisor: ")[2][:300],
    }


def _told(text: str) -> str:
    """Return what is printed around a fault of ours, and at the end."""
    found = max(text.find("fault of ours"), text.find("Traceback"))
    return text[max(0, found - 500) : found + 2500] * (found >= 0) + text[-1500:]


def _command(phase: Phase, store: str) -> tuple[str, ...]:
    return tuple(each.format(store=store) for each in phase.command)


def _variable(store: str) -> str:
    return f"WIRED_{store.upper()}"


def _ended(under: Attacked, command: tuple[str, ...]) -> int:
    done = subprocess.run(
        [sys.executable, "-m", "advisor", *command],
        cwd=under.folder,
        env=dict(under.environment),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    print(done.stderr[-2000:] * bool(done.returncode), file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    main()
