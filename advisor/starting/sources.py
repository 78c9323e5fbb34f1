"""The argument of ``--from``: a server's address as a URL, or the path of data."""

from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from advisor.project.source_settings import has_parquet
from advisor.project.store_settings import is_host
from advisor.starting.url_tls import UrlTls, url_tls
from evaluation.kinds import KINDS
from workloads.errors import ConfigurationError
from workloads.paths import expanded, is_there, shortened
from workloads.sources.buckets import BUCKET_PREFIX

SCHEMES = {
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "mysql": "mysql",
    "mariadb": "mysql",
}
"""The scheme of a URL → the kind of store."""
FORM = "KIND://USER@HOST:PORT/DATABASE"
_DUCKDB_SCHEME = "duckdb://"
_THIS_MACHINE = "localhost"
_MAGIC, _MAGIC_AT = b"DUCK", 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server as a URL names it; `database` is None where it names none."""

    kind: str
    host: str
    port: int
    user: str
    database: str | None
    tls: UrlTls

    @property
    def place(self) -> tuple[str, str, int]:
        """Where it is: all addresses of this machine itself are one."""
        host = self.host.rstrip(".").lower()
        return self.kind, _THIS_MACHINE if _is_loopback(host) else host, self.port

    @property
    def shown(self) -> str:
        """The URL without what may be secret."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        database = "" if self.database is None else f"/{self.database}"
        return f"{self.kind}://{self.user}@{host}:{self.port}{database}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DuckDBFile:
    """A DuckDB file of the user's."""

    path: Path

    @property
    def shown(self) -> str:
        """The path."""
        return str(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParquetFolder:
    """A folder of Parquet, as an absolute path or ``s3://bucket/folder``."""

    source: str

    @property
    def shown(self) -> str:
        """The source."""
        return self.source


Source = Server | DuckDBFile | ParquetFolder


def source_of(text: str, number: int) -> Source:
    """Return what the option ``--from``, given as the `number`-th, names.

    A message says the number and not the text, which may have a password where none is looked for.

    Raises:
        ConfigurationError: It names nothing that a project can be made of, or has a password.
    """
    where = f"--from number {number}"
    if text.startswith(BUCKET_PREFIX):
        return ParquetFolder(source=text)
    if text.startswith(_DUCKDB_SCHEME):
        return _data(text.removeprefix(_DUCKDB_SCHEME), where)
    if "://" in text:
        return _server(text, where)
    return _data(text, where)


def _data(text: str, where: str) -> Source:
    path = expanded(text).absolute()
    if not text or not is_there(path):
        known = ", ".join(f"{scheme}://" for scheme in SCHEMES)
        raise ConfigurationError(
            f"{where} is no URL of a server ({known}), and there is no file or folder of that "
            f"name: write {FORM}, or the path of a DuckDB file or of a folder of Parquet."
        )
    if path.is_dir() and has_parquet(path):
        return ParquetFolder(source=str(path))
    if path.is_file() and _is_duckdb(path, where):
        return DuckDBFile(path=path)
    raise ConfigurationError(
        f"{where}: {shortened(str(path))} is neither a folder of Parquet nor a DuckDB file. Files "
        "of SQL and logs are named with --workload."
    )


def _is_duckdb(path: Path, where: str) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(_MAGIC_AT + len(_MAGIC))[_MAGIC_AT:] == _MAGIC
    except OSError as error:
        raise ConfigurationError(
            f"{where}: {shortened(str(path))} cannot be read: {error.strerror}."
        ) from None


def _server(text: str, where: str) -> Server:
    scheme = text.partition("://")[0].lower()
    if scheme not in SCHEMES:
        known = ", ".join(SCHEMES)
        shown = f" of the scheme '{scheme}'" if scheme.isalnum() else ""
        raise ConfigurationError(
            f"{where} is a URL{shown}, which no kind of store has: known are {known}, for {FORM}."
        )
    try:
        split = urlsplit(text)
        port = split.port
    except ValueError:
        raise _unreadable(where) from None
    if port == 0:
        raise ConfigurationError(f"{where} has port 0: write one from 1 to 65535, or none.")
    _refuse_passwords(split, where)
    kind = SCHEMES[scheme]
    if split.fragment:
        raise _unreadable(where)
    database = _plain(split.path.removeprefix("/").removesuffix("/"), where) or None
    if database is not None and "/" in split.path.strip("/"):
        raise _unreadable(where)
    return Server(
        kind=kind,
        host=_host(split, kind, where),
        port=port or KINDS[kind].address.port or 0,
        user=_user(split, where),
        database=database,
        tls=url_tls(split.query, kind, where),
    )


def _unreadable(where: str) -> ConfigurationError:
    return ConfigurationError(
        f"{where} cannot be read as a URL: write {FORM}, an IPv6 address in brackets, the port as "
        "a number, and characters such as @, /, # and : in a name as %40, %2F, %23 and %3A."
    )


def _refuse_passwords(split: SplitResult, where: str) -> None:
    if split.password is None:
        return
    raise ConfigurationError(
        f"{where} has a password, which the shell's history and the list of processes show to "
        "others: leave it out of the URL (USER@HOST). It is asked for, or taken from the "
        "environment variable that is named then."
    )


def _plain(text: str, where: str) -> str:
    """Return a part of a URL with its escapes replaced."""
    try:
        plain = unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise _unreadable(where) from None
    if any(not character.isprintable() for character in plain):
        raise _unreadable(where)
    return plain


def _user(split: SplitResult, where: str) -> str:
    if not split.username:
        raise ConfigurationError(f"{where} names no user: write {FORM}.")
    return _plain(split.username, where)


def _host(split: SplitResult, kind: str, where: str) -> str:
    host = _plain(split.hostname or "", where)
    if not host or host.startswith("/"):
        raise ConfigurationError(
            f"{where} names no host: write {FORM}. A socket's path is no host: Java's drivers "
            f"reach a {kind} server by its port alone, on this machine at 127.0.0.1."
        )
    if not is_host(host) or "," in host:
        raise ConfigurationError(f"{where} has no host that a network can know: write {FORM}.")
    return host


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return host == _THIS_MACHINE or host.endswith(f".{_THIS_MACHINE}")


def host_label(host: str) -> str | None:
    """Return the first part of a host's name; None for an address, or this machine itself."""
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        return None if host == _THIS_MACHINE else host.partition(".")[0]
    return None
