"""Which stores of a project and its engine share a machine, and what is known of its cores."""

import os
import socket
from dataclasses import replace

import pytest

from advisor.analysis.analyze import analyze
from advisor.measuring.measure import job_of
from advisor.pipeline import prepare
from advisor.problem.calibrations import calibrations_folder, target
from advisor.problem.machines import CLUSTER, machines_of
from advisor.project.config import load_project
from advisor.project.store_cores import HERE
from evaluation.calibration.calibration import StoreCalibration, write_calibration
from evaluation.calibration.core_use import CoreUse
from placement.machines import Place
from tests.unit.advisor.calibrated import of_stores
from tests.unit.advisor.project_files import error, load
from workloads.progress import Silent

CORES = os.cpu_count()
ASKED = "clients = [2]"


def server(host, more=""):
    return f'kind = "postgresql"\nhost = "{host}"\nuser = "u"\n{more}'


def nodes(*hosts):
    return f'kind = "objects"\nnodes = {[f"{each}:7070" for each in hosts]}\npassword_env = "P"\n'


@pytest.mark.parametrize(
    "body",
    [
        'kind = "mysql"\nembedded = true',
        'kind = "duckdb"\npath = "shop.duckdb"',
        server("127.0.0.1"),
        server("localhost"),
        nodes("127.0.0.1", "127.0.0.2"),
    ],
    ids=["embedded", "file", "address", "name", "nodes"],
)
def test_a_store_here_shares_this_machines_cores_with_the_engine(tmp_path, body):
    found = machines_of(load(tmp_path, stores__a=body, evaluate=ASKED))
    assert {found.of(Place("store", "a")), found.of(Place("rows", "pg")), found.engine} == {HERE}
    assert found.cores == {HERE: CORES}


def measured(**cores):
    """Return a calibration in which statements of stores keep so many cores busy."""
    stores = {
        name: StoreCalibration(
            kind="postgresql",
            target=name,
            rates={},
            errors=None,
            load_bytes_per_s=None,
            core_use=each and CoreUse(computing=each, handing=None),
        )
        for name, each in cores.items()
    }
    return of_stores(stores)


def test_a_calibration_tells_how_many_cores_a_statement_keeps_busy(tmp_path):
    body = 'kind = "mysql"\nembedded = true'
    stores = {"stores__a": server("192.0.2.1", "cores = 2"), "stores__b": body}
    project = load(tmp_path, **stores, evaluate=f'{ASKED}\nmaster = "local[2]"')
    # Those of another host are not among the cores that were counted here.
    found = measured(pg=1.8, a=1.5, b=None, gone=1.1)
    assert machines_of(project, found).busy_cores == {"pg": 1.8}
    assert machines_of(project, found).handing_cores == {}
    assert machines_of(project).busy_cores == {}
    handing = replace(found.stores["pg"], core_use=CoreUse(computing=1.1, handing=1.9))
    found = machines_of(project, replace(found, stores={"pg": handing}))
    assert (found.busy_cores, found.handing_cores) == ({"pg": 1.1}, {"pg": 1.9})


def test_problems_and_jobs_know_the_cores_that_were_measured(shop):
    overrides = {"evaluate": {"clients": [2], "master": "local[2]"}}
    project = load_project(shop / "shop.toml", overrides)
    analysis = analyze(project, Silent())
    assert prepare(project, analysis).problem.machines.busy_cores == {}
    (found,) = measured(pg=1.8).stores.values()
    named = {"pg": replace(found, target=target(project.store("pg")))}
    write_calibration(replace(measured(), stores=named), calibrations_folder(project))
    problem = prepare(project, analysis).problem
    assert problem.machines.busy_cores == {"pg": 1.8}
    assert job_of(project, analysis, {}, problem).machines == problem.machines


def test_stores_at_one_host_share_the_cores_that_one_of_them_tells(tmp_path):
    stores = {
        "stores__a": server("192.0.2.1", "cores = 8"),
        "stores__b": server("192.0.2.1"),
        "stores__c": server("192.0.2.2"),
        "stores__d": nodes("192.0.2.2"),
        "stores__e": nodes("192.0.2.3", "192.0.2.2"),
    }
    found = machines_of(load(tmp_path, **stores, evaluate=ASKED))
    assert {name: found.of(Place("store", name)) for name in "abcde"} == {
        "a": "192.0.2.1",
        "b": "192.0.2.1",
        "c": "192.0.2.2",
        "d": "192.0.2.2",
        "e": "192.0.2.2,192.0.2.3",
    }
    assert found.cores == {HERE: CORES, "192.0.2.1": 8}


@pytest.mark.parametrize(
    ("evaluate", "engine", "cores"),
    [
        ('master = "spark://127.0.0.1:7077"', HERE, CORES),
        ('master = "spark://192.0.2.1:7077"', CLUSTER, None),
        ('master = "spark://192.0.2.1:7077"\nworkers = 3\nexecutor_cores = 2', CLUSTER, 6),
        ('master = "yarn"\nworkers = 3', CLUSTER, 3),
    ],
)
def test_a_cluster_has_the_cores_that_are_asked_for(tmp_path, evaluate, engine, cores):
    found = machines_of(load(tmp_path, evaluate=f"{ASKED}\n{evaluate}"))
    assert found.engine == engine
    assert found.cores.get(engine) == cores


def test_no_name_is_looked_up_for_a_project_of_one_client(tmp_path, monkeypatch):
    def refused(*_, **__):
        raise AssertionError("a name was looked up")

    monkeypatch.setattr(socket, "getaddrinfo", refused)
    assert machines_of(load(tmp_path, stores__a=server("db.example"))) is None


def test_a_project_that_places_for_throughput_knows_its_machines(tmp_path):
    found = machines_of(load(tmp_path, place='strategies = ["optimal", "throughput"]'))
    assert found.engine == HERE


def test_cores_of_this_machine_and_two_numbers_for_one_host_are_refused(tmp_path):
    for body in ('kind = "postgresql"\nembedded = true\ncores = 2', server("localhost", "cores=2")):
        said = error(tmp_path, stores__pg=body)
        assert "[stores.pg].cores = 2 in shop.toml: the cores of this machine" in said
    two = {
        "stores__a": server("192.0.2.1", "cores = 8"),
        "stores__b": server("192.0.2.1", "cores = 4"),
    }
    said = error(tmp_path, **two)
    assert "[stores.b].cores = 4 in shop.toml: [stores.a] is on the same host, 192.0.2.1" in said
    assert "cores = 8: write one number" in said


@pytest.mark.parametrize("cores", ["0", "1.5", "true", '"4"'])
def test_what_is_no_number_of_cores_is_refused(tmp_path, cores):
    said = error(tmp_path, stores__a=server("192.0.2.1", f"cores = {cores}"))
    assert "[stores.a].cores" in said


def test_clients_to_place_for_are_the_most_that_are_measured_unless_the_file_says(tmp_path):
    assert load(tmp_path).clients_at_once == 4
    assert load(tmp_path, evaluate="clients = [1, 8, 2]").clients_at_once == 8
    asked = load(tmp_path, evaluate="clients = [1, 8]", place="clients = 3")
    assert asked.clients_at_once == 3
    for value in ("0", "101", "[4]", "true"):
        assert "[place].clients" in error(tmp_path, place=f"clients = {value}")
