"""Tables of a quick calibration: the large one where that is quick; no store holds others up."""

from collections.abc import Mapping
from pathlib import Path
from threading import Event

import pytest

from advisor.measuring import quick_loading, quick_parts
from advisor.measuring.quick_loading import load_bytes_per_s, load_quickly
from advisor.measuring.quick_parts import Findings, Part, written_part
from advisor.project.config import load_project
from evaluation import load as loading
from evaluation.bulk.bulk import LoadStoppedError
from evaluation.calibration.quick_probes import LARGE, SMALL
from evaluation.store_protocol.backend import LoadedTable
from evaluation.store_protocol.connection import Connection
from tests.unit.advisor.project_files import write
from workloads.catalog import Table
from workloads.errors import StoreError
from workloads.progress import Silent

STORES = ("quick", "slow", "full", "silent")


class Backend:
    """Loads at the rate of each store; one refuses, and one takes no end."""

    loads_at_once = 1
    makes_indexes = False
    rates: Mapping[str, float]

    def __init__(self) -> None:
        self.copies: dict[tuple[str, str], LoadedTable] = {}

    def prepare(self, connection: Connection) -> None:
        pass

    def loaded(self, connection: Connection) -> Mapping[str, LoadedTable]:
        return {t: copy for (s, t), copy in self.copies.items() if s == connection.store}

    def load(self, connection: Connection, table: Table, stop: Event) -> LoadedTable:
        if connection.store == "full":
            raise StoreError("full", "is full.")
        if connection.store == "silent":
            stop.wait(timeout=10)
            raise LoadStoppedError
        rate = 1e9 if connection.store == "quick" else 10_000.0
        copy = LoadedTable.of(connection.store, table, load_s=table.bytes / rate)
        self.copies[connection.store, table.name] = copy
        return copy


@pytest.fixture
def part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Part:
    # As it lies in the machine's cache.
    monkeypatch.setattr(quick_parts, "SCALE_FACTOR", 0.01)
    monkeypatch.setattr(quick_loading, "_LOADING_S", 1.0)
    monkeypatch.setattr(loading, "BACKENDS", {"duckdb": Backend()})
    sections = {"workload": 'source = "tpch"', "catalog": 'source = "tpch"'}
    sections |= {f"stores.{name}": 'kind = "duckdb"\nembedded = true' for name in STORES}
    connections = {name: Connection(store=name, kind="duckdb") for name in STORES}
    found = written_part(load_project(write(tmp_path, sections)), connections, Silent())
    assert found is not None
    return found


def held(findings: Findings) -> dict[str, set[str]]:
    return {store: {each.table for each in copies} for store, copies in findings.loads.items()}


def test_the_large_table_is_where_it_is_quick_and_a_store_that_refuses_is_left_out(
    part: Part,
) -> None:
    findings = Findings()
    load_quickly(part, ("quick", "slow", "full"), findings, Silent())
    assert held(findings) == {"quick": {*SMALL, LARGE}, "slow": set(SMALL)}
    assert [each.message for each in findings.left_out] == ["Store 'full': is full."]
    rate = load_bytes_per_s(findings.loads["slow"], part.job.catalog)
    assert rate == pytest.approx(10_000.0)


def test_a_store_that_is_silent_takes_the_time_of_the_large_table_and_no_more(part: Part) -> None:
    findings = Findings()
    load_quickly(part, ("quick", "silent"), findings, Silent())
    assert held(findings) == {"quick": set(SMALL)}
    (left_out,) = findings.left_out
    assert left_out.message == "Store 'silent': was not loaded in time."
