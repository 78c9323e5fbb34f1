"""The order in which embedded servers are started."""

from evaluation import embedded
from evaluation.embedded import SERVERS, EmbeddedRequest, running
from evaluation.store_protocol.connection import Connection
from workloads.progress import Silent


def test_a_slow_server_is_started_before_others(tmp_path, monkeypatch):
    begun = []
    monkeypatch.setattr(embedded, "launch", lambda _, one, *__, **___: begun.append(one.store))
    for server in map(type, SERVERS.values()):
        monkeypatch.setattr(
            server,
            "connection",
            lambda self, one, _: Connection(store=one.store, kind=self.kind),
        )
    kinds = ("postgresql", "accumulo", "mysql")
    requests = [EmbeddedRequest(store=f"{each}_1", kind=each) for each in kinds]
    with running(requests, tmp_path, Silent()) as found:
        assert list(found) == [each.store for each in requests]
    assert begun == ["accumulo_1", "postgresql_1", "mysql_1"]
