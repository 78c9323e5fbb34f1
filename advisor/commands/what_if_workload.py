"""An analysis of other queries: fewer, more, or run more or less often."""

from collections.abc import Collection
from dataclasses import replace

from advisor.analysis.analysis import Analysis
from advisor.project.project import Project
from workloads.access_graph import access_graph
from workloads.errors import ConfigurationError


def without_query(analysis: Analysis, name: str) -> Analysis:
    """Leave a query, or a statement that only writes, out."""
    footprints, writes = (
        tuple(each for each in found if each.query != name)
        for found in (analysis.footprints, analysis.writes)
    )
    return _of(replace(analysis, footprints=footprints, writes=writes))


def with_executions(analysis: Analysis, name: str, executions: float) -> Analysis:
    """Let a query, or a statement that only writes, run `executions` times."""
    footprints, writes = (
        tuple(
            replace(each, executions=executions) if each.query == name else each for each in found
        )
        for found in (analysis.footprints, analysis.writes)
    )
    return _of(replace(analysis, footprints=footprints, writes=writes))


def with_queries(analysis: Analysis, added: Analysis, source: str) -> Analysis:
    """Add the statements of another analysis over the same catalog, which `source` names.

    Raises:
        ConfigurationError: A statement is called as one that there is.
    """
    names = {each.query for each in (*analysis.footprints, *analysis.writes)}
    for each in (*added.footprints, *added.writes):
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
    return replace(analysis, graph=access_graph((*analysis.footprints, *analysis.writes)))
