"""Logins with servers that say nothing: they end in their time, and at an interrupt."""

import struct
from threading import Event, Timer, current_thread
from time import monotonic, sleep

import pytest

from evaluation.kinds import BACKENDS
from evaluation.load import load
from evaluation.store_protocol.connecting import connected
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.patience import interrupted_by
from evaluation.store_protocol.side_by_side import ENDING_S, side_by_side
from evaluation.store_protocol.tls import Tls
from evaluation.stores.mysql import sessions as mysql_sessions
from evaluation.stores.postgresql import sessions as postgresql_sessions
from placement.plan import Outcome, PlacementPlan
from tests.unit.silent_servers import AFTER_S, full_server, interrupt, silent_server
from workloads.catalog import Catalog, Column, Table
from workloads.errors import StoreError
from workloads.progress import Silent

SOON_S = 60.0
_GREETING = (
    b"\x0a8.0.36\0" + struct.pack("<I", 7) + b"12345678\0" + struct.pack("<H", 0xFFFF)
    + b"\xff" + struct.pack("<HH", 2, 0xDFFF) + bytes([21]) + bytes(10) + b"123456789012\0"
    + b"caching_sha2_password\0"
)  # fmt: skip


def login(kind: str, port: int, tls: Tls | None = None) -> Connection:
    return Connection(
        store="there",
        kind=kind,
        host="127.0.0.1",
        port=port,
        database="d",
        user="u",
        password="p",
        tls=tls or Tls(mode="disable"),
    )


@pytest.fixture(autouse=True)
def patient_logins(monkeypatch: pytest.MonkeyPatch) -> None:
    """A login that ends within `SOON_S` was ended by the interrupt, not by its own limit."""
    for sessions in (mysql_sessions, postgresql_sessions):
        monkeypatch.setattr(sessions, "_CONNECT_TIMEOUT_S", 300)


def interrupted_after(port: int, kind: str, tls: Tls | None = None) -> float:
    """Return the seconds that a login goes on after an interrupt."""
    event = Event()
    context = interrupted_by(event)
    timer = Timer(AFTER_S, event.set)
    timer.start()
    started = monotonic()
    with pytest.raises(StoreError, match="interrupted"):
        context.run(BACKENDS[kind].prepare, login(kind, port, tls))
    return monotonic() - started - AFTER_S


@pytest.mark.parametrize("kind", ["postgresql", "mysql"])
@pytest.mark.parametrize("server", [silent_server, full_server])
def test_an_interrupt_ends_a_login_that_hangs(kind, server):
    with server() as port:
        assert interrupted_after(port, kind) < SOON_S


@pytest.mark.parametrize(
    ("kind", "first"),
    [
        ("postgresql", b"S"),
        ("mysql", struct.pack("<I", len(_GREETING)) + _GREETING),
    ],
    ids=["postgresql", "mysql"],
)
def test_an_interrupt_ends_a_handshake_of_tls_that_hangs(kind, first):
    with silent_server(first) as port:
        assert interrupted_after(port, kind, Tls(mode="require")) < SOON_S


@pytest.mark.parametrize("kind", ["postgresql", "mysql"])
@pytest.mark.parametrize("server", [silent_server, full_server])
def test_a_login_without_an_interrupt_ends_in_its_time(kind, server, monkeypatch):
    for sessions in (mysql_sessions, postgresql_sessions):
        monkeypatch.setattr(sessions, "_CONNECT_TIMEOUT_S", 1)
    started = monotonic()
    with server() as port, pytest.raises(StoreError, match=r"timed out|timeout expired"):
        BACKENDS[kind].prepare(login(kind, port))
    # The driver of PostgreSQL takes no less than two seconds.
    assert 0.9 < monotonic() - started < 2.0 + SOON_S


def test_a_connection_is_made_and_a_port_that_nobody_listens_at_refuses_one():
    with silent_server(b"hello") as port, connected(("localhost", port), 5.0) as there:
        assert there.gettimeout() is None
        assert there.recv(5) == b"hello"
    with pytest.raises(ConnectionRefusedError):
        connected(("127.0.0.1", port), 5.0)


def test_servers_are_asked_side_by_side_and_told_of_in_their_order():
    threads = set()

    def ask(number: int) -> int:
        threads.add(current_thread())
        sleep(0.05 * (3 - number))
        return 10 * number

    assert side_by_side(ask, range(4), at_once=2) == (0, 10, 20, 30)
    assert len(threads) == 2
    assert side_by_side(ask, ()) == ()


def test_the_first_error_ends_what_is_asked_side_by_side():
    asked = []

    def ask(number: int) -> None:
        asked.append(number)
        raise StoreError("there", f"does not answer {number}")

    with pytest.raises(StoreError, match="does not answer 0"):
        side_by_side(ask, range(3), at_once=1)


def test_an_interrupt_leaves_behind_who_does_not_hear_of_it():
    free = Event()
    started = monotonic()
    with interrupt(), pytest.raises(KeyboardInterrupt):
        side_by_side(lambda _: free.wait(300.0), range(20))
    assert monotonic() - started < AFTER_S + ENDING_S + SOON_S
    free.set()


def test_an_interrupt_ends_a_login_of_what_is_asked_side_by_side(monkeypatch):
    # It is the logins that end: nobody is left behind.
    monkeypatch.setattr("evaluation.store_protocol.side_by_side.ENDING_S", 300.0)
    started = monotonic()
    with silent_server() as port, interrupt(), pytest.raises(KeyboardInterrupt):
        side_by_side(BACKENDS["mysql"].prepare, [login("mysql", port)] * 3)
    assert monotonic() - started < AFTER_S + SOON_S


@pytest.mark.parametrize("kind", ["postgresql", "mysql"])
def test_an_interrupt_ends_a_load_whose_login_hangs(kind):
    column = Column(name="a", type="BIGINT", width_bytes=8.0)
    table = Table(name="t", columns=(column,), rows=1, fingerprint="f")
    plan = PlacementPlan(
        strategy="one",
        outcome=Outcome.FEASIBLE,
        placement={"t": ("there",)},
        routing={},
        predicted_s=1.0,
    )
    started = monotonic()
    with silent_server() as port, interrupt(), pytest.raises(KeyboardInterrupt):
        load(Catalog(name="c", tables={"t": table}), [plan], {"there": login(kind, port)}, Silent())
    assert monotonic() - started < AFTER_S + SOON_S
