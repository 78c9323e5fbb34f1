"""Keys that are sent along with groups reach the rows below them, however many they are."""

import json
from collections.abc import Mapping

import duckdb
import pytest

from evaluation.federation.sent_keys import restricted
from evaluation.kinds import JDBC
from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql import sessions as mysql_sessions
from evaluation.stores.postgresql import sessions as postgresql_sessions

pytestmark = pytest.mark.stores

ROWS, VALUES = 40_000, 8_000
KEYS = {
    "few": range(0, VALUES, 400),
    "many": range(0, VALUES, 2),
    "close": range(100, 900),
}
GROUPS = "SELECT t.a AS t__a, count(*) AS partial_0 FROM {table} AS t GROUP BY t.a"


def asked(table: str, keys: range, quote: str) -> str:
    return restricted(GROUPS.format(table=table), [(f"{quote}t__a{quote}", list(keys))])


def read_rows(plan: object, table: str) -> list[float]:
    """Return what the scans of a table in PostgreSQL's or MariaDB's plan hand on."""
    found = []
    for key, value in plan.items() if isinstance(plan, dict) else enumerate(plan):
        if isinstance(value, (dict, list)):
            found += read_rows(value, table)
        elif key == "Relation Name" and value == table:
            found.append(plan["Actual Rows"] * plan["Actual Loops"])
        elif key == "table_name" and value == table:
            found.append(plan["r_rows"] * plan["r_filtered"] / 100)
    return found


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_postgresql_groups_the_rows_with_a_key_alone(
    embedded: Mapping[str, Connection], keys: range
):
    with postgresql_sessions.session_with(embedded["pg"], "a test") as session:
        session.execute(
            f"CREATE TEMP TABLE pushed AS SELECT i % {VALUES} AS a "
            f"FROM generate_series(1, {ROWS}) AS i".encode()
        )
        explain = f"EXPLAIN (ANALYZE, FORMAT JSON) {asked('pushed', keys, chr(34))}"
        (plan,) = session.execute(explain.encode()).fetchone()
    assert sum(read_rows(plan, "pushed")) == len(keys) * ROWS / VALUES


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_mariadb_groups_the_rows_with_a_key_alone(embedded: Mapping[str, Connection], keys: range):
    maria = embedded["maria"]
    options = JDBC[maria.kind].jdbc(maria, timeout_s=60, fetch_size=10_000)
    with mysql_sessions.session(maria, "a test") as execute:
        execute(options["sessionInitStatement"])
        execute("CREATE DATABASE IF NOT EXISTS pushed_keys")
        execute("CREATE OR REPLACE TABLE pushed_keys.t (a INT)")
        execute(f"INSERT INTO pushed_keys.t SELECT seq % {VALUES} FROM mysql.seq_1_to_{ROWS}")
        ((plan,),) = execute(f"ANALYZE FORMAT=JSON {asked('pushed_keys.t', keys, '`')}")
        execute("DROP DATABASE pushed_keys")
    assert sum(read_rows(json.loads(plan), "t")) == pytest.approx(len(keys) * ROWS / VALUES)


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_duckdb_groups_the_rows_with_a_key_alone(keys: range):
    with duckdb.connect() as session:
        session.execute(f"CREATE TABLE t AS SELECT i % {VALUES} AS a FROM range({ROWS}) AS r(i)")
        explain = f"EXPLAIN (ANALYZE, FORMAT json) {asked('t', keys, chr(34))}"
        profile = json.loads(session.execute(explain).fetchone()[1])
    grouping = next(each for each in operators(profile) if "GROUP_BY" in each["operator_name"])
    (below,) = grouping["children"]
    assert below["operator_cardinality"] == len(keys) * ROWS / VALUES


def operators(profile: dict) -> list[dict]:
    below = [each for child in profile["children"] for each in operators(child)]
    return ([profile] if "operator_name" in profile else []) + below
