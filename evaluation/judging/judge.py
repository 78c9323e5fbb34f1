"""Who judges an answer: DuckDB over the rows that are here, or the first answer where none are."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from evaluation.judging.answer import Answer
from evaluation.judging.comparison import columns_difference, rows_difference
from evaluation.judging.oracle import Oracle
from evaluation.judging.types import TypeRule
from evaluation.judging.verdict import Verdict, verdict
from evaluation.measuring.measurement import QueryOutcome
from placement.plan import PlacementPlan
from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.sql.answer_order import answer_order
from workloads.workload import Query

_TIES = "not determined: rows may tie where it is cut, and its tables' rows are not here to tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Judges each query's answers: by the oracle, and those `beyond` it by the first that came.

    A query is beyond it that reads a live table whose rows are too many to be read here. Candidates
    are compared with one another then.
    """

    oracle: Oracle
    beyond: frozenset[str] = frozenset()
    _first: dict[str, Answer] = field(default_factory=dict)

    def verdict(self, query: Query, actual: Answer, types: TypeRule = TypeRule.EXACT) -> Verdict:
        """Return the verdict on an answer; it raises nothing."""
        if query.name not in self.beyond:
            return verdict(self.oracle, query, actual, types)
        first = self._first.get(query.name)
        if first is None:
            rows = [tuple(row) for row in actual.rows]
            self._first[query.name] = replace(actual, rows=rows)
            return Verdict(outcome=QueryOutcome.VERIFIED)
        try:
            return _compared(query, first, actual, types)
        except Exception as error:  # noqa: BLE001 - the comparison must not end the command
            said = " ".join(str(error).split())[:200]
            message = f"its answer cannot be compared ({type(error).__name__}: {said})"
            return Verdict(outcome=QueryOutcome.FAILED, message=message)


def judge_of(oracle: Oracle, catalog: Catalog, plans: Sequence[PlacementPlan]) -> Judge:
    """Return the judge of the plans' answers."""
    large = _too_large(catalog)
    beyond = {
        query
        for plan in plans
        for query, routed in plan.routing.items()
        if any(each.fragment.tables & large for each in routed)
    }
    return Judge(oracle=oracle, beyond=frozenset(beyond))


def in_place(catalog: Catalog, plan: PlacementPlan) -> bool:
    """Whether a plan reads each live table where it is, as it is read today."""
    return all(
        plan.placement.get(name, ()) == (table.origin.store,)
        for name, table in catalog.tables.items()
        if table.origin is not None and name in plan.placement
    )


def _too_large(catalog: Catalog) -> frozenset[str]:
    return frozenset(
        name
        for name, table in catalog.tables.items()
        if table.origin is not None and table.origin.is_too_large
    )


def _compared(query: Query, first: Answer, actual: Answer, types: TypeRule) -> Verdict:
    """Compare an answer with the first one: equal rows may be in any order."""
    wrong = columns_difference(first.columns, actual.columns, types)
    if wrong is None:
        wrong = rows_difference(first, actual, None)
        if wrong is not None and _is_cut(query):
            return Verdict(outcome=QueryOutcome.UNDETERMINED, message=_TIES)
    if wrong is None:
        return Verdict(outcome=QueryOutcome.VERIFIED)
    message = f"other than the answer of the placement that there is: {wrong}"
    return Verdict(outcome=QueryOutcome.WRONG, message=message)


def _is_cut(query: Query) -> bool:
    try:
        return answer_order(query).cut is not None
    except SqlError:
        return True
