"""MLflow's server is reached over TLS; what fails is one line, said at once."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

from evaluation.tracking.reaching import refuse_unreachable
from evaluation.tracking.server_tls import NO_FILES, ServerTls
from evaluation.tracking.track import Artifacts, Description, TrackingError, prepare, runs, track
from tests.stores.certificates import Authority, Files
from tests.stores.tls_listener import HOST, listening
from tests.unit.advisor import measurements as made

pytestmark = pytest.mark.stores


@dataclass(frozen=True, slots=True, kw_only=True)
class Authorities:
    trusted: Authority
    unknown: Authority


@pytest.fixture(scope="module")
def authorities(tmp_path_factory: pytest.TempPathFactory) -> Authorities:
    folder = tmp_path_factory.mktemp("tracking-tls")
    return Authorities(
        trusted=Authority(name="trusted", folder=folder),
        unknown=Authority(name="unknown", folder=folder),
    )


def refused(uri: str, tls: ServerTls) -> str:
    with pytest.raises(TrackingError) as raised:
        refuse_unreachable(uri, tls)
    told = str(raised.value)
    assert told.startswith(f"MLflow at {uri} cannot be used: ")
    assert "\n" not in told
    return told


def test_a_server_is_let_pass_whose_authority_is_named(authorities: Authorities) -> None:
    with listening(authorities.trusted.signed("good", [HOST])) as port:
        refuse_unreachable(f"https://{HOST}:{port}", ServerTls(ca=authorities.trusted.ca))


def test_an_unknown_authority_is_refused(
    authorities: Authorities, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening(authorities.trusted.signed("good", [HOST])) as port:
        uri = f"https://{HOST}:{port}"
        told = refused(uri, ServerTls(ca=authorities.unknown.ca))
        assert f"of no authority in ca = '{authorities.unknown.ca}'" in told
        assert "of no public authority: name the file" in refused(uri, NO_FILES)
        monkeypatch.setenv("MLFLOW_TRACKING_SERVER_CERT_PATH", str(authorities.trusted.ca))
        refuse_unreachable(uri, NO_FILES)


def test_another_host_is_refused(authorities: Authorities) -> None:
    with listening(authorities.trusted.signed("other", ["elsewhere.example.org"])) as port:
        told = refused(f"https://{HOST}:{port}", ServerTls(ca=authorities.trusted.ca))
        assert f"its certificate is not that of '{HOST}': write the name that it bears" in told


def test_an_expired_certificate_is_refused(authorities: Authorities) -> None:
    expired = authorities.trusted.signed("old", [HOST], ends=-timedelta(days=1))
    with listening(expired) as port:
        told = refused(f"https://{HOST}:{port}", ServerTls(ca=authorities.trusted.ca))
        assert "has expired: renew it there" in told


def test_clear_text_is_told_from_tls(authorities: Authorities) -> None:
    with listening(authorities.trusted.signed("good", [HOST])) as port:
        told = refused(f"http://{HOST}:{port}", NO_FILES)
        assert "takes no clear text: write https in [tracking].uri" in told
    with listening(None) as port:
        told = refused(f"https://{HOST}:{port}", NO_FILES)
        assert "offers no TLS: switch it on there, or write http" in told
        refuse_unreachable(f"http://{HOST}:{port}", NO_FILES)


def test_a_server_that_asks_for_a_certificate_gets_the_right_one(authorities: Authorities) -> None:
    trusted = authorities.trusted
    tls = ServerTls(ca=trusted.ca)
    with listening(trusted.signed("good", [HOST]), ca=trusted.ca) as port:
        uri = f"https://{HOST}:{port}"
        assert "wants a certificate of this user" in refused(uri, tls)
        refuse_unreachable(uri, certified(tls, trusted.signed("me")))
        told = refused(uri, certified(tls, authorities.unknown.signed("nobody")))
        assert "does not know the authority of certificate" in told


def certified(tls: ServerTls, files: Files) -> ServerTls:
    return replace(tls, certificate=files.certificate, key=files.key)


def test_a_key_with_a_password_is_named(authorities: Authorities) -> None:
    files = authorities.trusted.signed("locked", password="a key's own")
    with listening(authorities.trusted.signed("good", [HOST])) as port:
        tls = certified(ServerTls(ca=authorities.trusted.ca), files)
        assert "no key with a password" in refused(f"https://{HOST}:{port}", tls)


def test_a_run_is_recorded_on_a_server_that_knows_its_clients(
    authorities: Authorities, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MLflow's own server; a client without a certificate gets nothing from it."""
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    trusted = authorities.trusted
    tls = certified(ServerTls(ca=trusted.ca), trusted.signed("recording"))
    with mlflow_server(tmp_path, trusted.signed("mlflow", [HOST]), trusted.ca, tls) as uri:
        assert "wants a certificate" in refused(uri, ServerTls(ca=trusted.ca))
        measured = made.demo()
        artifacts = Artifacts(parent={"report.html": "<p>report</p>"})
        prepare(uri, tls)
        recording = {"uri": uri, "experiment": "demo", "folder": tmp_path, "tls": tls}
        track(measured, artifacts, Description(), **recording)
        found = runs(uri, "demo", tls=tls)
    assert len(found) == 1 + len(measured.candidates)
    kept = [each.read_text() for each in (tmp_path / "artifacts").rglob("report.html")]
    assert kept == ["<p>report</p>"]


@contextmanager
def mlflow_server(folder: Path, own: Files, clients: Path, tls: ServerTls) -> Iterator[str]:
    with closing(socket.create_server((HOST, 0))) as probe:
        port = probe.getsockname()[1]
    files = f"--ssl-certfile {own.certificate} --ssl-keyfile {own.key}"
    command = [
        *(sys.executable, "-m", "mlflow", "server", "--host", HOST, "--port", str(port)),
        *("--workers", "1", "--backend-store-uri", f"sqlite:///{folder / 'tracking.db'}"),
        *("--artifacts-destination", (folder / "artifacts").as_uri()),
        *("--uvicorn-opts", f"{files} --ssl-ca-certs {clients} --ssl-cert-reqs 2"),
    ]
    with (
        (folder / "server.log").open("wb") as log,
        subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True) as server,
    ):
        try:
            uri = f"https://{HOST}:{port}"
            ends = time.monotonic() + 120
            while not reached(uri, tls):
                assert server.poll() is None, (folder / "server.log").read_text()
                assert time.monotonic() < ends
                time.sleep(0.2)
            yield uri
        finally:
            server.terminate()


def reached(uri: str, tls: ServerTls) -> bool:
    try:
        refuse_unreachable(uri, tls)
    except TrackingError:
        return False
    return True
