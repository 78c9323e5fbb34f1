"""A query as `explain` shows it: its fragments with their SQL, limits, and what was measured."""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from advisor.planned.measured_runs import FoundQuery, MeasuredFragment, latest, named
from advisor.planned.planned import Planned
from advisor.planned.store_dialects import dialects_of
from advisor.problem.machines import engine_cores
from advisor.problem.rates import combiner_of
from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import (
    Combiner,
    CompiledFragment,
    CompiledQuery,
    OneScan,
)
from evaluation.federation.keys import KeyFilter
from evaluation.federation.layout import laid_out
from evaluation.kinds import BACKENDS, JDBC
from evaluation.spark.combining import combined
from placement.fragment_cost import FragmentCost
from placement.plan import RoutedFragment
from placement.reasons.explain_query import QueryReasons, explain_query
from placement.reasons.larger_fragments import SizeLimit, size_limits
from workloads.errors import SqlError


@dataclass(frozen=True, slots=True, kw_only=True)
class Statements:
    """Statements that read a fragment at the same time: each has `text` and a range of `column`.

    They are `most` at most: None of an engine whose cores nobody told. `hidden` is the column of
    the table that `text` hands out as `column` for the ranges alone; "" where the fragment has it.
    """

    most: int | None
    column: str
    hidden: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FragmentSql:
    """A fragment's SQL: what is run, and the same laid out to be read.

    `view` is what the combining query calls its rows, `keys` restrict them once they are known.
    `held_back` are features that the store lacks and that filters have: these stay with the
    engine. `same_as` is the view of an earlier fragment with the same rows, which alone is read.
    With `one_scan` that is read, for other fragments too, and not `text`.
    """

    view: str
    dialect: str
    text: str
    layout: str
    keys: tuple[KeyFilter, ...]
    held_back: tuple[str, ...]
    same_as: str | None
    one_scan: OneScan | None
    statements: Statements | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedFragment:
    """One fragment: what it should cost, why it is no larger, what is run, what was measured.

    `sql` is None where the query cannot be written for its stores, `measured` where no run of the
    plan is known.
    """

    routed: RoutedFragment
    cost: FragmentCost
    limits: tuple[SizeLimit, ...]
    sql: FragmentSql | None
    measured: MeasuredFragment | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedQuery:
    """One query, its fragments in the order in which the combining query reads them.

    `combine_sql` is None where one fragment is the whole query. `combiner` runs it: Spark, or
    DuckDB in the driver, for the features `lacked` by Spark or as it is small. `failure` says why
    there is no SQL; nothing where there is.
    """

    reasons: QueryReasons
    fragments: tuple[ExplainedFragment, ...]
    combine_sql: str | None
    combine_layout: str
    combiner: Combiner
    lacked: tuple[str, ...]
    failure: str
    measured: FoundQuery | None


def explained_query(given: Planned, name: str, file: Path | None) -> ExplainedQuery:
    """Return the query called `name` of a plan; `file` is a run to take measured figures from.

    Raises:
        ConfigurationError: `file` is no run of this plan.
    """
    plan, problem = given.plan, given.problem
    measured = (
        latest(given.project, plan, name)
        if file is None
        else named(file, given.project, plan, name)
    )
    reasons = explain_query(problem, plan, name)
    query = problem.query(name)
    compiler = Compiler(given.analysis.workload, given.analysis.catalog, dialects_of(given))
    compiled, failure = _compiled(given, compiler, name)
    if compiled is not None:
        compiled = combined(compiled, combiner_of(given.project))
    sql = {} if compiled is None else _sql(given, compiler, compiled)
    rows = {} if measured is None else {(m.name, m.store): m for m in measured.query.fragments}
    fragments = [
        ExplainedFragment(
            routed=routed,
            cost=cost,
            limits=size_limits(problem, plan, query, routed),
            sql=sql.get(_key(routed)),
            measured=rows.get(_key(routed)),
        )
        for routed, cost in reasons.fragments
    ]
    combine_sql = None if compiled is None else compiled.combine_sql
    combiner: Combiner = "spark" if compiled is None else compiled.combiner
    return ExplainedQuery(
        reasons=reasons,
        fragments=tuple(sorted(fragments, key=lambda each: _place(each, combine_sql))),
        combine_sql=combine_sql,
        combine_layout=laid_out(combine_sql, combiner) if combine_sql else "",
        combiner=combiner,
        lacked=() if compiled is None else compiled.lacked,
        failure=failure,
        measured=measured,
    )


