"""A client of Accumulo that says nothing is asked about by a login, which may take as long."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from evaluation.store_protocol.connection import Connection
from evaluation.stores.accumulo import sessions
from workloads.errors import StoreError


@pytest.mark.parametrize(("silence_s", "waited_s"), [(60.0, 60.0), (2.0, sessions._ASKED_S)])
def test_the_other_login_is_given_the_time_of_the_silence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, silence_s: float, waited_s: float
):
    """On a machine that loads three stores at once Java took longer to start than 15 s."""
    given = []

    def opened(_: object, login_s: float) -> SimpleNamespace:
        given.append(login_s)
        if login_s < waited_s:
            raise StoreError("slow")
        return SimpleNamespace(close=lambda: None)

    monkeypatch.setattr(sessions, "probe", lambda _: None)
    monkeypatch.setattr(sessions, "_opened", opened)
    connection = Connection(
        store="acc", kind="accumulo", namespace="ns", path=tmp_path, silence_s=silence_s
    )
    assert sessions._works(connection)
    assert given == [waited_s]
