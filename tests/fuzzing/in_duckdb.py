"""Stage 1: every part of a cut statement is run by DuckDB, so that only the cut can be wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import duckdb

from advisor.analysis.analysis import Analysis
from advisor.pipeline import prepare
from advisor.project.project import Project
from benchmarks.random_plans import random_placement
from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.federation.keys import KeyFilter, KeySource
from evaluation.federation.result_types import NULL_TYPE
from evaluation.federation.sent_keys import can_be_sent, restricted
from evaluation.federation.split import split
from evaluation.judging.duckdb_answer import may_be_of_plan
from evaluation.kinds import KINDS
from evaluation.running.driver_duckdb import kept_rows
from placement.plan import RoutedFragment
from placement.problem import PlacementProblem
from placement.routing.routing import route
from tests.fuzzing.asked import answer, is_determined
from tests.fuzzing.comparing import Answer, wrong
from tests.fuzzing.outcomes import Kind, Outcome, raised, reason, refusal
from tests.fuzzing.placements import (
    NAME,
    Routed,
    analysis_of,
    any_store_runs_all,
    project,
    random_one,
)
from tests.fuzzing.schemas import Database, quoted
from workloads.catalog import Catalog
from workloads.errors import AdvisorError


@dataclass(frozen=True, slots=True, kw_only=True)
class InDuckDB:
    """A database in memory and its catalog: what statements are tried on."""

    database: Database
    catalog: Catalog
    connection: duckdb.DuckDBPyConnection
    of: Project

    @classmethod
    def of_database(cls, database: Database, folder: Path) -> Self:
        """Open `database`, whose Parquet is written to `folder`."""
        return cls(
            database=database,
            catalog=database.catalog(folder),
            connection=database.connect(),
            of=project(),
        )

    def tried(self, sql: str, seed: int, covers: int = 4) -> Outcome:
        """Answer `sql` in several ways; return the first end that is bad, or how it ended."""
        expected = answer(self.connection, sql)
        if expected is None:
            return Outcome(kind=Kind.NOT_ASKED)
        try:
            analysis = analysis_of(sql, self.catalog, self.of)
            ways = self._ways(analysis, seed, covers)
        except AdvisorError as error:
            return refusal(error)
        except Exception as error:  # noqa: BLE001 - whatever is raised is an outcome
            return Outcome(kind=Kind.CRASHED, said=raised(error))
        compilers: dict[tuple[bool, bool], Compiler] = {}
        ended = Outcome(kind=Kind.RIGHT, how=ways[-1][0].told())
        for way, lacks in ways:
            found = self._once(analysis, way, lacks, expected, compilers)
            if found.kind is Kind.ORDER:
                ended = found
                continue
            if found.kind is Kind.WRONG and not is_determined(self.database, sql, expected):
                return replace(found, kind=Kind.UNDETERMINED)
            if found.kind is not Kind.RIGHT:
                return found
        return ended

    def _ways(
        self, analysis: Analysis, seed: int, covers: int
    ) -> list[tuple[Routed, Mapping[str, frozenset[str]]]]:
        """Return the cost model's routing, a random one, and some over stores that run all."""
        real = prepare(self.of, analysis).problem
        free = any_store_runs_all(real)
        found = []
        for number in range(covers):
            problem: PlacementProblem = real if number < 2 else free
            placement = random_placement(problem, seed * 100 + number)
            if number == 0:
                way = Routed(placement=placement, routing=route(problem, placement)[NAME])
            else:
                way = random_one(problem, placement, seed * 100 + number)
            found.append((way, {store.name: store.lacks for store in problem.stores}))
        return found

    def _once(
        self,
        analysis: Analysis,
        way: Routed,
        lacks: Mapping[str, frozenset[str]],
        expected: Answer,
        compilers: dict[tuple[bool, bool], Compiler],
    ) -> Outcome:
        lacking = any(lacks.values())
        try:
            for real in (True, False) if lacking else (False,):
                if (real, lacking) not in compilers:
                    first = next(iter(compilers.values()), None)
                    compilers[real, lacking] = self._compiler(analysis, lacks, first, real=real)
            if lacking:
                compilers[True, True].compile(NAME, way.routing)
            rows = self._answered(compilers[False, lacking], way.routing, lacks)
        except (AdvisorError, duckdb.Error) as error:
            # Another order of evaluation may never reach the row whose value is at fault.
            is_of_order = (
                isinstance(error, duckdb.Error)
                and may_be_of_plan(error)
                and self._answers_whole_tables(compilers[False, lacking], way.routing, expected)
            )
            kind = Kind.ORDER if is_of_order else Kind.FAILED
            return Outcome(kind=kind, said=reason(error), how=way.told())
        except Exception as error:  # noqa: BLE001 - whatever is raised is an outcome
            return Outcome(kind=Kind.CRASHED, said=raised(error), how=way.told())
        said = wrong(expected, Answer(rows=rows))
        kind = Kind.RIGHT if said is None else Kind.WRONG
        return Outcome(kind=kind, said=said or "", how=way.told())

    def _answers_whole_tables(
        self, compiler: Compiler, routing: Sequence[RoutedFragment], expected: Answer
    ) -> bool:
        """Tell whether the statement is right at the second try that `run` would give it."""
        again = compiler.compile(NAME, routing).second_try
        if again is None:
            return False
        found = answer(self.connection, again().combine_sql or "")
        return found is not None and wrong(expected, Answer(rows=found.rows)) is None

    def _compiler(
        self,
        analysis: Analysis,
        lacks: Mapping[str, frozenset[str]],
        first: Compiler | None,
        *,
        real: bool,
    ) -> Compiler:
        """Return a compiler for the stores, with the canonical forms of the `first`, if any."""
        dialects = {
            store.name: replace(
                KINDS[store.kind if real else "duckdb"].dialect("main"), lacks=lacks[store.name]
            )
            for store in self.of.stores
        }
        if first is not None:
            return first.for_dialects(dialects)
        return Compiler(analysis.workload, analysis.catalog, dialects)

    def _answered(
        self,
        compiler: Compiler,
        routing: Sequence[RoutedFragment],
        lacks: Mapping[str, frozenset[str]],
    ) -> list[tuple[object, ...]]:
        compiled = compiler.compile(NAME, routing)
        if compiled.tables:
            return self.connection.execute(compiled.combine_sql or "").fetchall()
        if compiled.combine_sql is None:
            # Behind its own outputs are those that the rows are ordered by.
            width = len(compiled.names) or None
            rows = self.connection.execute(compiled.fragments[0].sql).fetchall()
            return [row[:width] for row in rows]
        _fetch(self.connection, compiled)
        _, combining = split(compiler.tree(NAME), routing, lacks)
        if combining is None:
            return self.connection.execute(compiled.combine_sql).fetchall()
        return self.connection.execute(combining.sql("duckdb", identify=True)).fetchall()


