"""What reading a workload gives: the noun between reading it and placing its tables."""

from dataclasses import dataclass

from workloads.access_graph import AccessGraph
from workloads.catalog import Catalog
from workloads.footprint import Footprint
from workloads.workload import Skipped, Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A workload over a catalog, what each of its queries touches, and what was left out.

    `generate_s` is what reading, or generating, the workload and the data took.
    """

    workload: Workload
    catalog: Catalog
    footprints: tuple[Footprint, ...]
    graph: AccessGraph
    skipped: tuple[Skipped, ...] = ()
    generate_s: float = 0.0
