"""Ways out of logins that fail for want of TLS, by what drivers and servers say of it."""

import re
from collections.abc import Iterator

from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.tls import ENCRYPTING

_NOT_OFFERED = re.compile(r"server does not support SSL|server doesn't support it")
_CLEAR_REFUSED = re.compile(r"\bno encryption\b|require_secure_transport")
_OTHER_NAME = re.compile(r"does not match host name|[Hh]ostname mismatch|IP address mismatch")
# Java's words: of Accumulo's servers, whose addresses are not in the project file.
_OTHER_ADDRESS = re.compile(r"No subject alternative|No name matching")
_EXPIRED = re.compile(r"certificate has expired|NotAfter: ")
_TOO_EARLY = re.compile(r"certificate is not yet valid|NotBefore: ")
_UNKNOWN = re.compile(
    r"unable to get (local )?issuer certificate|self-signed certificate"
    r"|unable to find valid certification path"
)
_CLIENT = re.compile(
    r"requires a valid client certificate"
    r"|alert:? (certificate.required|unknown.ca|bad.certificate|decrypt.error)"
)
_DENIED = re.compile(r"Access denied for user")


def way_out(connection: Connection, said: str) -> str | None:
    """Return what to do about a login of which this was `said`; None where it is not TLS."""
    section, tls = f"[stores.{connection.store}]", connection.tls
    # libpq then tries clear text, which is not what has failed: that is in the first line.
    first = said.strip().partition("\n")[0]
    if tls.mode not in ENCRYPTING and "SSL encryption" not in said and _CLEAR_REFUSED.search(first):
        return (
            "its server takes no clear text: write tls = 'verify-full' and the authority's "
            f"file as ca in {section}"
        )
    return next((way for pattern, way in _ways(connection, section) if pattern.search(said)), None)


def _ways(connection: Connection, section: str) -> Iterator[tuple[re.Pattern[str], str]]:
    """Yield what is said of a login that was to be encrypted, and what to do then."""
    tls, there = connection.tls, f"in {section}"
    host = f"write the name that it bears as host {there}, or tls = 'verify-ca'"
    other = f"the server's certificate is not that of '{connection.host}'"
    unknown = f"the server's certificate is of no authority in ca = '{tls.ca}'"
    client = f"its server does not know the authority of certificate = '{tls.certificate}'"
    if tls.certificate is None:
        client = "its server wants a certificate of this user"
    own = f"name one that its authority signed as certificate, and its key, {there}"
    prefer = f"switch it on there, or write tls = 'prefer' {there}"
    yield _NOT_OFFERED, f"its server offers no TLS: {prefer}"
    yield _OTHER_NAME, f"{other}: {host}, which compares no names"
    yield (
        _OTHER_ADDRESS,
        (
            "a server's certificate is not that of the address by which ZooKeeper knows it: give "
            f"it one that bears this, or write tls = 'verify-ca' {there}, which compares no names"
        ),
    )
    yield _EXPIRED, "the server's certificate, or its authority's, has expired: renew it there"
    yield _TOO_EARLY, "the server's certificate is not valid yet: compare the machines' clocks"
    yield _UNKNOWN, f"{unknown}: name the file of the authority that signed it {there}"
    yield _CLIENT, f"{client}: {own}"


def also_required(connection: Connection, said: str) -> str:
    """Return what an account may ask for besides where MySQL only says that it denies access."""
    if not _DENIED.search(said) or connection.tls.certificate is not None:
        return ""
    x509 = "X509 needs certificate and key"
    if connection.tls.mode in ENCRYPTING:
        return f"; an account that REQUIREs {x509}"
    return f"; an account that REQUIREs SSL needs tls = 'require', and one that REQUIREs {x509}"
