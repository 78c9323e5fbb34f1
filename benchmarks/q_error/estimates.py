"""Our estimates of every fragment, by formulas alone and with samples."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from placement.fragments.enumeration import enumerate_fragments
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.estimation.sample_database import SampleDatabase
from workloads.footprint import Footprint


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimated:
    """Fragment → rows, and the seconds that all fragments of all queries took.

    `cpu_s` are seconds of all cores: what is left of a busy machine does not change them.
    """

    rows: Mapping[str, float]
    seconds: float
    cpu_s: float


def estimate_all(footprints: list[Footprint], catalog: Catalog, *, sampled: bool) -> Estimated:
    """Estimate as `advisor` does: one estimator a query, one sample database for all."""
    rows: dict[str, float] = {}
    started, cpu = time.perf_counter(), time.process_time()
    with SampleDatabase(catalog) as database:
        for found in footprints:
            estimator = Estimator(catalog, found, samples=database if sampled else None)
            rows |= {f.name: f.work.rows_out for f in enumerate_fragments(found, estimator)}
    return Estimated(
        rows=rows,
        seconds=time.perf_counter() - started,
        cpu_s=time.process_time() - cpu,
    )