def _compiled(given: Planned, compiler: Compiler, name: str) -> tuple[CompiledQuery | None, str]:
    """Return the query as it would be run, or why it cannot be written."""
    try:
        return compiler.compile(name, given.plan.routing[name]), ""
    except SqlError as error:
        return None, str(error)


def _sql(
    given: Planned, compiler: Compiler, compiled: CompiledQuery
) -> dict[tuple[str, str], FragmentSql]:
    held_back = _held_back(given, compiler, compiled)
    cores = engine_cores(given.project.evaluate)
    found = {}
    for each in compiled.fragments:
        kind = given.project.store(each.store).kind
        dialect = BACKENDS[kind].dialect
        statements = statements_of(each, kind, cores)
        text = each.sql if statements is None else statements.text
        found[each.fragment.name, each.store] = FragmentSql(
            view=each.view,
            dialect=dialect,
            text=text,
            layout=laid_out(text, dialect),
            keys=each.keys,
            held_back=held_back.get(each.view, ()),
            same_as=each.same_as,
            one_scan=each.one_scan,
            statements=statements,
        )
    return found


def statements_of(fragment: CompiledFragment, kind: str, cores: int | None) -> Statements | None:
    """Return the statements that an engine with so many cores makes; None where it is one.

    Where nobody told the cores, the rows are worth several.
    """
    ranged = fragment.ranged
    if ranged is None or kind not in JDBC or not fragment.is_read:
        return None
    options = ranged.options(sys.maxsize if cores is None else cores)
    if not options:
        return None
    stated = cores is not None or ranged.statements is not None
    return Statements(
        most=int(options["numPartitions"]) if stated else None,
        column=ranged.column,
        hidden=ranged.hidden,
        text=ranged.sql or fragment.sql,
    )


def _held_back(
    given: Planned, compiler: Compiler, compiled: CompiledQuery
) -> Mapping[str, tuple[str, ...]]:
    """Return view → the features for whose sake some filter is not sent along.

    A feature is one of them if the fragment reads otherwise as soon as its store has it.
    Features are tried together first: a set that changes no fragment is not divided.
    """
    stores = {each.store for each in compiled.fragments}
    lacks = [BACKENDS[given.project.store(name).kind].lacks for name in stores]
    written = {each.view: each.sql for each in compiled.fragments}
    found: dict[str, list[str]] = {}
    waiting = [sorted(frozenset().union(*lacks))]
    while waiting:
        features = waiting.pop()
        other = compiler.for_dialects(dialects_of(given, features))
        try:
            fragments = other.compile(compiled.query, given.plan.routing[compiled.query]).fragments
        except SqlError:
            changed = None
        else:
            changed = [each.view for each in fragments if each.sql != written.get(each.view)]
        if len(features) > 1 and changed != []:
            half = len(features) // 2
            waiting += [features[half:], features[:half]]
        elif features:
            for view in changed or ():
                found.setdefault(view, []).append(features[0])
    return {view: tuple(features) for view, features in found.items()}


def _key(routed: RoutedFragment) -> tuple[str, str]:
    return routed.fragment.name, routed.store


def _place(fragment: ExplainedFragment, combine_sql: str | None) -> int:
    """Return where the combining query first reads the fragment; the end where it does not."""
    if fragment.sql is None or combine_sql is None:
        return 0
    found = re.search(rf"\b{re.escape(fragment.sql.view)}\b", combine_sql)
    return len(combine_sql) if found is None else found.start()
