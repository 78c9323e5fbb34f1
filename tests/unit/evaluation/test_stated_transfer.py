"""Settings that a plan states for a fragment go with its SQL, and no other's."""

from evaluation.federation.compile import Compiler
from evaluation.federation.store_dialect import StoreDialect
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from placement.transfer.link import TransferSettings
from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Workload

STATED = TransferSettings(fetch_rows=77, message_bytes=4_096)
SQL = "SELECT c_name, sum(o_total) AS s FROM orders JOIN customer ON o_customer = c_id GROUP BY 1"


def test_a_fragment_is_compiled_with_the_settings_that_its_plan_states():
    catalog = shop()
    found = footprint(statement(SQL), catalog, "duckdb")
    routing = [
        RoutedFragment(
            fragment=each,
            store="duck",
            predicted_s=0.0,
            transfer=STATED if each.tables == {"orders"} else None,
        )
        for each in enumerate_fragments(found, Estimator(catalog, found))
        if each.kind is Capability.SCAN and not each.reduction.reducers
    ]
    compiler = Compiler(
        Workload(name="w", dialect="duckdb", queries=(statement(SQL),)),
        catalog,
        {"duck": StoreDialect(dialect="duckdb", namespace="main")},
    )
    made = compiler.compile("q", routing).fragments
    assert {tuple(each.fragment.tables): each.transfer for each in made} == {
        ("orders",): STATED,
        ("customer",): None,
    }
