"""One scan for several fragments: what is read, and what each takes of it."""

import pytest

from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledFragment
from evaluation.federation.store_dialect import StoreDialect
from placement.fragment import Fragment
from placement.fragments import one_scans as offering
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.one_scans import one_scans
from placement.plan import RoutedFragment
from placement.stores import Capability
from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Workload


def compiled(sql: str, *, apart: int = 0) -> tuple[CompiledFragment, ...]:
    """The fragments of a query whose scans are read by one, but for the last ones, `apart`."""
    workload = Workload(name="w", dialect="duckdb", queries=(statement(sql),))
    found = footprint(workload.query("q"), shop(), "duckdb")
    estimator = Estimator(shop(), found)
    every = enumerate_fragments(found, estimator)
    one = max(one_scans(found, estimator, every), key=lambda each: len(each.sources))
    chosen: dict[str, Fragment] = {each.sources[0]: each for each in one.members}
    sources = [source.name for source in found.sources()]
    last = set(sources[len(sources) - apart :])
    for each in every:
        if each.kind is Capability.SCAN and each.sources[0] not in chosen.keys() - last:
            chosen[each.sources[0]] = each
    routing = [
        RoutedFragment(fragment=chosen[source], store="acc", predicted_s=0.0) for source in sources
    ]
    dialects = {"acc": StoreDialect(dialect="spark", namespace="n", scanned=True)}
    return Compiler(workload, shop(), dialects).compile("q", routing).fragments


@pytest.fixture(autouse=True)
def _small_tables_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offering, "LEAST_BYTES", 0.0)


LOW = "SELECT sum(o_total) FROM orders WHERE o_customer < 5"
HIGH = "SELECT count(*) FROM orders AS o WHERE o.o_customer > 50 AND o.o_day > DATE '2000-01-01'"


def test_the_scan_has_the_rows_and_columns_of_all():
    low, high = compiled(f"{LOW} UNION ALL {HIGH}")
    assert low.one_scan is not None
    assert high.one_scan is not None
    assert low.one_scan.sql == high.one_scan.sql
    assert low.one_scan.sql == (
        "SELECT `o_total`, `o_customer`, `o_day` FROM `n.orders` WHERE (`o_customer` < 5) "
        "OR (`o_customer` > 50 AND `o_day` > CAST('2000-01-01' AS DATE))"
    )
    assert (low.is_read, high.is_read) == (True, False)
    assert high.one_scan.view == low.view


def test_each_takes_its_own_rows_and_columns():
    low, high = (each.one_scan for each in compiled(f"{LOW} UNION ALL {HIGH}"))
    assert low is not None
    assert high is not None
    assert (low.condition, low.outputs) == ("`o_customer` < 5", ("`o_total` AS `orders__o_total`",))
    assert high.outputs == ("1 AS `one`",)


def test_all_rows_are_read_where_one_wants_them():
    low, every = compiled(f"{LOW} UNION ALL SELECT count(*) FROM orders")
    assert low.one_scan is not None
    assert every.one_scan is not None
    assert low.one_scan.sql == "SELECT `o_total`, `o_customer` FROM `n.orders`"
    assert (low.one_scan.condition, every.one_scan.condition) == ("`o_customer` < 5", "")


def test_what_repeats_the_rows_of_another_takes_them_from_there():
    low, high, again = compiled(f"{LOW} UNION ALL {HIGH} UNION ALL {LOW}")
    assert low.one_scan is not None
    assert high.one_scan is not None
    assert (again.same_as, again.one_scan, again.is_read) == (low.view, None, False)


def test_one_that_is_left_alone_has_its_own_statement():
    """The plan may be of a query whose fragments are the same as it is compiled."""
    low, again = compiled(f"{LOW} UNION ALL {LOW} UNION ALL {HIGH}", apart=1)[:2]
    assert (low.one_scan, low.is_read) == (None, True)
    assert again.same_as == low.view


def test_values_that_differ_between_calls_are_read_by_themselves():
    drawn = "SELECT count(*) FROM orders WHERE o_customer < 1000 * random()"
    low, high, random = compiled(f"{LOW} UNION ALL {HIGH} UNION ALL {drawn}")
    assert random.one_scan is None
    assert low.one_scan is not None
    assert high.one_scan is not None
    assert "RAND" not in low.one_scan.sql.upper()
