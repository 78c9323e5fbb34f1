"""TLS of the connection to MLflow's server."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTls:
    """Files (PEM) of TLS with MLflow's server: the authority of its certificate, and our own.

    Without `ca` the authority is a public one, or that of MLflow's own variable.
    """

    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None


NO_FILES = ServerTls()
