"""`advisor stores check`, interrupted while a server says nothing."""

from dataclasses import replace
from time import monotonic, sleep

import pytest

from advisor.measuring import store_checks
from evaluation.kinds import KINDS
from evaluation.store_protocol.patience import TICK_S, Patience
from tests.unit.advisor.project_files import load
from tests.unit.silent_servers import AFTER_S, interrupt
from workloads.progress import Silent

HERE = 'kind = "postgresql"\nhost = "db"\ndatabase = "d"\nuser = "u"\ncapacity = "1 GB"'


def test_an_interrupt_ends_a_check_of_a_server_that_is_silent(tmp_path, monkeypatch):
    def silent(connection, uses):
        patience = Patience(60.0, lambda: True)
        while True:
            sleep(TICK_S)
            patience.check()

    kind = replace(KINDS["postgresql"], encryption=lambda _: "TLSv1.3", check=silent)
    monkeypatch.setattr(store_checks, "KINDS", {**KINDS, "postgresql": kind})
    project = load(tmp_path, stores__pg=HERE)
    started = monotonic()
    with interrupt(), pytest.raises(KeyboardInterrupt):
        store_checks.check_stores(project, Silent())
    assert monotonic() - started < AFTER_S + 2 * TICK_S + 1.0
