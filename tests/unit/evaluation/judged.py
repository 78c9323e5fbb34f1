"""Small catalogs in Parquet, and verdicts on answers that DuckDB gives to other statements."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import duckdb

from evaluation.judging.answer import Answer
from evaluation.judging.duckdb_answer import duckdb_answer
from evaluation.judging.oracle import Oracle
from evaluation.judging.verdict import Verdict, verdict
from tests.data_fixtures import statement
from workloads.catalog import Catalog, Column, Table


def catalog_of(folder: Path, tables: Mapping[str, str]) -> Catalog:
    """A catalog of tables in Parquet, each made by a query of DuckDB."""
    made = {}
    with duckdb.connect() as connection:
        for name, sql in tables.items():
            path = folder / f"{name}.parquet"
            connection.execute(f"COPY ({sql}) TO '{path}'")
            columns = connection.execute(f"DESCRIBE {sql}").fetchall()
            ((rows,),) = connection.execute(f"SELECT count(*) FROM ({sql})").fetchall()
            made[name] = Table(
                name=name,
                columns=tuple(Column(name=c[0], type=c[1], width_bytes=8.0) for c in columns),
                rows=rows,
                fingerprint=name,
                parquet=path,
            )
    return Catalog(name="judged", tables=made)


class Court:
    """An oracle over a catalog, and the same data for answers that an engine might give."""

    def __init__(self, catalog: Catalog, oracle: Oracle, data: duckdb.DuckDBPyConnection) -> None:
        self.catalog = catalog
        self.oracle = oracle
        self.data = data

    def answer(self, sql: str) -> Answer:
        """What an engine would hand out that ran `sql`."""
        return duckdb_answer(self.data, sql)

    def on(self, sql: str, answer: str | Sequence[Sequence[object]]) -> Verdict:
        """Judge the answer of another statement, or rows in the columns of the right one."""
        query = statement(sql, name=sql)
        found = self.answer(answer) if isinstance(answer, str) else None
        if found is None:
            found = replace(self.oracle.answer(query), rows=answer)
        return verdict(self.oracle, query, found)


@contextmanager
def court(folder: Path, tables: Mapping[str, str], dialect: str = "duckdb") -> Iterator[Court]:
    """Open a court over tables that are made by queries of DuckDB."""
    catalog = catalog_of(folder, tables)
    oracle = Oracle(catalog, dialect)
    with duckdb.connect() as data:
        for table in catalog.tables.values():
            data.execute(f"CREATE VIEW {table.name} AS FROM '{table.parquet}'")
        yield Court(catalog, oracle, data)
    oracle.close()
