"""Statements as users of many systems write them are understood, each with its tables."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.catalogs import shop, table
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.sql.statements import understand
from workloads.workload import Query, Workload

_HEADER = re.compile(r"-- (\w+): ([\w ]+?)(?: -> ([\w ]+))?\n")
_STAMP = {
    "EventTime": "TIMESTAMP",
    "EventDate": "DATE",
    "URL": "VARCHAR",
    "SearchPhrase": "VARCHAR",
}
_NUMBERS = ("CounterID", "UserID", "AdvEngineID", "ResolutionWidth", "RegionID", "WatchID")


class Construct(NamedTuple):
    dialect: str
    reads: set[str]
    writes: set[str]
    sql: str


def constructs() -> list[Construct]:
    text = (Path(__file__).parent / "constructs.sql").read_text()
    found = []
    for part in text.split("\n\n")[1:]:
        header = _HEADER.match(part)
        if header is not None:
            dialect, reads, writes = header.groups("")
            sql = part[header.end() :].strip().removesuffix(";")
            found.append(Construct(dialect, set(reads.split()), set(writes.split()), sql))
    return found


def catalog() -> Catalog:
    numbers = dict.fromkeys(_NUMBERS, "BIGINT")
    tables = (
        table(
            "customer",
            1_000,
            {"c_id": "BIGINT", "c_name": "VARCHAR", "tags": "VARCHAR[]", "doc": "JSON"}
            | {"c_day": "DATE"},
            ("c_id",),
        ),
        table("hits", 1_000_000, {**numbers, **_STAMP, "Title": "VARCHAR"}),
        table("pgbench_accounts", 100_000, {"aid": "INTEGER", "abalance": "INTEGER"}, ("aid",)),
        table("pgbench_tellers", 10, {"tid": "INTEGER", "tbalance": "INTEGER"}, ("tid",)),
        table("sbtest1", 100, {"id": "INTEGER", "k": "INTEGER", "c": "VARCHAR"}, ("id",)),
    )
    named = {each.name: each for each in tables}
    return Catalog(name="constructs", tables={**shop().tables, **named})


@pytest.mark.parametrize("construct", constructs(), ids=lambda each: f"{each.dialect}: {each.sql}")
def test_a_construct_is_understood_with_its_tables(construct: Construct):
    query = Query(name="q", sql=construct.sql, origin="q.sql")
    workload = Workload(name="w", dialect=construct.dialect, queries=(query,))
    found = understand(workload, catalog(), Silent())
    assert [skipped.reason for skipped in found.skipped] == []
    footprints = (*found.footprints, *found.writes)
    footprints += tuple(each.footprint for each in found.passed_through)
    assert set().union(*(each.tables for each in footprints)) == construct.reads
    assert set().union(*(each.writes for each in footprints)) == construct.writes


def test_there_are_constructs_of_every_dialect_that_users_bring():
    dialects = {each.dialect for each in constructs()}
    assert dialects >= {
        "postgres",
        "mysql",
        "tsql",
        "oracle",
        "snowflake",
        "bigquery",
        "clickhouse",
    }
    assert dialects >= {"duckdb", "spark", "redshift", "trino", "sqlite"}
