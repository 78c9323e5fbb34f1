"""How a store joins, by the CPU seconds of a short sweep over its working memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from placement.memory.choice import JoinMethod, MemoryChoice, choose
from placement.memory.join import HashJoin, StoreJoins
from placement.memory.machine import Machine

SHORT_SWEEP_BYTES = (64 << 10, 1 << 20, 4 << 20, 16 << 20, 1 << 30)
"""Settings of a sweep that finds how a store joins: both ends, and the sizes of caches."""

_TERMS = ("row_s", "spilled_row_s", "batch_s", "misses")


def fitted(
    joins: Sequence[HashJoin],
    cpu_s: Mapping[int, float],
    machine: Machine,
    method: JoinMethod,
    store: StoreJoins,
) -> StoreJoins:
    """Return `store` with the CPU seconds of its steps that explain a sweep best.

    `cpu_s` has what `joins` took with each setting in bytes. The model is linear in the steps'
    seconds, so that non-negative least squares find them; errors count as shares. A step that no
    setting tells apart from others costs nothing.

    Raises:
        ValueError: The sweep is empty, or a setting took no time.
    """
    if not cpu_s or min(cpu_s.values()) <= 0:
        raise ValueError("a fit needs settings that took some CPU time")
    # Every command imports this package, and only calibrating fits.
    import numpy as np
    from scipy.optimize import nnls

    nothing = replace(store, **dict.fromkeys(_TERMS, 0.0))
    units = [replace(nothing, **{term: 1.0}) for term in _TERMS]
    rows = [
        [method(joins, memory, machine, unit).cpu_s / seconds for unit in units]
        for memory, seconds in cpu_s.items()
    ]
    matrix = np.array(rows)
    # Columns near 1: seconds of a row are 1e-7, and the share of a wait is 1.
    scale = np.where(matrix.max(axis=0) > 0, matrix.max(axis=0), 1.0)
    found, _ = nnls(matrix / scale, np.ones(len(rows)))
    return replace(store, **dict(zip(_TERMS, map(float, found / scale), strict=True)))


def memory_settings(
    joins: Sequence[HashJoin],
    machine: Machine,
    method: JoinMethod,
    store: StoreJoins,
    settings: Sequence[int],
    *,
    queries: int = 1,
) -> MemoryChoice:
    """Choose the working memory of joins that run in one pipeline, in a store that was swept."""
    curve = [method(joins, memory, machine, store, queries=queries) for memory in settings]
    return choose(curve, memory_bytes=machine.memory_bytes)
