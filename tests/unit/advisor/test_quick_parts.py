"""Quick calibrations: statements that stores can answer, and small tables of live stores alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.measuring import quick_parts
from advisor.measuring.quick_parts import Findings, Part, live_parts, written_part
from advisor.project.config import load_project
from advisor.project.project import Project
from evaluation.calibration.quick_plans import alone, by_reader, crossing, turn
from evaluation.calibration.quick_probes import (
    ALONE,
    CROSSING,
    JOINED,
    JOINED_FEW,
    LARGE,
    MOST_LIVE_BYTES,
    MOST_LIVE_ROWS,
    SMALL,
    START,
    WORK,
    live_workload,
)
from evaluation.store_protocol.connection import Connection
from tests.unit.advisor.project_files import BASE, write
from workloads.catalog import Catalog, Column, Origin, Table
from workloads.progress import Silent

DUCK = 'kind = "duckdb"\nembedded = true'
MARIA = 'kind = "mysql"\nembedded = true'
LIVE = 'kind = "postgresql"\nhost = "db"\nuser = "u"\ntables = "live"\nmovable = ["far"]'


def load(folder: Path, **stores: str) -> Project:
    sections = {"workload": 'source = "queries.sql"', "stores.pg": BASE["stores.pg"]}
    (folder / "queries.sql").write_text("SELECT 1;")
    if LIVE not in stores.values():
        sections["catalog"] = 'source = "tpch"'
    sections |= {f"stores.{name}": body for name, body in stores.items()}
    return load_project(write(folder, sections))


def connections(project: Project) -> dict[str, Connection]:
    return {each.name: Connection(store=each.name, kind=each.kind) for each in project.stores}


@pytest.fixture
def part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Part:
    # As it lies in the machine's cache.
    monkeypatch.setattr(quick_parts, "SCALE_FACTOR", 0.01)
    project = load(tmp_path, maria=MARIA, duck=DUCK)
    found = written_part(project, connections(project), Silent())
    assert found is not None
    return found


def test_a_store_is_asked_what_it_has_the_tables_of(part: Part) -> None:
    whole = alone(part.problem, "pg", (*SMALL, LARGE))
    assert set(whole.routing) == set(ALONE)
    small = alone(part.problem, "duck", SMALL)
    assert START in small.routing
    read = {t for routed in small.routing.values() for each in routed for t in each.fragment.tables}
    assert read == set(SMALL)
    assert {each.store for routed in small.routing.values() for each in routed} == {"duck"}


def test_statements_cross_stores_and_each_store_has_orders_once(part: Part) -> None:
    held = {"pg": (*SMALL, LARGE), "maria": (*SMALL, LARGE), "duck": SMALL}
    plans = list(crossing(part.problem, held))
    assert [plan.placement["orders"] for plan in plans] == [("pg",), ("maria",), ("duck",)]
    for plan in plans:
        assert set(plan.routing) == set(CROSSING)
        for routed in plan.routing.values():
            assert len({each.store for each in routed}) in (2, 3)
        (large,) = plan.placement[LARGE]
        assert LARGE in held[large]
    assert list(crossing(part.problem, {"pg": (*SMALL, LARGE)})) == []
    without = list(crossing(part.problem, dict.fromkeys(("pg", "duck"), SMALL)))
    assert {name for plan in without for name in plan.routing} == set(CROSSING) - {"q3"}


def test_what_tells_most_is_run_first(part: Part) -> None:
    held = {"pg": (*SMALL, LARGE), "maria": (*SMALL, LARGE)}
    plans = [alone(part.problem, name, held[name]) for name in held]
    plans += crossing(part.problem, held)
    every = [(each.strategy, name) for each in plans for name in each.routing]
    by_name = {each.strategy: each for each in plans}
    ordered = sorted(every, key=lambda each: turn(by_name[each[0]], each[1]))
    pg, maria = "single_store:pg", "single_store:maria"
    assert ordered[:2] == [(pg, START), (maria, START)]
    assert ordered[2:4] == [("crossing_1", JOINED_FEW), ("crossing_1", JOINED)]
    assert ordered[4:6] == [(pg, WORK), (maria, WORK)]
    assert ordered[6:8] == [("crossing_2", JOINED_FEW), ("crossing_2", JOINED)]
    assert ordered[8:10] == [(pg, JOINED), (maria, JOINED)]


def test_statements_that_spark_has_no_part_in_are_apart(part: Part) -> None:
    held = {"pg": (*SMALL, LARGE), "maria": (*SMALL, LARGE), "duck": SMALL}
    plans = [alone(part.problem, name, held[name]) for name in held]
    plans += crossing(part.problem, held)
    own, by_spark = (
        {(plan.strategy, name) for plan in plans for name in plan.routing}
        for plans in by_reader(part.problem, plans)
    )
    assert own.isdisjoint(by_spark)
    assert own | by_spark == {(plan.strategy, name) for plan in plans for name in plan.routing}
    # Small fragments come by the drivers of two of the stores, and no fragment of the third.
    assert {("single_store:pg", name) for name in ALONE} <= own
    assert ("crossing_1", JOINED_FEW) in own
    assert ("crossing_2", JOINED_FEW) in by_spark
    assert ("single_store:duck", START) in by_spark


def test_an_engine_that_reads_all_by_spark_has_no_statement_without_it(part: Part) -> None:
    costs = part.problem.costs
    engine = replace(costs.engine, own_drivers=False)
    problem = replace(part.problem, costs=replace(costs, engine=engine))
    plans = list(crossing(problem, dict.fromkeys(("pg", "maria"), SMALL)))
    own, by_spark = by_reader(problem, plans)
    assert (own, by_spark) == ([], plans)


def test_it_is_kept_apart_from_the_copies_of_the_workload(part: Part) -> None:
    assert {each.namespace[-12:] for each in part.job.connections.values()} == {"_calibration"}
    assert part.job.query_timeout_s < 10


def table(name: str, rows: int, width: float = 4.0, store: str = "shop", **more: object) -> Table:
    columns = (
        Column(name="id", type="BIGINT", width_bytes=width),
        Column(name='odd "name"', type="INTEGER", width_bytes=4.0),
        Column(name="note", type="VARCHAR", width_bytes=20.0),
        Column(name="token", type="VARCHAR", width_bytes=16.0, own_type="UUID"),
    )
    found = Table(
        name=name, schema="sales", columns=columns, rows=rows, fingerprint="f",
        origin=Origin(store=store),
    )  # fmt: skip
    return replace(found, **more)


def catalog(*tables: Table) -> Catalog:
    return Catalog(name="c", tables={each.name: each for each in tables})


HUGE = MOST_LIVE_BYTES // 40
"""Rows of a table that is too large: each has 44 bytes."""


def test_only_small_tables_of_a_live_store_are_read_and_few_rows_fetched() -> None:
    found = catalog(
        table("far", HUGE), table("medium", MOST_LIVE_ROWS * 10), table("tiny", 7),
        table("handed", MOST_LIVE_ROWS), table("others", 9, store="elsewhere"), table("none", 0),
    )  # fmt: skip
    workload, tables = live_workload(found, "shop")
    assert {each.name for each in tables} == {"medium", "tiny", "handed"}
    sql = {each.name: each.sql for each in workload.queries}
    assert sql[START] == 'SELECT COUNT(*) AS n FROM "sales"."tiny"'
    assert sql["scan_count"] == 'SELECT COUNT("odd ""name""") AS n FROM "sales"."medium"'
    assert sql["out_rows"] == 'SELECT "id", "odd ""name""" FROM "sales"."handed"'
    assert not any(each in " ".join(sql.values()) for each in ("far", "others", "note", "token"))


@pytest.mark.parametrize(
    "tables",
    [
        (),
        (table("far", HUGE),),
        (table("text", 500, columns=(Column(name="t", type="VARCHAR", width_bytes=9.0),)),),
    ],
)
def test_a_live_store_without_a_small_table_is_left_out_and_says_so(
    tmp_path: Path, tables: tuple[Table, ...]
) -> None:
    project = load(tmp_path, shop=LIVE)
    findings = Findings()
    found = live_parts(project, catalog(*tables), connections(project), findings, Silent())
    assert list(found) == []
    assert "no table that is small enough" in findings.first_reason


def test_the_statements_of_a_live_store_are_routed_to_it_alone(tmp_path: Path) -> None:
    project = load(tmp_path, shop=LIVE)
    held = catalog(table("far", HUGE), table("medium", 300_000), table("tiny", 7))
    findings = Findings()
    (part,) = live_parts(project, held, connections(project), findings, Silent())
    plan = alone(part.problem, "shop", part.problem.table_bytes)
    assert set(plan.routing) == {START, "group_few", "scan_count"}
    assert {each.store for routed in plan.routing.values() for each in routed} == {"shop"}
    assert not findings.left_out
