"""This machine's caches: their sizes as the system says them, and what a miss really costs.

Said sizes are not enough: on a shared machine others use the last level too, and a virtual one may
be told the whole of it. So a chain of references is followed through more and more memory; each
needs the one before. A step of the interpreter is the same for all, so the differences are waits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time

from placement.memory.machine import CacheLevel
from workloads.progress import Progress

CHASED_BYTES = tuple(64 << 10 << power for power in range(12))
"""Memory that is referred to: 64 KiB to 128 MiB."""

_FOLDER = Path("/sys/devices/system/cpu/cpu0/cache")
_LINE_BYTES = 64
_WORDS = _LINE_BYTES // 8
_STEPS = 20_000
# Less than this is no wait, but what a measurement is off by.
_LEAST_S = 1e-10
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidCache:
    """A level of the caches for data, as the system says it."""

    level: int
    size_bytes: int
    shared: bool


def said_caches(folder: Path = _FOLDER) -> tuple[SaidCache, ...]:
    """Return the levels for data, the smallest first; () where the system does not say."""
    found = [_said(each) for each in folder.glob("index[0-9]*")]
    return tuple(sorted(filter(None, found), key=lambda cache: cache.size_bytes))


def _said(folder: Path) -> SaidCache | None:
    try:
        if (folder / "type").read_text().strip() == "Instruction":
            return None
        size = (folder / "size").read_text().strip()
        cores = (folder / "shared_cpu_list").read_text().strip()
        return SaidCache(
            level=int((folder / "level").read_text()),
            size_bytes=int(size[:-1]) * _UNITS[size[-1]],
            shared=not cores.isdecimal(),
        )
    except (OSError, ValueError, KeyError, IndexError):
        return None


def reference_seconds(
    sizes: Sequence[int] = CHASED_BYTES,
    *,
    seconds: float = 4.0,
    seed: int = 0,
    progress: Progress,
) -> Mapping[int, float]:
    """Return bytes of memory → seconds of CPU that a reference to any of its lines takes.

    The interpreter's step is in all of them. Each size has an equal share of `seconds`, and the
    time of making its chain; `seed` is that of the order.
    """
    limit_s = seconds / len(sizes)
    with progress.task("Measuring the caches", total=len(sizes)) as task:
        found = {}
        for size in sizes:
            found[size] = _chased(size, limit_s, seed)
            task.advance()
    return found


def _chased(size: int, limit_s: float, seed: int) -> float:
    """Return the fewest seconds of a step: what disturbs the machine only makes it longer."""
    chain = chain_of(size, seed)
    lines = len(chain) // _WORDS
    at, fewest_s = 0, float("inf")
    # All lines once: what fits into a cache is in it afterwards.
    for _ in range(min(lines, _STEPS)):
        at = chain[at]
    deadline = perf_counter() + limit_s
    while True:
        started = process_time()
        for _ in range(_STEPS):
            at = chain[at]
        fewest_s = min(fewest_s, process_time() - started)
        if perf_counter() >= deadline:
            return fewest_s / _STEPS


def chain_of(size: int, seed: int) -> memoryview:
    """Return `size` bytes in which each line names the next one, all of them in one circle."""
    import numpy as np

    lines = size // _LINE_BYTES
    order = np.random.default_rng(seed).permutation(lines)
    following = np.zeros(lines * _WORDS, dtype=np.int64)
    following[order * _WORDS] = np.roll(order, -1) * _WORDS
    return following.data


def levels(
    reference_s: Mapping[int, float], said: Sequence[SaidCache] = ()
) -> tuple[CacheLevel, ...]:
    """Return the levels of caches, by non-negative least squares, that explain what was measured.

    There is one at each measured size where references begin to take longer. It is shared unless
    the system says of the smallest cache that is as large that it is not.
    """
    import numpy as np
    from scipy.optimize import nnls

    sizes = sorted(reference_s)
    least_s = min(reference_s.values())
    candidates = [CacheLevel(size_bytes=size, miss_s=1.0) for size in sizes[:-1]]
    shares = np.array([[each.missing_share(size) for each in candidates] for size in sizes])
    waits, _ = nnls(shares, np.array([reference_s[size] - least_s for size in sizes]))
    return tuple(
        CacheLevel(
            size_bytes=each.size_bytes,
            miss_s=float(wait_s),
            shared=_shared(each.size_bytes, said),
        )
        for each, wait_s in zip(candidates, waits, strict=True)
        if wait_s > _LEAST_S
    )


def _shared(size_bytes: float, said: Sequence[SaidCache]) -> bool:
    return next((cache.shared for cache in said if cache.size_bytes >= size_bytes), True)
