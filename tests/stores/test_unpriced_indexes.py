"""MariaDB and MySQL read a copy by the chosen indexes that a fragment's price has, and no other."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.federation.compile import Compiler
from evaluation.kinds import KINDS
from evaluation.load import load
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import Outcome, PlacementPlan, RoutedFragment
from placement.stores import Capability
from tests.data_fixtures import statement
from tests.stores.test_indexes import connected, words
from tests.stores.test_migration_sql import run_sql
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.indexes import NamedIndex
from workloads.progress import Silent
from workloads.sql import footprint
from workloads.workload import Workload

pytestmark = pytest.mark.stores

BY_DAY = NamedIndex("words", ("day",))
OF_A_DAY = statement(
    "SELECT a.word FROM words a JOIN words b ON a.id = b.id WHERE a.day = DATE '2024-02-01'"
)


@pytest.mark.parametrize("store", ["maria", "mysql8"])
def test_a_copy_is_read_by_the_indexes_of_the_price_alone(
    request: pytest.FixtureRequest, tmp_path: Path, store: str
) -> None:
    connection = replace(connected(request, store), namespace="indexes_ignored")
    table = replace(words(tmp_path), indexes=())
    catalog = Catalog(name="c", tables={"words": table})
    chosen = PlacementPlan(
        strategy="s",
        outcome=Outcome.FEASIBLE,
        placement={"words": (store,)},
        routing={},
        predicted_s=1.0,
        indexes={store: (BY_DAY,)},
    )
    load(catalog, (chosen,), {store: connection}, Silent())
    found = footprint(OF_A_DAY, catalog, "duckdb")
    (whole,) = (
        each
        for each in enumerate_fragments(found, Estimator(catalog, found))
        if each.kind is Capability.QUERY
    )
    compiler = Compiler(
        Workload(name="w", queries=(OF_A_DAY,), dialect="duckdb"),
        catalog,
        {store: KINDS[connection.kind].dialect_for(connection)},
    )

    def asked(read_by: tuple[NamedIndex, ...] | None) -> tuple[str, str]:
        routed = RoutedFragment(fragment=whole, store=store, predicted_s=1.0, read_by=read_by)
        (only,) = compiler.compile(OF_A_DAY.name, (routed,)).fragments
        assert tuple(run_sql(connection, (only.sql,))) == (("w31",),)
        return only.sql, str(run_sql(connection, (f"EXPLAIN FORMAT=JSON {only.sql}",)))

    (index,) = KINDS[connection.kind].dialect_for(connection).indexes["words"]
    sql, steps = asked(())
    assert sql.count(f"IGNORE INDEX (`{index}`)") == 2
    assert index not in steps
    for read_by in ((BY_DAY,), None):
        sql, steps = asked(read_by)
        assert "IGNORE" not in sql
        assert index in steps
