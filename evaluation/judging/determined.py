"""The test whether a statement has one answer: DuckDB runs it in other ways and row orders.

What ties within it is also put in other orders by name (`workloads.sql.tie_orders`).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import duckdb

from evaluation.judging.answer import Answer
from evaluation.judging.database import ROW_NUMBER, Database
from workloads.catalog import Catalog, Table
from workloads.errors import SqlError
from workloads.sql.parsing.words_used import called_names, keywords
from workloads.sql.tie_orders import tie_texts
from workloads.workload import Query

REASONS: Mapping[str, frozenset[str]] = {
    "a sample": frozenset({"SAMPLE", "TABLESAMPLE"}),
    "LIMIT without a total order": frozenset({"LIMIT", "OFFSET", "FETCH"}),
    "DISTINCT ON without a total order": frozenset({"DISTINCT ON"}),
    "an aggregate that takes any value, or values in any order": frozenset(
        {
            *("first", "last", "any_value", "arbitrary", "list", "array_agg", "string_agg"),
            *("group_concat", "listagg", "arg_min", "arg_max", "argmin", "argmax", "min_by"),
            *("max_by", "mode", "histogram", "json_group_array", "json_group_object"),
        }
    ),
    "an ASOF JOIN that finds several rows equally near": frozenset({"ASOF"}),
    "a window whose order has ties": frozenset({"OVER"}),
}
"""Reasons for several right answers → the functions and keywords that show them."""
_OF_MOMENT = frozenset({"current_timestamp", "current_time", "localtime", "localtimestamp"})
"""Words of the standard for the present moment that DuckDB's list of functions lacks."""
_OF_SESSION = frozenset(
    {
        *("current_user", "session_user", "current_role", "current_catalog", "current_schema"),
        *("current_schemas", "current_database", "current_connection_id", "in_search_path"),
    }
)
_OTHERWISE = "sums of floating-point numbers, or another result that depends on the order of rows"


@dataclass(frozen=True, slots=True, kw_only=True)
class Permutation:
    """An order of the rows of every table, by terms of ROW_NUMBER, and a number of threads."""

    terms: str
    threads: int


PERMUTATIONS = (
    Permutation(terms=f"{ROW_NUMBER} DESC", threads=1),
    Permutation(terms=f"hash({ROW_NUMBER}, 17)", threads=2),
    Permutation(terms=f"hash({ROW_NUMBER}, 2021)", threads=1),
    Permutation(terms=f"{ROW_NUMBER} % 3, hash({ROW_NUMBER}, 7)", threads=2),
)


def undetermined(
    query: Query,
    difference: Callable[[Answer], str | None],
    catalog: Catalog,
    database: Database,
) -> str | None:
    """Return why `query`, in DuckDB's SQL, has several answers; None where it seems to have one.

    `difference` compares DuckDB's other answers with the first of `database` as an engine's are.
    Where they do not differ, the statement may still have several answers that were not met.
    """
    if calls := _changing(query, database):
        return calls
    for tied in _tied_otherwise(query, difference, database):
        if found := difference(tied):
            return f"{_reason(query)}. With its ties in another order DuckDB answers so: {found}"
    for answer in _answers(query, catalog, database):
        if isinstance(answer, str):
            return f"with its rows in another order DuckDB says: {answer}"
        if found := difference(answer):
            return f"{_reason(query)}. With its rows in another order DuckDB answers so: {found}"
    written = database.answer_as_written(query.sql)
    if written is not None and (found := difference(written)):
        return f"without its optimizer DuckDB answers otherwise, by a fault of its own: {found}"
    return None


def _changing(query: Query, database: Database) -> str:
    """Return which function of a statement has a value of its own in each run or engine."""
    called = called_names(query)
    if changing := sorted(called & (_OF_MOMENT | database.unstable() - _OF_SESSION)):
        return f"{changing[0]}() has another value in every run"
    if own := sorted(called & _OF_SESSION):
        return f"{own[0]}() tells of the session, which is another one in each engine"
    return ""


def _tied_otherwise(
    query: Query, difference: Callable[[Answer], str | None], database: Database
) -> Iterator[Answer]:
    """Yield DuckDB's answers with what ties inside the statement in other orders.

    There is none where the statement cannot be read, or has another answer once it is written
    anew: that would tell of the reading.
    """
    try:
        texts = tie_texts(query)
        if not texts.ordered or difference(database.answer(texts.plain, threads=1)):
            return
    except (SqlError, duckdb.Error):
        return
    for text in texts.ordered:
        try:
            answer = database.answer(text, threads=1)
        except duckdb.Error:
            # Not all that can be selected can be sorted.
            continue
        yield answer


def _answers(query: Query, catalog: Catalog, database: Database) -> Iterator[Answer | str]:
    """Yield DuckDB's answers over the rows as they are and permuted, or why it has none."""
    yield database.answer(query.sql, threads=1)
    read = tables_read(query.sql, catalog)
    for each in PERMUTATIONS:
        permuted = Database(catalog, _Ordered(terms=each.terms, read=read))
        try:
            yield permuted.answer(query.sql, threads=each.threads)
        except duckdb.OutOfMemoryException:
            # Too many rows to be kept: that tells nothing of the statement.
            return
        except duckdb.Error as error:
            yield permuted.refusal(error)
        finally:
            permuted.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ordered:
    terms: str
    read: frozenset[str]

    def __call__(self, table: Table) -> str | None:
        return self.terms if table.name in self.read else None


def tables_read(sql: str, catalog: Catalog) -> frozenset[str]:
    """Return the tables whose names a statement has, or a view that it names; rather too many."""
    text, before = sql.lower(), ""
    while text != before:
        before = text
        text = "\n".join(
            [
                sql.lower(),
                *(v.sql.lower() for v in catalog.views.values() if v.name.lower() in text),
            ]
        )
    return frozenset(name for name in catalog.tables if name.lower() in text)


def _reason(query: Query) -> str:
    said = called_names(query) | keywords(query)
    return next((reason for reason, words in REASONS.items() if said & words), _OTHERWISE)
