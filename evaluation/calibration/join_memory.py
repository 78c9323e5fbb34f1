"""Costs of a store's joins, by the CPU seconds of a short sweep over its working memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from placement.memory.choice import JoinMethod, MemoryChoice, choose
from placement.memory.join import HashJoin, StoreJoins
from placement.memory.machine import Machine

SHORT_SWEEP_BYTES = (64 << 10, 512 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20)
"""Settings of a sweep that finds how a store joins: both ends, and the sizes of caches."""

MOST_MISSES = 2.0
"""No reference waits for longer: beside its line it may wait for the page's address."""
_TERMS = ("row_s", "joined_row_s", "spilled_row_s", "batch_s", "misses")


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinSweep:
    """A query's joins, and its CPU seconds with each setting in bytes."""

    joins: Sequence[HashJoin]
    cpu_s: Mapping[int, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinFit:
    """Costs of a store's joins, and the share (root mean square) that its sweeps are off by."""

    joins: StoreJoins
    error: float


def fitted(
    sweeps: Sequence[JoinSweep],
    machine: Machine,
    method: JoinMethod,
    stores: Sequence[StoreJoins],
) -> JoinFit:
    """Return the one of `stores` that explains sweeps best, with the CPU seconds of its steps.

    The model is linear in the steps' seconds, so that bounded least squares find them; errors count
    as shares. No step takes less than nothing, and a miss waits `MOST_MISSES` at most: noise would
    be taken for a wait. A step that no sweep tells apart from others costs nothing: rows that leave
    a join are told from others by a second sweep in which few do. The `stores` differ in what is
    not linear: the memory of their tables, and the caches that are left to these.

    Raises:
        ValueError: There is no sweep or store, or a setting took no time.
    """
    seconds = [each for sweep in sweeps for each in sweep.cpu_s.values()]
    if not stores or not seconds or min(seconds) <= 0:
        raise ValueError("a fit needs a store, and settings that took some CPU time")
    fits = (_fit(sweeps, machine, method, store) for store in stores)
    return min(fits, key=lambda fit: fit.error)


def _fit(
    sweeps: Sequence[JoinSweep], machine: Machine, method: JoinMethod, store: StoreJoins
) -> JoinFit:
    # Every command imports this package, and only calibrating fits.
    import numpy as np
    from scipy.optimize import lsq_linear

    nothing = replace(store, **dict.fromkeys(_TERMS, 0.0))
    units = [replace(nothing, **{term: 1.0}) for term in _TERMS]
    rows = [
        [method(sweep.joins, memory, machine, unit).cpu_s / seconds for unit in units]
        for sweep in sweeps
        for memory, seconds in sweep.cpu_s.items()
    ]
    matrix = np.array(rows)
    # Columns near 1: seconds of a row are 1e-7, and the share of a wait is 1.
    scale = np.where(matrix.max(axis=0) > 0, matrix.max(axis=0), 1.0)
    most = np.where([term == "misses" for term in _TERMS], MOST_MISSES, np.inf) * scale
    found = lsq_linear(matrix / scale, np.ones(len(rows)), bounds=(0.0, most), method="bvls")
    steps = dict(zip(_TERMS, map(float, found.x / scale), strict=True))
    error = float(np.sqrt(np.mean(found.fun**2)))
    return JoinFit(joins=replace(store, **steps), error=error)


def memory_settings(
    joins: Sequence[HashJoin],
    machine: Machine,
    method: JoinMethod,
    store: StoreJoins,
    settings: Sequence[int],
    *,
    queries: int = 1,
    bounds_all: bool = False,
) -> MemoryChoice:
    """Choose the working memory of joins that run in one pipeline, in a store that was swept."""
    curve = [method(joins, memory, machine, store, queries=queries) for memory in settings]
    return choose(curve, memory_bytes=machine.memory_bytes, bounds_all=bounds_all)
