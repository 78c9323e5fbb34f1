"""A server that falls silent ends a wait in a stated time, and Ctrl-C ends it at once."""

import os
import signal
from collections.abc import Mapping
from dataclasses import replace
from threading import Event, Timer
from time import monotonic, sleep

import pytest

from evaluation.kinds import BACKENDS
from evaluation.load import load
from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql import namespace_lock
from evaluation.stores.mysql import sessions as mysql_sessions
from evaluation.stores.mysql.backend import MySQL
from evaluation.stores.postgresql import sessions as postgresql_sessions
from placement.plan import Outcome, PlacementPlan
from tests.stores.silent_proxy import silent_proxy
from workloads.catalog import Catalog
from workloads.errors import StoreError
from workloads.progress import Silent

pytestmark = pytest.mark.stores

SILENCE_S = 2.0
IN_TIME_S = 30.0
"""Of a wait that ends: what was sent before, the silence, and the question what the server does."""


@pytest.fixture(params=["pg", "maria"])
def there(request: pytest.FixtureRequest, embedded: Mapping[str, Connection]) -> Connection:
    found = embedded[request.param]
    return replace(found, namespace="silent", silence_s=SILENCE_S)


@pytest.fixture
def short_handshakes(monkeypatch: pytest.MonkeyPatch) -> None:
    for sessions in (mysql_sessions, postgresql_sessions):
        monkeypatch.setattr(sessions, "_CONNECT_TIMEOUT_S", 2)


def loaded(catalog: Catalog, connection: Connection) -> None:
    plan = PlacementPlan(
        strategy="one",
        outcome=Outcome.FEASIBLE,
        placement={"inventory": (connection.store,), "store_sales": (connection.store,)},
        routing={},
        predicted_s=1.0,
    )
    load(catalog, [plan], {connection.store: connection}, Silent())


@pytest.mark.parametrize("lost", [{"asked": 3000}, {"told": 700}], ids=["asked", "told"])
def test_a_load_through_a_proxy_that_falls_silent_ends(
    there: Connection, tiny: Catalog, lost: dict[str, int]
) -> None:
    BACKENDS[there.kind].prepare(there)
    started = monotonic()
    with (
        silent_proxy(there.port or 0, **lost) as port,
        pytest.raises(StoreError, match="silence_s"),
    ):
        loaded(tiny, replace(there, port=port))
    assert monotonic() - started < IN_TIME_S


@pytest.mark.usefixtures("short_handshakes")
def test_a_port_that_says_nothing_ends_a_handshake(there: Connection) -> None:
    started = monotonic()
    with silent_proxy(there.port or 0, asked=0, told=0) as port, pytest.raises(StoreError):
        BACKENDS[there.kind].prepare(replace(there, port=port))
    assert monotonic() - started < IN_TIME_S


def test_a_statement_that_takes_its_time_is_waited_for(there: Connection) -> None:
    if there.kind == "mysql":
        with mysql_sessions.session(there, "sleeping") as execute:
            assert execute(f"SELECT SLEEP({2 * SILENCE_S + 1})") == ((0,),)
    else:
        with postgresql_sessions.session_with(there, "sleeping") as session:
            asked = session.execute(f"SELECT pg_sleep({2 * SILENCE_S + 1}), 7".encode())
            assert asked.fetchone() == ("", 7)


def test_an_interrupt_ends_a_load_that_hangs(there: Connection, tiny: Catalog) -> None:
    BACKENDS[there.kind].prepare(there)
    patient = replace(there, silence_s=600.0)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupt = Timer(4.0, os.kill, [os.getpid(), signal.SIGINT])
    try:
        with silent_proxy(there.port or 0, asked=3000) as port:
            interrupt.start()
            started = monotonic()
            with pytest.raises(KeyboardInterrupt):
                loaded(tiny, replace(patient, port=port))
            assert monotonic() - started < 4.0 + 60.0
    finally:
        interrupt.cancel()
        signal.signal(signal.SIGINT, handler)


def test_a_namespace_is_free_again_when_the_way_of_its_advisor_falls_silent(
    embedded: Mapping[str, Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is held for as long as the server hears of it."""
    quiet_s = 2
    monkeypatch.setattr(namespace_lock, "_QUIET_S", quiet_s)
    monkeypatch.setattr(namespace_lock, "_SPEAKS_S", 0.3)
    maria = replace(embedded["maria"], namespace="silent", silence_s=60.0)
    held, silent = MySQL().hold, Event()
    with (
        silent_proxy(maria.port or 0, silent=silent) as port,
        held(replace(maria, port=port)),
    ):
        sleep(1.5 * quiet_s)
        with pytest.raises(StoreError, match="another advisor"), held(maria):
            pass
        silent.set()
        sleep(quiet_s)
        with held(maria):
            pass
