"""The way to MLflow's server: over TLS where its address says so, and what to do if it fails.

MLflow's client tries for minutes to reach a server that refuses it, and says little of why.
"""

import os
import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from evaluation.tracking.records import TrackingError
from evaluation.tracking.server_tls import ServerTls

_CA, _CERTIFICATE = "MLFLOW_TRACKING_SERVER_CERT_PATH", "MLFLOW_TRACKING_CLIENT_CERT_PATH"
_UNVERIFIED = "MLFLOW_TRACKING_INSECURE_TLS"
_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_PATIENCE_S = 5.0
_NO_CLEAR_TEXT = "its server takes no clear text: write https in [tracking].uri"
_OTHER_NAME = re.compile(r"[Hh]ostname mismatch|IP address mismatch")
_UNKNOWN = re.compile(r"unable to get (local )?issuer certificate|self-signed certificate")
_CLIENT = re.compile(r"alert (certificate required|unknown ca|bad certificate|handshake failure)")


@contextmanager
def environment(tls: ServerTls) -> Iterator[Mapping[str, str]]:
    """Yield the variables by which MLflow's client is told of TLS, for the length of the block.

    It takes certificate and key as one file, which is then in a folder of this user alone.
    Raises OSError where a file cannot be read.
    """
    found = {} if tls.ca is None else {_CA: str(tls.ca)}
    if tls.certificate is None or tls.key is None:
        yield found
        return
    with TemporaryDirectory(prefix="placement-advisor-") as folder:
        both = Path(folder) / "client.pem"
        both.touch(mode=0o600)
        both.write_bytes(tls.certificate.read_bytes() + b"\n" + tls.key.read_bytes())
        yield {**found, _CERTIFICATE: str(both)}


@contextmanager
def told(variables: Mapping[str, str]) -> Iterator[None]:
    """Set variables of the environment for the length of the block."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def refuse_unreachable(uri: str, tls: ServerTls) -> None:
    """Raise TrackingError unless the server at `uri` can be reached as `uri` and `tls` say.

    Addresses of other things are let pass, and so is a server behind a proxy.
    """
    address = urlsplit(uri)
    if address.scheme not in {"http", "https"} or address.hostname is None or _has_proxy(uri):
        return
    named = f"{address.scheme}://{address.hostname}" + (f":{address.port}" if address.port else "")
    port = address.port or (443 if address.scheme == "https" else 80)
    try:
        way = _way_out(_At(host=address.hostname, port=port, tls=tls), address.scheme)
    except OSError as error:
        reason = error.strerror or str(error)
        way = f"it does not answer ({reason}): check that it runs, and [tracking].uri"
    if way:
        raise TrackingError(f"MLflow at {named} cannot be used: {way}.")


def _has_proxy(uri: str) -> bool:
    from requests.utils import get_environ_proxies

    return bool(get_environ_proxies(uri, no_proxy=None))


@dataclass(frozen=True, slots=True, kw_only=True)
class _At:
    """Where a server is."""

    host: str
    port: int
    tls: ServerTls

    def opened(self) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout=_PATIENCE_S)

    @property
    def request(self) -> bytes:
        """A request that any server of HTTP answers."""
        return f"GET /health HTTP/1.1\r\nHost: {self.host}\r\nConnection: close\r\n\r\n".encode()


def _way_out(at: _At, scheme: str) -> str:
    """Return what to do about a server; "" for nothing. OSError where it does not answer."""
    if scheme == "http":
        return "" if _answers_in_clear_text(at) or not _speaks_tls(at) else _NO_CLEAR_TEXT
    try:
        context = _context(at.tls)
    except ssl.SSLError:
        # OpenSSL names no file.
        what = "each has to hold its certificate or key, and no key with a password"
        return f"ca, certificate or key in [tracking] cannot be used: {what}"
    try:
        _ask(at, context)
    except ssl.SSLCertVerificationError as error:
        return _unverified(error.verify_message, at)
    except (ssl.SSLError, ConnectionResetError, BrokenPipeError) as error:
        return _refused(str(error), at.tls)
    return ""


def _answers_in_clear_text(at: _At) -> bool:
    with at.opened() as plain:
        plain.sendall(at.request)
        try:
            return plain.recv(1) == b"H"
        except (ConnectionResetError, TimeoutError):
            return False


def _speaks_tls(at: _At) -> bool:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with at.opened() as plain, context.wrap_socket(plain):
            return True
    except OSError:
        return False


def _ask(at: _At, context: ssl.SSLContext) -> None:
    """Ask over TLS: its version 1.3 tells only by the answer what is thought of a certificate."""
    with at.opened() as plain, context.wrap_socket(plain, server_hostname=at.host) as encrypted:
        encrypted.sendall(at.request)
        if encrypted.recv(1) == b"":
            raise ConnectionResetError("it ends the connection")


def _context(tls: ServerTls) -> ssl.SSLContext:
    from requests.utils import DEFAULT_CA_BUNDLE_PATH

    named = [str(tls.ca)] if tls.ca is not None else []
    named += [os.environ[each] for each in (_CA, *_BUNDLES) if os.environ.get(each)]
    bundle = Path((*named, DEFAULT_CA_BUNDLE_PATH)[0])
    is_folder = bundle.is_dir()
    context = ssl.create_default_context(
        cafile=None if is_folder else str(bundle), capath=str(bundle) if is_folder else None
    )
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if os.environ.get(_UNVERIFIED, "").lower() in {"true", "1"} and tls.ca is None:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if tls.certificate is not None:
        context.load_cert_chain(tls.certificate, tls.key, password="")
    elif own := os.environ.get(_CERTIFICATE):
        context.load_cert_chain(own, password="")
    return context


def _unverified(said: str, at: _At) -> str:
    if _OTHER_NAME.search(said):
        return (
            f"its certificate is not that of '{at.host}': write the name that it bears in "
            "[tracking].uri"
        )
    if _UNKNOWN.search(said):
        of = "public authority" if at.tls.ca is None else f"authority in ca = '{at.tls.ca}'"
        return (
            f"its certificate is of no {of}: name the file of the authority that signed it as ca "
            "in [tracking]"
        )
    if "expired" in said:
        return "its certificate, or its authority's, has expired: renew it there"
    return f"its certificate is refused ({said}): renew it there, or compare the machines' clocks"


def _refused(said: str, tls: ServerTls) -> str:
    if re.search(r"wrong version number|record layer failure|packet length too long", said):
        return "its server offers no TLS: switch it on there, or write http in [tracking].uri"
    if _CLIENT.search(said) or "SSL" not in said:
        # One in Python may end the connection before its reason is sent.
        who = "its server" if "SSL" in said else "its server ends the connection, as one that"
        wants = "wants a certificate of this user"
        if tls.certificate is not None:
            wants = f"does not know the authority of certificate = '{tls.certificate}'"
        return (
            f"{who} {wants}: name one that its authority signed as certificate, and its key, in "
            "[tracking]"
        )
    return f"TLS with it fails ({said})"
