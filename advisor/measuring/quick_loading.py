"""Loads TPC-H's tables for a quick calibration, as far as that is quick."""

from collections.abc import Sequence
from time import perf_counter

from advisor.measuring.quick_parts import Findings, Part
from evaluation.calibration.quick_plans import copies
from evaluation.calibration.quick_probes import LARGE, SMALL
from evaluation.load import load
from evaluation.store_protocol.backend import LoadedTable
from workloads.catalog import Catalog
from workloads.errors import StoreError
from workloads.progress import Progress

_LOADING_S = 20.0
"""Seconds after which a store that is not loaded yet is left out.

On a slow machine Accumulo needs more than 8 s, and without it the others tell nothing of it.
"""
_GRACE_S = 1.0
_LARGE_S = 4.0
"""Seconds that the large table may take in a store, by what the small ones took."""


def load_quickly(part: Part, stores: Sequence[str], findings: Findings, progress: Progress) -> None:
    """Load the small tables into all stores, and the large one where that does not take long.

    Stores that fail or are late are left out.
    """
    ends = perf_counter() + _LOADING_S
    _load(part, stores, SMALL, findings, progress, ends=ends)
    catalog = part.job.catalog
    large_bytes, most_s = catalog.table(LARGE).bytes, min(_LARGE_S, ends - perf_counter())
    quick = [
        store
        for store, loaded in findings.loads.items()
        if large_bytes / load_bytes_per_s(loaded, catalog) <= most_s
    ]
    _load(part, quick, (LARGE,), findings, progress, ends=ends)


def load_bytes_per_s(loaded: Sequence[LoadedTable], catalog: Catalog) -> float:
    """Return the catalog's bytes that a store was loaded with in a second, of its largest table.

    Small tables take longer than their bytes do.
    """
    largest = max(loaded, key=lambda each: catalog.table(each.table).bytes)
    return catalog.table(largest.table).bytes / max(1e-3, largest.load_s)


def _load(
    part: Part,
    stores: Sequence[str],
    tables: Sequence[str],
    findings: Findings,
    progress: Progress,
    *,
    ends: float,
) -> None:
    """Load tables into stores: where one fails or is late, into the others again."""
    left = list(stores)
    while left:
        plan = copies(tables, left)
        try:
            loaded = load(part.job.catalog, [plan], part.job.connections, progress, ends=ends)
        except StoreError as error:
            findings.leave_out(error.store, error)
            left.remove(error.store)
            # Those that are loaded already are found in no time, also when it was up.
            ends = max(ends, perf_counter() + _GRACE_S)
            continue
        for (_, store), copy in loaded.copies.items():
            findings.loads.setdefault(store, []).append(copy)
        return
