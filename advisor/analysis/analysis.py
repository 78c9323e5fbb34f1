"""The analysis: everything that reading a workload and its catalog gives the placement."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from placement.fragment import Fragment, SharedFragment
from workloads.access_graph import AccessGraph
from workloads.catalog import Catalog
from workloads.footprint import Footprint
from workloads.indexes import NamedIndex
from workloads.literals.filling import Filling
from workloads.pass_through import PassThrough
from workloads.workload import Skipped, SkippedKind, Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A workload over a catalog, what each of its queries touches, and what was left out.

    `workload` holds what reads; `footprints` has one for each of its queries, in their order, and
    `fragments` those of each query with their estimates. Some of them are offered again: `reduced`
    by keys, and `preaggregated`, reduced or not; `shared` are those run as one.
    `writes` are the statements that only write, `passed_through` those that only their own server
    can run: the graph has them, and no fragment is theirs.
    `statements` and `executions` count all that was given, with what was left out.
    `filling` are the literals that statements with parameters are run with, None where none is run.
    `candidates`: table → the indexes that may be chosen for its copies; none where none are.
    `assumed_rows` names the tables whose rows nothing tells. `generate_s` is what reading, or
    generating, the workload and the data took.
    """

    workload: Workload
    catalog: Catalog
    footprints: tuple[Footprint, ...]
    graph: AccessGraph
    fragments: Mapping[str, tuple[Fragment, ...]] = field(default_factory=dict)
    reduced: Mapping[str, tuple[Fragment, ...]] = field(default_factory=dict)
    preaggregated: Mapping[str, tuple[Fragment, ...]] = field(default_factory=dict)
    shared: Mapping[str, tuple[SharedFragment, ...]] = field(default_factory=dict)
    writes: tuple[Footprint, ...] = ()
    passed_through: tuple[PassThrough, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    filling: Filling | None = None
    candidates: Mapping[str, tuple[NamedIndex, ...]] = field(default_factory=dict)
    statements: int = 0
    executions: float = 0.0
    assumed_rows: tuple[str, ...] = ()
    generate_s: float = 0.0

    @property
    def statements_read(self) -> tuple[Footprint, ...]:
        """Return the footprint of every statement that was not left out."""
        return (*self.footprints, *self.writes, *(each.footprint for each in self.passed_through))

    def offered(self, query: str) -> tuple[Fragment, ...]:
        """Return every fragment of a query, but those run as one."""
        again = self.reduced.get(query, ()) + self.preaggregated.get(query, ())
        return self.fragments[query] + again

    @property
    def skipped_by_kind(self) -> Mapping[SkippedKind, tuple[int, float]]:
        """Return how many statements were left out of each kind, and their executions."""
        found: dict[SkippedKind, tuple[int, float]] = {}
        for each in self.skipped:
            statements, executions = found.get(each.kind, (0, 0.0))
            found[each.kind] = statements + each.statements, executions + each.executions
        return found

    @property
    def invalid(self) -> tuple[Skipped, ...]:
        """Return the statements that were not understood."""
        return tuple(skipped for skipped in self.skipped if skipped.kind == "invalid")

    @property
    def invalid_share(self) -> float:
        """Return the share of all executions that are of statements not understood (0..1)."""
        left_out = sum(skipped.executions for skipped in self.invalid)
        return left_out / self.executions if self.executions else 0.0