def _fetch(connection: duckdb.DuckDBPyConnection, compiled: CompiledQuery) -> None:
    """Make a table of each fragment's rows, those whose keys are in others after these."""
    waiting = list(compiled.fragments)
    made: set[str] = set()
    while waiting:
        ready = [
            each
            for each in waiting
            if _needed(each.keys) <= made and (each.same_as is None or each.same_as in made)
        ]
        if not ready:
            raise RuntimeError("the keys of fragments are in one another")
        for each in ready:
            _make(connection, each)
            made.add(each.view)
        waiting = [each for each in waiting if each not in ready]


def _make(connection: duckdb.DuckDBPyConnection, fragment: CompiledFragment) -> None:
    sql = _with_keys(connection, fragment.sql, fragment.keys)
    if fragment.same_as is not None:
        names = ", ".join(map(quoted, fragment.columns))
        sql = f"SELECT * FROM {fragment.same_as} AS s({names})"
    # Their rows come through the engine as what DuckDB says that they are.
    typed = ", ".join(
        quoted(name) if type_ == NULL_TYPE else f"CAST({quoted(name)} AS {type_}) AS {quoted(name)}"
        for name, type_ in zip(fragment.columns, fragment.types, strict=True)
    )
    for statement in kept_rows(fragment, f"(SELECT {typed} FROM ({sql}) AS s) AS typed"):
        connection.execute(statement)


def _needed(keys: Sequence[KeyFilter]) -> set[str]:
    found = set()
    for key in keys:
        found |= {key.source.view} if key.source.sql is None else set()
        found |= _needed(key.source.keys)
    return found


def _with_keys(connection: duckdb.DuckDBPyConnection, sql: str, keys: Sequence[KeyFilter]) -> str:
    found = [(key, _values(connection, key.source)) for key in keys]
    sent = [(key, values) for key, values in found if can_be_sent(values)]
    if not sent:
        return sql
    return restricted(
        sql,
        [(key.quoted, values) for key, values in sent if key.operator == "IN"],
        [(key.quoted, key.operator, values) for key, values in sent if key.operator != "IN"],
    )


def _values(connection: duckdb.DuckDBPyConnection, source: KeySource) -> list[object]:
    sql = f"SELECT {quoted(source.column)} FROM {source.view}"
    if source.sql is not None:
        sql = _with_keys(connection, source.sql, source.keys)
    rows = connection.execute(sql).fetchall()
    return sorted({row[0] for row in rows if row[0] is not None})
