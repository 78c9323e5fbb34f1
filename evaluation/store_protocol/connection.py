"""A connection: the address of a store and the login."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from evaluation.store_protocol.tls import PREFERRED, Tls

NAMESPACE = "placement_advisor"
"""The schema or database of our tables unless the user names another."""
ENDING_S = 2
"""Seconds that another session's hold on a namespace is waited for: it may have ended just now."""
SILENCE_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """An address with credentials. The password never shows in `repr`.

    Servers use `host`, `port`, `database`, `user` and `password`; DuckDB uses `path` alone. Of
    Accumulo `host` and `port` are the ZooKeepers', `database` is the instance's name. The object
    store uses `password`, its secret, and `nodes`, some of its nodes as ``host:port``.
    `password_env` or `password_file` say where the password came from, so that a job on another
    process can find it again without its being written down.
    `namespace` is the schema (PostgreSQL, DuckDB), database (MySQL) or namespace (Accumulo) that
    holds our tables and nothing else: tables of the user's own are never touched. One that is
    `read_only` has the user's own tables and none of ours: nothing is written there, and no lock
    is taken. `options` are those of the kind alone. A server that says nothing for `silence_s`,
    though it owes an answer, is asked whether it still works for us. `tls` is how it is reached
    where its kind can encrypt.
    """

    store: str
    kind: str
    namespace: str = NAMESPACE
    host: str | None = None
    port: int | None = None
    database: str | None = None
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    password_env: str | None = None
    password_file: Path | None = None
    path: Path | None = None
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    nodes: tuple[str, ...] = ()
    silence_s: float = SILENCE_S
    tls: Tls = PREFERRED
    read_only: bool = False

    def masked(self, text: str) -> str:
        """Return what a driver says without passwords, as they are or as an address writes them.

        One counts where it stands alone, not inside a longer word, which a mask would give away.
        So would a mask for a password that is also the user's name, or another part of the address.
        """
        told = {self.host, self.database, self.user, self.namespace, self.store}
        for password in (self.password, self.tls.key_password):
            if not password or password in told:
                continue
            for form in {password, quote(password, safe="")}:
                text = re.sub(rf"(?<!\w){re.escape(form)}(?!\w)", "***", text)
        return text
