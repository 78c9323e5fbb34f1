"""A Trino over TLS is verified, and one of an unknown authority is refused with a way out."""

import json
import ssl
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from evaluation.engines.trino import _refuse_missing_catalogs
from evaluation.engines.trino_statistics import information_on, moved_of
from evaluation.running.job import Job, TrinoConnection
from evaluation.store_protocol.connection import Connection
from tests.stores.certificates import Authority
from workloads.catalog import Catalog
from workloads.errors import ConfigurationError
from workloads.workload import Workload

CATALOGS = {
    "id": "q",
    "infoUri": "",
    "columns": [
        {
            "name": "Catalog",
            "type": "varchar",
            "typeSignature": {"rawType": "varchar", "arguments": []},
        }
    ],
    "data": [["pg"]],
    "stats": {"state": "FINISHED"},
}
INFORMATION = {"inputs": [], "queryStats": {"operatorSummaries": []}}
JOB = Job(
    workload=Workload(name="w", dialect="duckdb", queries=()),
    catalog=Catalog(name="c", tables={}),
    connections={"pg": Connection(store="pg", kind="postgresql", host="db", user="u")},
)


class _Trino(BaseHTTPRequestHandler):
    """Has one catalog, and nothing to tell of a query."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(CATALOGS)

    def do_GET(self) -> None:
        self._answer(INFORMATION)

    def log_message(self, *arguments: object) -> None:
        pass

    def _answer(self, document: object) -> None:
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(name="authority", folder=tmp_path)


@pytest.fixture
def port(authority: Authority) -> Iterator[int]:
    """The port of a Trino whose certificate is that of localhost."""
    files = authority.signed("trino", ["localhost"])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files.certificate, files.key)
    with HTTPServer(("127.0.0.1", 0), _Trino) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        serving = Thread(target=server.serve_forever, daemon=True)
        serving.start()
        yield server.server_port
        server.shutdown()
        serving.join()


def test_its_authority_lets_it_answer(port: int, authority: Authority) -> None:
    there = TrinoConnection(url=f"https://localhost:{port}", user="u", ca=authority.ca)
    _refuse_missing_catalogs(there, JOB)
    assert moved_of(information_on(there, "q")) == {}


def test_neither_another_authority_nor_another_host_is_taken(
    port: int, authority: Authority, tmp_path: Path
) -> None:
    other = Authority(name="other", folder=tmp_path)
    unknown = TrinoConnection(url=f"https://localhost:{port}", user="u", ca=other.ca)
    other_host = TrinoConnection(url=f"https://127.0.0.1:{port}", user="u", ca=authority.ca)
    for there in (unknown, other_host):
        with pytest.raises(ConfigurationError, match=r"authority in \[evaluate.trino\].ca") as told:
            _refuse_missing_catalogs(there, JOB)
        assert "\n" not in str(told.value)
