"""What arrives of a copy, and of a query over it, is what DuckDB says: in type, value and order."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evaluation.judging.oracle import Oracle
from evaluation.judging.verdict import verdict
from evaluation.kinds import BACKENDS
from evaluation.measuring.measurement import QueryOutcome
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.executed import Execution
from evaluation.running.execution import Federation
from evaluation.store_protocol.backend import Backend
from evaluation.store_protocol.connection import Connection
from placement.stores import Capability
from tests.data_fixtures import statement
from tests.stores.awkward_values import BEYOND, EDGES, awkward, catalog_of, in_duckdb, routed
from tests.stores.parquet_tables import write
from workloads.catalog import Table
from workloads.errors import StoreError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

ALL = "SELECT * FROM awkward ORDER BY id"
DAY = f"c{list(EDGES).index('DATE')}"
MOMENT = f"c{list(EDGES).index('TIMESTAMP')}"
CASED = """SELECT c AS id, 'a' || chr(c) || 'B' AS s
    FROM (SELECT CAST(range AS INTEGER) AS c FROM range(32, 131072))
    WHERE c NOT BETWEEN 55296 AND 57343
    AND (upper(chr(c)) <> chr(c) OR lower(chr(c)) <> chr(c) OR c < 900 OR c % 997 = 0)"""
ON_LETTERS = (
    "SELECT id, upper(s) AS u, lower(s) AS l FROM letters WHERE id < 384 ORDER BY id",
    "SELECT lower(s) AS l, count(*) AS n FROM letters WHERE id < 384 GROUP BY lower(s) ORDER BY l",
    (
        "SELECT upper(lower(s) || 'ß') AS u FROM letters WHERE id < 384 AND upper(s) = 'AẞB' "
        "ORDER BY id"
    ),
)
ON_ALL_LETTERS = "SELECT id, upper(s) AS u, lower(s) AS l FROM letters ORDER BY id"
ON_SKIPPED_DAYS = (
    f"SELECT id, {DAY} FROM awkward WHERE {DAY} = DATE '1582-10-10'",
    f"SELECT id, {DAY} FROM awkward WHERE {DAY} < DATE '1582-10-15' ORDER BY {DAY}",
    (
        f"SELECT id, {MOMENT} FROM awkward "
        f"WHERE {MOMENT} >= TIMESTAMP '1582-10-10 12:30:15.123456' "
        f"AND {MOMENT} < TIMESTAMP '1969-12-31 23:59:59.999999' ORDER BY id"
    ),
)
MIXED = {"id": "INTEGER", "k": "INTEGER", "s": "VARCHAR", "b": "BIGINT", "r": "FLOAT"}
MIXED |= {"p": "DECIMAL(38,10)", "d": "DATE"}
MIXED_ROWS = """SELECT CAST(range AS INTEGER) AS id,
    CASE WHEN range % 4 > 0 THEN CAST((range * 7) % 5 AS INTEGER) END AS k,
    CASE WHEN range % 6 > 0 THEN chr(CAST(97 + (range * 5) % 7 AS INTEGER)) || 'É' END AS s,
    9223372036854775807 - range AS b, CAST(16777216 + range AS FLOAT) AS r,
    CAST('9999999999999999999999999.0123456789' AS DECIMAL(38,10)) - range AS p,
    DATE '9999-12-01' + CAST(range AS INTEGER) AS d FROM range(30)"""
ORDERED = (
    "SELECT id, k FROM mixed ORDER BY k NULLS FIRST, id DESC",
    "SELECT id, k FROM mixed ORDER BY k DESC NULLS LAST, id",
    "SELECT id FROM mixed ORDER BY -k DESC, s || 'x' NULLS FIRST, id DESC",
    "SELECT k, count(*) AS n FROM mixed GROUP BY k ORDER BY sum(id) DESC",
    "SELECT DISTINCT s FROM mixed ORDER BY s DESC NULLS FIRST",
    "SELECT id FROM mixed WHERE k = 1 UNION ALL SELECT id + 100 FROM mixed ORDER BY 1 DESC",
    "SELECT id, s FROM mixed ORDER BY s, id LIMIT 7 OFFSET 2",
    "SELECT id AS k, k AS id FROM mixed ORDER BY k DESC, id",
    "SELECT id, d FROM mixed ORDER BY d DESC",
)
COMPUTED = (
    "SELECT sum(k) AS s, count(*) AS n, avg(k) AS a, max(s) AS m FROM mixed",
    "SELECT k, sum(p) AS s, min(d) AS first, max(r) AS r FROM mixed GROUP BY k ORDER BY k",
    (
        "SELECT id, k > 2 AS flag, k IS NULL AS none, CASE WHEN k > 2 THEN 1 ELSE k END AS c, "
        "coalesce(k, b) AS w, p + 1 AS q, r FROM mixed ORDER BY id"
    ),
    "SELECT sum(b) AS huge, sum(b * 1) AS product, sum(DISTINCT b) AS each FROM mixed",
    "SELECT k AS x FROM mixed WHERE id < 9 UNION SELECT b FROM mixed WHERE id > 27 ORDER BY x",
    "SELECT id, id AS again, ID FROM mixed WHERE id < 0",
)
BEYOND_PYTHON = "SELECT id, d + 400 AS later FROM mixed ORDER BY id"
"""Days after the year 9999, which Python and MariaDB have not."""


def ways(backend: Backend) -> list[Capability]:
    """How a query may be run: as a whole by the store, where it can, and over scans of it."""
    return [each for each in (Capability.QUERY, Capability.SCAN) if each in backend.capabilities]


def values_held(backend: Backend) -> dict[str, tuple[str, ...]]:
    more = {} if backend.kind == "mysql" else BEYOND
    return {type_: (*EDGES.get(type_, ()), *more.get(type_, ())) for type_ in {**EDGES, **more}}


def mixed(folder: Path) -> Table:
    return write(folder, "mixed", MIXED, MIXED_ROWS, key="id")


def refuted(done: Execution, sql: str, *tables: Table) -> list[str]:
    """Return how an answer differs from DuckDB's, in names, types, or rows and their order."""
    names, types, rows = in_duckdb(sql, tables)
    found = [
        f"{one} where {other} was expected"
        for one, other in (
            (tuple(each.name for each in done.columns), names),
            (tuple(each.type for each in done.columns), types),
        )
        if one != other
    ]
    # MySQL's own letters are those of an older Unicode: DuckDB answers instead.
    if (again := done.second_try or done.by_spark) and sql != ON_ALL_LETTERS:
        found.append(f"a second try after {again}")
    # NaN is not equal to itself.
    pairs = zip(done.rows, rows, strict=False)
    told = [(list(map(repr, one)), list(map(repr, row))) for one, row in pairs]
    found += [f"{one} where {other} was expected" for one, other in told if one != other]
    if len(done.rows) != len(rows):
        found.append(f"{len(done.rows)} rows where {len(rows)} were expected")
    return [f"{sql}: {each}" for each in found]


