"""An analysis of other queries: fewer, more, or run more or less often."""

from collections.abc import Collection
from dataclasses import replace

from advisor.analysis.analysis import Analysis
from advisor.project.project import Project
from workloads.access_graph import access_graph
from workloads.errors import ConfigurationError
from workloads.footprint import Footprint


def without_query(analysis: Analysis, name: str) -> Analysis:
    """Leave a query, or a statement that only writes or is passed through, out."""
    footprints, writes = (
        tuple(each for each in found if each.query != name)
        for found in (analysis.footprints, analysis.writes)
    )
    passed = tuple(each for each in analysis.passed_through if each.query.name != name)
    return _of(replace(analysis, footprints=footprints, writes=writes, passed_through=passed))


def with_executions(analysis: Analysis, name: str, executions: float) -> Analysis:
    """Let a query, or a statement that only writes or is passed through, run `executions` times."""

    def changed(found: Footprint) -> Footprint:
        return replace(found, executions=executions) if found.query == name else found

    return _of(
        replace(
            analysis,
            footprints=tuple(map(changed, analysis.footprints)),
            writes=tuple(map(changed, analysis.writes)),
            passed_through=tuple(
                replace(each, footprint=changed(each.footprint)) for each in analysis.passed_through
            ),
        )
    )


def with_queries(analysis: Analysis, added: Analysis, source: str) -> Analysis:
    """Add the statements of another analysis over the same catalog, which `source` names.

    Raises:
        ConfigurationError: A statement is called as one that there is.
    """
    names = {each.query for each in analysis.statements_read}
    for each in added.statements_read:
        if each.query in names:
            raise ConfigurationError(
                f"--add-query {source}: the workload has a query '{each.query}' already: give "
                "the new one another name, such as that of its file."
            )
    return _of(
        replace(
            analysis,
            footprints=(*analysis.footprints, *added.footprints),
            writes=(*analysis.writes, *added.writes),
            passed_through=(*analysis.passed_through, *added.passed_through),
            fragments={**analysis.fragments, **added.fragments},
            reduced={**analysis.reduced, **added.reduced},
            preaggregated={**analysis.preaggregated, **added.preaggregated},
            shared={**analysis.shared, **added.shared},
        )
    )


def without_ceilings(project: Project, names: Collection[str]) -> Project:
    """Return the project without the latency ceilings of queries that are left out."""
    ceilings = project.constraints.latency_s
    kept = {query: ceiling_s for query, ceiling_s in ceilings.items() if query not in names}
    return replace(project, constraints=replace(project.constraints, latency_s=kept))


def _of(analysis: Analysis) -> Analysis:
    """Return the analysis with the access graph of its statements."""
    return replace(analysis, graph=access_graph(analysis.statements_read))
