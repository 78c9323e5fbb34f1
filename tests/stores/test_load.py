"""Candidates loaded into real stores."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from evaluation.kinds import BACKENDS
from evaluation.load import load
from evaluation.store_protocol.connection import Connection
from placement.plan import Outcome, PlacementPlan
from workloads.catalog import Catalog
from workloads.errors import StoreError
from workloads.progress import Silent

pytestmark = pytest.mark.stores

FACTS = ("inventory", "store_sales", "web_returns")


@pytest.fixture
def connections(embedded: Mapping[str, Connection]) -> Mapping[str, Connection]:
    return {name: replace(connection, namespace="loaded") for name, connection in embedded.items()}


def plan(name: str, placement: Mapping[str, tuple[str, ...]]) -> PlacementPlan:
    return PlacementPlan(
        strategy=name, outcome=Outcome.FEASIBLE, placement=placement, routing={}, predicted_s=1.0
    )


def test_candidates_are_loaded_once_and_hold_what_the_catalog_says(
    connections: Mapping[str, Connection], tiny: Catalog
) -> None:
    everywhere = plan("everywhere", dict.fromkeys(tiny.tables, ("duck", "maria", "pg")))
    facts = plan("facts", dict.fromkeys(FACTS, ("pg",)))
    first = load(tiny, [everywhere, facts], connections, Silent())
    assert len(first.loaded) == 3 * len(tiny.tables)
    for connection in connections.values():
        copies = BACKENDS[connection.kind].loaded(connection)
        assert {name: copy.rows for name, copy in copies.items()} == {
            table.name: table.rows for table in tiny.tables.values()
        }
    changed = replace(tiny.tables["inventory"], fingerprint="changed")
    catalog = replace(tiny, tables={**tiny.tables, "inventory": changed})
    second = load(catalog, [facts], connections, Silent())
    assert [copy.table for copy in second.loaded] == ["inventory"]
    assert {copy.table for copy in second.found} == {"store_sales", "web_returns"}
    assert second.load_s(facts) > 0


def test_what_is_complete_stays_when_another_store_fails(
    connections: Mapping[str, Connection], tiny: Catalog
) -> None:
    refused = replace(connections["maria"], store="gone", port=1)
    both = plan("both", {"reason": ("pg", "gone")})
    with pytest.raises(StoreError, match="'gone'"):
        load(tiny, [both], {**connections, "gone": refused}, Silent())
    found = load(tiny, [plan("one", {"reason": ("pg",)})], connections, Silent())
    assert found.copies["reason", "pg"].rows == tiny.tables["reason"].rows
