"""The right answers: DuckDB running the original statement on the same Parquet.

Statements of DuckDB are run as they were written: nothing of the federation is shared. One in
another dialect is said in DuckDB's with the meaning that it has there (`workloads.sql.meaning`).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

import duckdb

from evaluation.judging.answer import Answer, AnswerColumn, Row
from evaluation.judging.comparison import Ties, identical, rows_difference
from evaluation.judging.database import ROW_NUMBER, Database
from evaluation.judging.determined import undetermined
from evaluation.judging.duckdb_answer import may_be_of_plan
from evaluation.judging.given_names import with_given_names
from evaluation.judging.values import ColumnRule, RowForm, row_form
from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.sql.answer_order import AnswerOrder, answer_order
from workloads.sql.translate import meant
from workloads.workload import Query


class UnsettledError(Exception):
    """DuckDB itself gives a statement other rows from one run to the next."""


class _OrderUnknownError(Exception):
    """The order that a statement fixes cannot be found out."""


_OTHER_ROWS = "DuckDB gives other rows once those that tie are sorted"
_MOST_ACCEPTED = 8
_MOST_BYTES = 1 << 30
"""Bytes up to which all tables are read into memory."""


@dataclass(slots=True)
class _Known:
    """The findings about one statement."""

    query: Query
    """In DuckDB's SQL."""
    answer: Answer
    ties: Ties | None
    accepted: list[Answer] = field(default_factory=list)
    undetermined: str | None = None
    is_tried: bool = False


class Oracle:
    """Answers queries in DuckDB; each is run once, and again only where its answer leaves doubt."""

    def __init__(self, catalog: Catalog, dialect: str = "duckdb") -> None:
        self._catalog = catalog
        self._dialect = dialect
        self._database = Database(catalog)
        # The tables in memory, and then over Parquet, once they were needed there.
        self._other: Database | None = None
        self._known: dict[str, _Known] = {}

    def answer(self, query: Query) -> Answer:
        """Return the answer of `query`.

        Raises:
            SqlError: DuckDB cannot run it, so that there is nothing to compare with.
        """
        return self._of(query).answer

    def difference(self, query: Query, actual: Answer) -> str | None:
        """Say how the rows of an engine's answer differ from DuckDB's; None if they do not.

        Rows that tie are compared as a multiset. What ties is found with two more runs, in which
        all columns of the answer sort the rows that tie, up in the one and down in the other: a
        tie ends where both have given the same rows. So whatever a term means, DuckDB resolves it.
        Where the order cannot be found out, all rows are compared as a multiset.

        Raises:
            SqlError: DuckDB cannot run it.
            UnsettledError: DuckDB gives other rows from one run to the next.
        """
        known = self._of(query)
        if any(identical(each, actual) for each in known.accepted):
            return None
        try:
            found = rows_difference(known.answer, actual, known.ties)
        except _OrderUnknownError:
            known.ties = None
            found = rows_difference(known.answer, actual, None)
        if found is None and known.ties is not None and len(known.accepted) < _MOST_ACCEPTED:
            # The runs that tell ties from rows in disorder are not made for this answer again.
            rows = [tuple(row) for row in actual.rows]
            known.accepted.append(replace(actual, rows=rows))
        return found

    def undetermined(self, query: Query) -> str | None:
        """Return why `query` has several answers; None where it seems to have one.

        Raises:
            SqlError: DuckDB cannot run it.
            UnsettledError: DuckDB gives other rows from one run to the next.
        """
        known = self._of(query)
        if not known.is_tried:
            known.undetermined = undetermined(
                known.query,
                lambda answer: self.difference(query, answer),
                self._catalog,
                self._database,
            )
            known.is_tried = True
        return known.undetermined

    def close(self) -> None:
        """Give the memory back."""
        self._database.close()
        if self._other is not None:
            self._other.close()

    def _of(self, query: Query) -> _Known:
        if query.name not in self._known:
            sql = meant(query, self._catalog, self._dialect)
            try:
                answer = self._answer(sql)
            except duckdb.Error as error:
                reason = self._database.refusal(error)
                raise SqlError(
                    f"no answer to compare with, DuckDB says: {reason}", origin=query.origin
                ) from error
            written = replace(query, sql=sql)
            # A text that is only resolved has names for what the user gave none.
            named = query if self._dialect == "duckdb" else written
            answer = with_given_names(answer, named)
            self._known[query.name] = _Known(written, answer, self._ties(written, answer))
        return self._known[query.name]

    def _answer(self, sql: str) -> Answer:
        """Return DuckDB's answer, from tables in memory where the one over Parquet is an error.

        It knows more of their values then, and may leave out rows whose values are at fault. From
        then on these tables are asked first.
        """
        try:
            return self._database.answer(sql)
        except duckdb.Error as error:
            if not may_be_of_plan(error) or not self._fits_in_memory():
                raise
            try:
                if self._other is None:
                    self._other = Database(self._catalog, lambda _: ROW_NUMBER)
                answer = self._other.answer(sql)
            except duckdb.Error:
                raise error from None
        self._database, self._other = self._other, self._database
        return answer

    def _fits_in_memory(self) -> bool:
        return sum(table.bytes for table in self._catalog.tables.values()) <= _MOST_BYTES

    def _ties(self, query: Query, answer: Answer) -> Ties | None:
        """Return the order that `query` fixes, or that it is cut; None where it does neither."""
        try:
            order = answer_order(query)
        except SqlError:
            return None
        columns = answer.columns
        if order.is_ordered:
            return Ties(groups=lambda: self._groups(order, columns), first=self._skipped(order))
        if order.cut is not None:
            sql = order.uncut(len(columns), "ASC")
            return Ties(groups=lambda: self._parts(sql, columns), ordered=False)
        return None

    def _skipped(self, order: AnswerOrder) -> int | None:
        """Return how many rows OFFSET leaves out; None where that is not known."""
        if not order.skipped:
            return 0
        try:
            ((rows,),) = self._database.answer(f"SELECT ({order.skipped})::BIGINT").rows
        except duckdb.Error:
            return None
        return rows if isinstance(rows, int) else 0

    def _groups(self, order: AnswerOrder, columns: Sequence[AnswerColumn]) -> Iterator[list[Row]]:
        if order.is_total:
            for part in self._parts(order.uncut(len(columns), "ASC"), columns):
                yield from ([row] for row in part)
            return
        rules = [ColumnRule(interval=each.type == "INTERVAL") for each in columns]
        group: list[Row] = []
        surplus: Counter[RowForm] = Counter()
        up, down = (
            self._rows(order.uncut(len(columns), each), columns) for each in ("ASC", "DESC")
        )
        for one, other in zip_longest(up, down):
            if one is None or other is None:
                raise UnsettledError(_OTHER_ROWS)
            group.append(one)
            for row, sign in ((one, 1), (other, -1)):
                form = row_form(row, rules)
                surplus[form] += sign
                if not surplus[form]:
                    del surplus[form]
            if not surplus:
                yield group
                group = []
        if group:
            raise UnsettledError(_OTHER_ROWS)

    def _rows(self, sql: str, columns: Sequence[AnswerColumn]) -> Iterator[Row]:
        for part in self._parts(sql, columns):
            yield from part

    def _parts(self, sql: str, columns: Sequence[AnswerColumn]) -> Iterator[Sequence[Row]]:
        try:
            yield from self._database.parts(sql, columns)
        except duckdb.Error as error:
            raise _OrderUnknownError(sql) from error
