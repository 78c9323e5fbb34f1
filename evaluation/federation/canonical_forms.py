"""The queries of a workload in the form that is cut: DuckDB's meaning, as every store has it."""

from collections.abc import Callable

from sqlglot import exp

from evaluation.federation.dialects import annotated
from evaluation.federation.result_types import TypeOracle
from evaluation.federation.rewrites.contained_text import contained_text
from evaluation.federation.rewrites.date_arithmetic import days_between
from evaluation.federation.rewrites.float_division import float_average, float_division
from evaluation.federation.rewrites.fold_dates import fold_dates
from evaluation.federation.rewrites.named_outputs import named_outputs
from evaluation.federation.rewrites.unique_outputs import unique_inner_outputs
from placement.fragment import Fragment
from placement.fragments.matches import Matches
from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.footprint import UNNESTED
from workloads.sql import footprint
from workloads.sql.binding import Binder
from workloads.sql.canonical.rules import canonical
from workloads.sql.features.met_values import cut_decimals
from workloads.sql.meaning import FOREIGN
from workloads.sql.trees.copies import copied
from workloads.sql.typing.expression_kinds import Kinds, noted
from workloads.sql.typing.noted_types import note_types
from workloads.workload import Workload

RULES: tuple[Callable[[exp.Query], exp.Query], ...] = (
    contained_text,
    fold_dates,
    days_between,
    float_division,
    float_average,
    unique_inner_outputs,
)
"""Rules that keep the meaning of a DuckDB query in every store, before it is cut."""


class CanonicalForms:
    """Canonical forms and what depends on them alone; each is made when it is first asked for."""

    def __init__(self, workload: Workload, catalog: Catalog, types: TypeOracle) -> None:
        self._workload = workload
        self._catalog = catalog
        self._types = types
        self._binder = Binder(workload.dialect)
        self._trees: dict[str, exp.Query] = {}
        self._answers: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        self._matches: dict[str, Matches] = {}

    def tree(self, query: str) -> exp.Query:
        """Return a copy of the canonical form of `query`.

        Raises:
            SqlError: It cannot be understood, or its canonical form has other types.
        """
        return copied(self.kept(query))

    def kept(self, query: str) -> exp.Query:
        """Return the canonical form of `query` itself, which nobody may change.

        Raises:
            SqlError: It cannot be understood, or its canonical form has other types.
        """
        if query not in self._trees:
            self._trees[query] = self._made(query)
        return self._trees[query]

    def as_asked(self, query: str) -> exp.Query:
        """Return the canonical form of `query` with its aggregations as they were asked.

        It is for engines that plan the whole query: what they do not merge counts as theirs.

        Raises:
            SqlError: It cannot be understood, or its canonical form has other types.
        """
        return self._made(query, as_asked=True)

    def _made(self, query: str, *, as_asked: bool = False) -> exp.Query:
        asked, dialect = self._workload.query(query), self._workload.dialect
        tree = canonical(asked, self._catalog, dialect, as_asked=as_asked)
        if dialect == "duckdb" or dialect in FOREIGN:
            tree = note_types(annotated(tree, self._catalog), self._catalog)
            for rule in RULES:
                tree = rule(tree)
        tree = named_outputs(tree, self._binder.names(asked, self._catalog))
        if dialect == "duckdb":
            _refuse_cut_decimals(tree, query)
            self._types.check(tree, asked.sql)
        return tree

    def answer(self, query: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names and DuckDB's types of the columns of the answer of `query`."""
        if query not in self._answers:
            tree = self.tree(query)
            is_duckdb = self._workload.dialect == "duckdb"
            said = self._types.columns_of(self._workload.query(query).sql) if is_duckdb else ()
            if len(said) == len(tree.selects):
                names, types = zip(*said, strict=True)
                self._answers[query] = (tuple(names), tuple(types))
            else:
                self._answers[query] = (tuple(tree.named_selects), self._types.known(tree))
        return self._answers[query]

    def decided(self, query: str, fragment: Fragment) -> Fragment:
        """Return a fragment of `query` with its matches: a file has reducers and look-ups alone.

        Raises:
            SqlError: The query cannot be understood.
        """
        reduction = fragment.reduction
        if reduction.matches or not (reduction.reducers or reduction.look_ups):
            return fragment
        if query not in self._matches:
            found = footprint(self._workload.query(query), self._catalog, self._workload.dialect)
            self._matches[query] = Matches(found, lambda each: self._catalog.table(each.table))
        return self._matches[query].decided(fragment)


def _refuse_cut_decimals(tree: exp.Query, query: str) -> None:
    """Raise SqlError where IN has become a join that compares decimals which IN would cut."""
    of = Kinds(noted)
    for equality in tree.find_all(exp.EQ):
        sides = (equality.this, equality.expression)
        joined = any(
            isinstance(each, exp.Column) and each.table.startswith(UNNESTED) for each in sides
        )
        if joined and any(cut_decimals([of(each) for each in sides])):
            raise SqlError("IN cuts its decimals, which a join does not", origin=query)
