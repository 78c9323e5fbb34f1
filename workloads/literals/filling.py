"""Statements whose parameters nobody recorded, with literals: they can be run then."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Literal

from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.footprint import Footprint
from workloads.literals.drawing import Drawing, drawing
from workloads.literals.features import with_features
from workloads.literals.logged import Templates
from workloads.literals.sets import SETS, UnfilledError, drawn_sets
from workloads.pass_through import PassThrough
from workloads.progress import Progress
from workloads.sql.binding import Binder
from workloads.sql.footprints import footprint
from workloads.sql.parsing.as_checked import NO_VALUES
from workloads.sql.passing_through import passed_through
from workloads.sql.unanswered import unanswered
from workloads.workload import Query, Workload

Source = Literal["log", "statistics"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A statement with literals for its parameters: one query a set.

    They are those of logged executions, or drawn from statistics of the columns. `footprint` is
    the statement's own, with the features that it has by its literals. A statement that only its
    own server can run has `passed_through` instead, with its one set.
    """

    query: str
    source: Source
    sets: tuple[Query, ...]
    footprint: Footprint | None = None
    passed_through: PassThrough | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """Statements that were filled, by name, and those that were not, each with the reason."""

    filled: Mapping[str, Filled] = field(default_factory=dict)
    unfilled: Mapping[str, str] = field(default_factory=dict)


def fill(
    workload: Workload,
    footprints: Sequence[Footprint],
    passed: Sequence[PassThrough],
    catalog: Catalog,
    progress: Progress,
    *,
    seed: int,
) -> Filling:
    """Find literals for each statement of a workload that has parameters without a value.

    `footprints` are those of its queries. What is drawn depends on `seed` and on the text of a
    statement, never on the others.
    """
    dialect = workload.dialect
    read = {each.query: each for each in footprints}
    lacking = [q for q in workload.queries if unanswered(q, catalog, dialect) == NO_VALUES]
    open_ = [each for each in passed if each.incomparable == NO_VALUES]
    if not lacking and not open_:
        return Filling()
    filled: dict[str, Filled] = {}
    unfilled: dict[str, str] = {}
    without = {query.name for query in lacking}
    logged = [query for query in workload.queries if query.name not in without]
    with (
        drawing(catalog) as drawn,
        closing(Binder(dialect)) as binder,
        progress.task("Filling parameters", len(lacking) + len(open_)) as task,
    ):
        filler = _Filler(catalog, dialect, seed, drawn, binder)
        by_key = filler.templates.by_key(logged)
        for query in lacking:
            try:
                alike = [
                    each
                    for each in by_key.get(filler.templates.key(query), ())
                    if read[each.name].tables == read[query.name].tables
                ]
                filled[query.name] = filler.query(query, read[query.name], alike)
            except UnfilledError as error:
                unfilled[query.name] = str(error)
            task.advance()
        for statement in open_:
            try:
                done = _passed_through(statement, passed, catalog, seed, drawn)
                filled[statement.query.name] = done
            except UnfilledError as error:
                unfilled[statement.query.name] = str(error)
            task.advance()
    return Filling(filled=filled, unfilled=unfilled)


class _Filler:
    """Fills queries of one dialect over one catalog."""

    def __init__(
        self, catalog: Catalog, dialect: str, seed: int, drawn: Drawing, binder: Binder
    ) -> None:
        self.templates = Templates(dialect)
        self._dialect = dialect
        self._catalog = catalog
        self._seed = seed
        self._drawn = drawn
        self._binder = binder

    def query(self, query: Query, read: Footprint, logged: Sequence[Query]) -> Filled:
        """Return a query with the literals of `logged` ones, or where there are none drawn.

        Raises:
            UnfilledError: There are none that it can be run with.
        """
        source: Source = "log" if logged else "statistics"
        if logged:
            texts = dict.fromkeys(each.sql for each in logged)
            sets = tuple(replace(query, sql=sql, values=()) for sql in list(texts)[:SETS])
        else:
            sets = drawn_sets(query, self._catalog, self._dialect, self._drawn, seed=self._seed)
        found = with_features(read, [self._bound(each) for each in sets])
        if found is None:
            raise UnfilledError("with literals its parts are others than the plan's")
        return Filled(query=query.name, source=source, sets=sets, footprint=found)

    def _bound(self, query: Query) -> Footprint:
        """Return the footprint of a query with literals, which DuckDB would run."""
        try:
            found = footprint(query, self._catalog, self._dialect)
            self._binder.check(query, self._catalog, found.tables)
        except SqlError as error:
            raise UnfilledError(f"with literals it is refused: {error.reason}") from error
        return found


def _passed_through(
    statement: PassThrough,
    passed: Iterable[PassThrough],
    catalog: Catalog,
    seed: int,
    drawn: Drawing,
) -> Filled:
    """Return a statement that is passed through with literals.

    Raises:
        UnfilledError: There are none that it can be run with.
    """
    query, dialect = statement.query, statement.dialect
    templates = Templates(dialect)
    others = templates.by_key(
        each.query
        for each in passed
        if each.dialect == dialect and not each.incomparable and each.tables == statement.tables
    )
    logged = others.get(templates.key(query), ())
    if logged:
        written = replace(query, sql=logged[0].sql, values=())
    else:
        written = drawn_sets(query, catalog, dialect, drawn, seed=seed, sets=1)[0]
    try:
        own = passed_through(
            written, catalog, dialect, statement.reason, statement.footprint.writes
        )
    except SqlError as error:
        raise UnfilledError(f"with literals it is refused: {error.reason}") from error
    if own is None or own.incomparable:
        raise UnfilledError(own.incomparable if own else "with literals its server refuses it")
    return Filled(
        query=query.name,
        source="log" if logged else "statistics",
        sets=(written,),
        passed_through=own,
    )
