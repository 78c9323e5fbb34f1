"""The machine, and short sweeps of joins: what the benchmarks of hash joins' memory begin with."""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.join_stores import JoinStore, TooLateError
from evaluation.calibration.caches import levels, reference_seconds, said_caches
from evaluation.calibration.join_memory import JoinSweep
from evaluation.calibration.request_rates import available_bytes, swept_disk
from placement.memory.hash_table import table_bytes
from placement.memory.join import HashJoin
from placement.memory.machine import Machine
from workloads.progress import Silent

SHORT_RUNS = 3
_LARGER = 2.0
_WIDTH, _SAMPLE_ROWS = 48, 1 << 20
SHORT_LIMIT_S = 4.0
"""A short join that takes longer is not asked with less memory."""


def measured_machine(folder: Path, seed: int) -> tuple[Machine, dict[str, Any]]:
    """Measure caches and disk. Spilled files stay in memory: they are small, and much is free."""
    said = said_caches()
    references = reference_seconds(seed=seed, progress=Silent())
    found = levels(references, said)
    disk = swept_disk(folder, seconds=3.0, seed=seed, progress=Silent())
    kept = available_bytes()
    machine = Machine(caches=found, disk=disk.rates, page_cache_bytes=kept or 0.0)
    return machine, {
        "said_caches": [asdict(each) for each in said],
        "reference_s": {str(size): seconds for size, seconds in references.items()},
        "caches": [asdict(each) for each in found],
        "disk": asdict(disk),
        "page_cache_bytes": kept,
    }


def short_rows(machine: Machine) -> int:
    """Return rows whose hash table is twice as large as the machine's largest cache.

    A table that fits in has no misses: a sweep of it would say nothing of those of larger ones.
    """
    largest = max(each.size_bytes for each in machine.caches)
    return math.ceil(_LARGER * largest * _SAMPLE_ROWS / table_bytes(_SAMPLE_ROWS, _WIDTH))


def join_of(name: str, key: str = "b.k") -> str:
    return (
        f"SELECT sum(length(pad)), sum(v), count(*) FROM {name}_build b JOIN {name}_probe p "
        f"ON {key} = p.k"
    )


def short_joins() -> tuple[str, str]:
    """Return the joins of a short sweep: each probe finds a row, and one of sixteen does."""
    return join_of("short"), join_of("short", "b.k * 16")


def short_sweeps(
    name: str, store: JoinStore, short: Mapping[str, Sequence[HashJoin]]
) -> list[JoinSweep]:
    """Sweep short joins: from the largest setting down, as long as it does not take long."""
    found = []
    for sql, joins in short.items():
        swept: dict[int, float] = {}
        store.run(sql, max(store.short_sweep))
        for setting in sorted(store.short_sweep, reverse=True):
            try:
                runs = [store.run(sql, setting).cpu_s for _ in range(SHORT_RUNS)]
            except TooLateError:
                break
            swept[setting] = median(runs)
            if swept[setting] > SHORT_LIMIT_S:
                break
        say(f"{name} short sweep {swept}")
        found.append(JoinSweep(joins=joins, cpu_s=swept))
    return found


def say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)
