"""Starts the partitioners: compiled libraries of the peers' environment, known to crash.

Mt-KaHyPar: see `partitioner_program.mt_kahypar`. METIS: KarypisLab/METIS issues 73, 91, 96 and 118
on GitHub, small graphs bisected often or with edges of very unequal weights.
"""

import json
import subprocess
from dataclasses import asdict

from benchmarks.peers import partitioner_program
from benchmarks.peers.environment import peers_python
from benchmarks.peers.partitioner_program import Hypergraph

TIMEOUT_S = 120.0
"""Hundreds of tables take a tenth of a second: it hangs."""


def partition(partitioner: str, hypergraph: Hypergraph, most_s: float = TIMEOUT_S) -> list[int]:
    """Return the part of each vertex; `partitioner` is one of the program's `PARTITIONERS`.

    Raises:
        RuntimeError: It crashed or failed.
        TimeoutExpired: It took `most_s` seconds, or hangs.
    """
    if len(hypergraph.limits) == 1 or not hypergraph.weights:
        return [0] * len(hypergraph.weights)
    done = subprocess.run(
        # -P: beside the program are modules that are not to stand for Python's own.
        [peers_python(), "-P", partitioner_program.__file__],
        input=json.dumps({"partitioner": partitioner, "hypergraph": asdict(hypergraph)}),
        capture_output=True,
        text=True,
        errors="replace",
        timeout=max(0.0, min(most_s, TIMEOUT_S)),
        check=False,
    )
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise RuntimeError(f"{partitioner} ended with {done.returncode}: {said[-1:]}")
    parts: list[int] = json.loads(done.stdout)
    return parts