def test_values_of_every_type_arrive_exactly_and_in_duckdbs_type(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    table = awkward(tmp_path, values_held(backend))
    backend.load(connection, table)
    with Federation(spark, {connection.store: connection}, timeout_s=60) as federation:
        for sql in (ALL, *ON_SKIPPED_DAYS):
            for way in ways(backend):
                query = routed(sql, catalog_of(table), way, connection)
                assert refuted(federation.run(query), sql, table) == []


def test_zeros_beside_one_another_keep_their_signs(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    zeros = [f"({row}, '{'-' if row % 8 < 4 else ''}0.0')" for row in range(40)]
    table = write(
        tmp_path, "zeros", {"id": "INTEGER", "x": "DOUBLE", "r": "FLOAT"},
        "SELECT id, CAST(x AS DOUBLE) AS x, CAST(x AS FLOAT) AS r FROM "
        f"(VALUES {', '.join(zeros)}, (40, '2.5')) AS v(id, x)",
        key="id",
    )  # fmt: skip
    backend.load(connection, table)
    sql = "SELECT id, x, r FROM zeros ORDER BY id"
    with Federation(spark, {connection.store: connection}, timeout_s=60) as federation:
        for way in ways(backend):
            query = routed(sql, catalog_of(table), way, connection)
            assert refuted(federation.run(query), sql, table) == []


def test_computed_values_arrive_in_duckdbs_types_and_in_its_order(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    table = mixed(tmp_path)
    backend.load(connection, table)
    more = () if backend.kind == "mysql" else (BEYOND_PYTHON,)
    asked = [(sql, way) for sql in (*ORDERED, *COMPUTED, *more) for way in ways(backend)]
    wrong = []
    with Federation(spark, {connection.store: connection}, timeout_s=60) as federation:
        for sql, way in asked:
            query = routed(sql, catalog_of(table), way, connection)
            wrong += refuted(federation.run(query), sql, table)
    assert wrong == []


def test_letters_have_the_case_that_they_have_in_duckdb(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    table = write(tmp_path, "letters", {"id": "INTEGER", "s": "VARCHAR"}, CASED, key="id")
    backend.load(connection, table)
    wrong = []
    with Federation(spark, {connection.store: connection}, timeout_s=60) as federation:
        for sql in (*ON_LETTERS, ON_ALL_LETTERS):
            for way in ways(backend):
                done = federation.run(routed(sql, catalog_of(table), way, connection))
                wrong += refuted(done, sql, table)
                # MySQL's own letters are those of an older Unicode: DuckDB answers instead.
                others = backend.kind == "mysql" and way is Capability.QUERY
                assert bool(done.second_try) == (others and sql == ON_ALL_LETTERS), sql
    assert wrong == []


@pytest.mark.parametrize("store", ["pg", "maria", "duck"])
def test_a_sum_of_more_digits_than_a_decimal_has_is_an_outcome(
    spark: "SparkSession", embedded: Mapping[str, Connection], store: str, tmp_path: Path
) -> None:
    connection = replace(embedded[store], namespace="sums")
    backend = BACKENDS[connection.kind]
    table = write(
        tmp_path, "huge", {"n": "DECIMAL(38,0)", "k": "INTEGER"},
        f"SELECT {'9' * 38}::DECIMAL(38,0) AS n, range::INTEGER AS k FROM range(2)",
    )  # fmt: skip
    backend.prepare(connection)
    backend.load(connection, table)
    with Federation(spark, {store: connection}, timeout_s=60) as federation:
        for way in ways(backend):
            query = routed("SELECT sum(n) AS s FROM huge", catalog_of(table), way, connection)
            with pytest.raises(QueryFailedError):
                federation.run(query)
        one = "SELECT sum(n) AS s FROM huge WHERE k = 0"
        for way in ways(backend):
            done = federation.run(routed(one, catalog_of(table), way, connection))
            assert refuted(done, one, table) == []
    backend.drop(connection, "huge")


@pytest.mark.parametrize("value", ["'NaN'::DOUBLE", "'-Infinity'::FLOAT", "DATE '10000-01-01'"])
def test_what_mariadb_cannot_hold_is_refused_before_anything_is_loaded(
    embedded: Mapping[str, Connection], tmp_path: Path, value: str
) -> None:
    maria, backend = replace(embedded["maria"], namespace="refused"), BACKENDS["mysql"]
    type_ = "DATE" if "DATE" in value else value.partition("::")[2]
    table = write(tmp_path, "odd", {"c": type_}, f"SELECT {value} AS c UNION ALL SELECT NULL")
    backend.prepare(maria)
    with pytest.raises(StoreError, match=r"table 'odd' has .* in column 'c', which it cannot hold"):
        backend.load(maria, table)
    assert backend.loaded(maria) == {}


def test_infinite_days_and_moments_come_out_of_duckdb_as_they_are(
    spark: "SparkSession", embedded: Mapping[str, Connection], tmp_path: Path
) -> None:
    connection, backend = replace(embedded["duck"], namespace="ends"), BACKENDS["duckdb"]
    types = {"d": "DATE", "t": "TIMESTAMP", "z": "TIMESTAMPTZ"}
    table = write(
        tmp_path, "ends", {"id": "INTEGER", **types},
        "SELECT id, CAST(d AS DATE) AS d, CAST(t AS TIMESTAMP) AS t, CAST(z AS TIMESTAMPTZ) AS z"
        " FROM (VALUES (1, 'infinity', '-infinity', 'infinity'), (3, NULL, NULL, '2000-01-01'),"
        " (2, '-infinity', 'infinity', '-infinity')) AS v(id, d, t, z)",
    )  # fmt: skip
    backend.prepare(connection)
    backend.load(connection, table)
    asked = statement("SELECT * FROM ends ORDER BY id")
    oracle = Oracle(catalog_of(table))
    with Federation(spark, {"duck": connection}, timeout_s=60) as federation:
        for way in ways(backend):
            done = federation.run(routed(asked.sql, catalog_of(table), way, connection))
            found = verdict(oracle, asked, done.answer)
            assert found.message == ""
            assert found.outcome is QueryOutcome.VERIFIED
    oracle.close()
    backend.drop(connection, "ends")


def test_a_copy_that_lies_in_another_way_is_not_taken_for_the_table(
    connection: Connection, backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = mixed(tmp_path)
    with monkeypatch.context() as earlier:
        earlier.setattr("evaluation.store_protocol.register.LAYOUT", "layout 1")
        backend.load(connection, table)
        assert backend.loaded(connection)["mixed"].fingerprint == table.fingerprint
    assert backend.loaded(connection)["mixed"].fingerprint != table.fingerprint
    backend.load(connection, table)
    assert backend.loaded(connection)["mixed"].fingerprint == table.fingerprint
    backend.drop(connection, "mixed")


@pytest.mark.parametrize("outer", ["maria", "pg"])
def test_a_subquery_is_correlated_over_columns_of_one_type_in_two_stores(
    spark: "SparkSession", embedded: Mapping[str, Connection], outer: str, tmp_path: Path
) -> None:
    one, other = embedded[outer], embedded["duck"]
    nums = write(
        tmp_path, "nums", {"id": "INTEGER", "k": "INTEGER"},
        "SELECT CAST(range AS INTEGER) AS id, CAST(range % 7 AS INTEGER) AS k FROM range(40)",
    )  # fmt: skip
    dup = write(
        tmp_path, "dup", {"k": "INTEGER", "v": "INTEGER"},
        "SELECT CAST(range % 5 AS INTEGER) AS k, CAST(range AS INTEGER) AS v FROM range(30)",
    )  # fmt: skip
    tables = ((nums, one), (dup, other))
    for table, connection in tables:
        BACKENDS[connection.kind].prepare(connection)
        BACKENDS[connection.kind].load(connection, table)
    queries = (
        (
            "SELECT o.id, (SELECT d.v FROM dup d WHERE d.k = o.k ORDER BY d.v LIMIT 1) AS v "
            "FROM nums o ORDER BY o.id"
        ),
        (
            "SELECT id FROM nums o WHERE EXISTS (SELECT 1 FROM dup d WHERE d.k = o.k OFFSET 5) "
            "ORDER BY id"
        ),
    )
    wrong = []
    with Federation(spark, embedded, timeout_s=60) as federation:
        for sql in queries:
            query = routed(sql, catalog_of(nums, dup), Capability.SCAN, one, other)
            assert {each.store for each in query.fragments} == {one.store, other.store}
            wrong += refuted(federation.run(query), sql, nums, dup)
    for table, connection in tables:
        BACKENDS[connection.kind].drop(connection, table.name)
    assert wrong == []
