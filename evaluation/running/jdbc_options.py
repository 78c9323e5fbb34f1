"""Options of Spark's JDBC for sessions of a run."""

from evaluation.kinds import JDBC
from evaluation.spark.pool import shared_by
from evaluation.store_protocol.backend import statement_mark
from evaluation.store_protocol.connection import Connection

# By how much the store's own time limit comes before the one on its silence.
_SILENCE_BEYOND_S = 2.0


def jdbc_options(
    connection: Connection, *, run: str, timeout_s: float, fetch_size: int
) -> dict[str, str]:
    """Return the options of sessions that are ours to end, and that never wait for ever."""
    backend = JDBC[connection.kind]
    options = backend.session_options(
        backend.jdbc(connection, timeout_s=timeout_s, fetch_size=fetch_size),
        run,
        silence_s=timeout_s + _SILENCE_BEYOND_S,
        read_only=connection.read_only,
    )
    return {**options, **(shared_by(run) if backend.shares_connections else {})}


def mark_of(connection: Connection, run: str) -> str:
    """Return the comment that statements of `run` have in a store; "" for none."""
    return f"{statement_mark(run)} " if connection.read_only else ""
