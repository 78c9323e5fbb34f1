"""Statements that live servers remember without literals are measured with some."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pydantic import TypeAdapter

from advisor.problem.prepared import Prepared
from evaluation.measuring.measurement import Measurements, QueryOutcome
from evaluation.store_protocol.connection import Connection
from placement.plan import PlacementPlan
from placement.plan_file import write_plan
from tests.spark.live_runs import chosen, outcomes, prepared, run
from tests.stores.live_servers import maria, postgres
from tests.stores.live_shop import READER, write_project

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


pytestmark = [
    pytest.mark.stores,
    pytest.mark.spark,
    pytest.mark.usefixtures("live_reader"),
]


LOGGED = "SELECT name FROM live_crm.customer WHERE key = '{}0007'::uuid".format(
    "00000000-0000-0000-0000-00000000"
)

REMEMBERED = {
    "pg": (
        (
            "SELECT id, born FROM live_crm.customer WHERE (name = 'n3' OR name LIKE 'n4%') "
            "AND born BETWEEN date '1980-02-01' AND date '1980-03-01' ORDER BY id LIMIT 5 OFFSET 2"
        ),
        (
            "SELECT c.name, sum(o.total * 2) AS t, 'all' AS kind FROM live_crm.customer c "
            'JOIN live_sales."Order ""x"" y" o ON o.customer = c.id WHERE o.code = \'k1\' '
            "AND placed >= '2024-01-02 00:00+00' AND c.id = ANY('{3,4}'::int[]) GROUP BY c.name "
            "HAVING count(*) > 3"
        ),
        LOGGED.replace("0007", "0003"),
    ),
    "shop": (
        "SELECT name, price FROM product WHERE id = 7 AND active = 1",
        (
            "SELECT p.name, count(*) AS n FROM product p JOIN line l ON l.product = p.id "
            "WHERE p.price BETWEEN 5.0 AND 60.5 AND p.name LIKE 'p%' AND l.amount IN (3, 4) "
            "AND l.amount <> 3 AND changed > '2024-01-01 00:10:00' GROUP BY p.name"
        ),
    ),
}

"""Store → statements of users there. Of the last of PostgreSQL's another execution is logged."""


@contextmanager
def remembered(live_shops: Mapping[str, Connection], mysql: str) -> Iterator[None]:
    """Run the users' statements, twice, on servers that have seen nothing else."""
    postgres(
        live_shops["pg"],
        "CREATE EXTENSION IF NOT EXISTS pg_stat_statements",
        f"GRANT pg_read_all_stats TO {READER}",
        "SELECT pg_stat_statements_reset()",
        *REMEMBERED["pg"] * 2,
    )
    maria(
        live_shops[mysql],
        f"GRANT SELECT ON performance_schema.* TO {READER}@'%'",
        "TRUNCATE performance_schema.events_statements_summary_by_digest",
    )
    maria(live_shops[mysql], *REMEMBERED["shop"] * 2, database="live_shop")
    try:
        yield
    finally:
        postgres(
            live_shops["pg"],
            f"REVOKE pg_read_all_stats FROM {READER}",
            "DROP EXTENSION pg_stat_statements",
        )
        maria(live_shops[mysql], f"REVOKE SELECT ON performance_schema.* FROM {READER}@'%'")


@pytest.mark.parametrize(("store", "server"), [("pg", "pg"), ("shop", "maria")])
def test_what_a_server_remembers_without_literals_is_measured_with_some(
    spark: "SparkSession",
    live_shops: Mapping[str, Connection],
    tmp_path: Path,
    store: str,
    server: str,
):
    more = "[evaluate]\nrepeats = 1\n"
    logged = {"logged": LOGGED} if store == "pg" else {}
    file = write_project(tmp_path, live_shops, "maria", more, statements=logged)
    sources = [f"stores.{store}", *(["queries/"] if logged else [])]
    named = file.read_text().replace('source = "queries/"', f"source = {sources}")
    file.write_text(named.replace('dialect = "duckdb"\n', 'dialect = "postgres"\n' * bool(logged)))
    with remembered(live_shops, "maria"):
        of = prepared(file)
    plans = chosen(of)
    found = run(spark, of, {name: plans[name] for name in ("current", "single_store:duck")})
    asked = [query.name for query in of.analysis.workload.queries]
    assert len(asked) == len(REMEMBERED[store]) + len(logged)
    right = dict.fromkeys(asked, (QueryOutcome.VERIFIED, ""))
    assert outcomes(found) == {"current": right, "single_store:duck": right}
    # As they are run today they have literals too.
    assert {each.query for each in found.direct if each.measured_s} == set(asked)
    sources_told = sorted(str(each.source) for each in found.literals)
    assert sources_told == ["log"] * len(logged) + ["statistics"] * (len(asked) - 2 * len(logged))
    filling = of.analysis.filling
    assert filling is not None
    sets = [each for filled in filling.filled.values() for each in filled.sets]
    assert len(sets) > len(filling.filled)
    if logged:
        (by_log,) = (each for each in filling.filled.values() if each.source == "log")
        assert [each.sql for each in by_log.sets] == [LOGGED.replace("live_crm.", "")]
    assert_no_literal_is_told(of, found, plans["current"])


def assert_no_literal_is_told(of: Prepared, found: Measurements, plan: PlacementPlan) -> None:
    """Plans and measurements have the templates' names, and no value of a user's column."""
    filling = of.analysis.filling
    assert filling is not None
    values = {
        value
        for each in filling.filled.values()
        for one in each.sets
        for value in re.findall(r"'([^']{9,})'", one.sql)
    }
    assert values
    written = TypeAdapter(Measurements).dump_json(found).decode() + write_plan(plan)
    assert [value for value in values if value in written] == []
