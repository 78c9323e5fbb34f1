"""Starts the partitioners: they are compiled, and a crash of theirs is to be an error here.

Both are known to crash. Mt-KaHyPar: see `program.mt_kahypar`. METIS: KarypisLab/METIS issues 73,
91, 96 and 118 on GitHub, small graphs bisected often or with edges of very unequal weights.
"""

import json
import re
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from placement.partitioning import program
from placement.partitioning.program import Hypergraph
from placement.time_limit import OutOfTimeError
from workloads.errors import ConfigurationError

PROGRAM = Path(program.__file__)
TIMEOUT_S = 120.0
"""Hundreds of tables take a tenth of a second: it hangs."""
COLOURS = re.compile(r"\x1b\[[\d;]*m")
MOST_SAID = 120
"""Letters: what a library was handed over may be part of what it says."""


def partition(
    strategy: str, partitioner: str, hypergraph: Hypergraph, most_s: float = TIMEOUT_S
) -> list[int]:
    """Return the part of each vertex; `partitioner` is one of `program.PARTITIONERS`.

    Raises:
        ConfigurationError: It crashed, failed, hung, or answered what is no partition.
        OutOfTimeError: It took `most_s` seconds, which is less than to hang.
    """
    if len(hypergraph.limits) == 1 or not hypergraph.weights:
        return [0] * len(hypergraph.weights)
    parts, failure = _answer(partitioner, hypergraph, min(most_s, TIMEOUT_S))
    if parts is None and failure is None:
        if most_s < TIMEOUT_S:
            raise OutOfTimeError(
                f"Strategy '{strategy}' has no plan: {partitioner} was stopped after "
                f"{most_s:.3g} s: raise [place].time_limit_s."
            )
        failure = f"was stopped after {TIMEOUT_S:g} s"
    if parts is None:
        raise ConfigurationError(
            f"Strategy '{strategy}' has no plan: {partitioner} {failure}, with "
            f"{len(hypergraph.weights)} tables to be parted among {len(hypergraph.limits)} "
            f"stores: take it out of [place].strategies."
        )
    return parts


def _answer(
    partitioner: str, hypergraph: Hypergraph, most_s: float
) -> tuple[list[int] | None, str | None]:
    """Return the parts, or None and what went wrong; None twice where it took too long."""
    asked = json.dumps({"partitioner": partitioner, "hypergraph": asdict(hypergraph)})
    try:
        # -P: beside the program are modules that are not to stand for Python's own.
        done = subprocess.run(
            [sys.executable, "-P", str(PROGRAM)],
            input=asked,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=max(0.0, most_s),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, None
    except OSError as error:
        return None, f"could not be started ({error})"
    if done.returncode < 0:
        return None, f"crashed ({_signal(-done.returncode)})"
    if done.returncode:
        return None, f"failed ({_last_line(done.stderr)})"
    parts = _parts(done.stdout, hypergraph)
    return parts, "answered what is no partition"


def _parts(answer: str, hypergraph: Hypergraph) -> list[int] | None:
    try:
        parts = json.loads(answer)
    except ValueError:
        return None
    known = range(len(hypergraph.limits))
    if not isinstance(parts, list) or len(parts) != len(hypergraph.weights):
        return None
    return parts if all(part in known for part in parts) else None


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _last_line(said: str) -> str:
    """Return the last line in which something is said, without its colours and not all of it."""
    lines = [line.strip() for line in COLOURS.sub("", said).splitlines() if line.strip()]
    return lines[-1][:MOST_SAID] if lines else "no reason"
