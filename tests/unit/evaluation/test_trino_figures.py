"""What Trino tells of a query becomes figures; what it does not tell stays absent."""

from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.engines import trino
from evaluation.federation.located import LocatedQuery
from evaluation.running.job import TrinoConnection


class Session:
    """A session whose one statement answers 1, with Trino's statistics of it."""

    def __init__(self, stats: dict[str, Any]) -> None:
        self.stats = stats

    def cursor(self) -> Any:
        return SimpleNamespace(
            stats=self.stats,
            query_id="q",
            description=[("n", "integer")],
            execute=lambda _: None,
            fetchall=lambda: [(1,)],
            cancel=lambda: None,
        )

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("stats", "peak", "spilled"),
    [({"peakMemoryBytes": 4096, "spilledBytes": 0}, 4096, 0), ({}, None, None)],
)
def test_trino_tells_of_exchanges_what_it_counts_and_nothing_of_shuffles(
    monkeypatch: pytest.MonkeyPatch,
    stats: dict[str, Any],
    peak: int | None,
    spilled: int | None,
):
    monkeypatch.setattr(trino, "connect", lambda *_, **__: Session(stats))
    received = {"operatorType": "ExchangeOperator", "inputPositions": 3, "inputDataSize": "12B"}
    told = {"inputs": [], "queryStats": {"operatorSummaries": [{**received, "planNodeId": "1"}]}}
    monkeypatch.setattr(trino, "information_on", lambda *_: told)
    query = LocatedQuery(query="q", sql="SELECT 1 AS n", stores=("pg",))
    address = TrinoConnection(url="http://127.0.0.1:8080", user="u")
    done = trino._Located(query=query, trino=address, timeout_s=5).run()
    assert (done.exchanges, done.exchanged_rows, done.exchanged_bytes) == (1, 3, 12)
    assert done.shuffle_bytes is done.shuffle_records is done.engine_s is None
    assert done.operators_memory_bytes is None
    assert (done.peak_memory_bytes, done.spilled_bytes) == (peak, spilled)
    # Who wants the answer alone does not ask for more.
    monkeypatch.delattr(trino, "information_on")
    again = trino._Located(query=query, trino=address, timeout_s=5).run(counted=False)
    assert (again.answer, again.moved, again.exchanges) == (done.answer, {}, None)
    assert again.peak_memory_bytes is None


@pytest.mark.parametrize(
    ("strategy", "property_"),
    [("automatic", None), ("broadcast", "BROADCAST"), ("partitioned", "PARTITIONED")],
)
def test_a_forced_join_strategy_is_a_property_of_trinos_session(
    strategy: Any, property_: str | None
):
    address = TrinoConnection(url="http://127.0.0.1:8080", user="u")
    session = trino.connect(address, timeout_s=5, join_strategy=strategy)
    found = session._client_session.properties
    assert found.get("join_distribution_type") == property_
    session.close()
