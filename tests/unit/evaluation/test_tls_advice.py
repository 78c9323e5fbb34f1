"""Advice on TLS is given where TLS has failed, and not where a password has."""

import pytest

from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.tls import Tls, TlsMode
from evaluation.store_protocol.tls_advice import way_out

AT = 'connection to server at "127.0.0.1", port 5432 failed: FATAL:  '
WRONG_PASSWORD = f'{AT}password authentication failed for user "u"'
NO_CLEAR_TEXT = f'{AT}no pg_hba.conf entry for host "127.0.0.1", user "u", no encryption'


@pytest.mark.parametrize(
    ("mode", "said", "is_tls"),
    [
        ("disable", NO_CLEAR_TEXT, True),
        ("prefer", NO_CLEAR_TEXT, True),
        # What libpq says where a server that demands TLS refuses a password: it tries twice.
        ("prefer", f"{WRONG_PASSWORD}\n{NO_CLEAR_TEXT}", False),
        ("require", WRONG_PASSWORD, False),
    ],
)
def test_a_wrong_password_is_no_want_of_tls(mode: TlsMode, said: str, is_tls: bool) -> None:
    connection = Connection(store="s", kind="postgresql", host="h", tls=Tls(mode=mode))
    assert (way_out(connection, said) is not None) is is_tls
