"""A quiet client of MLflow, and one error with a way out for all that it raises."""

import logging
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from evaluation.tracking.database import file_of, refuse_unopenable
from evaluation.tracking.reaching import environment, refuse_unreachable, told
from evaluation.tracking.records import TrackingError
from evaluation.tracking.server_tls import NO_FILES, ServerTls
from workloads.errors import ConfigurationError

if TYPE_CHECKING:
    from mlflow import MlflowClient

_NOISY = ("mlflow", "alembic")


def refuse_missing(uri: str) -> None:
    """Raise ConfigurationError if `uri` is a SQLite file that does not exist."""
    path = file_of(uri)
    if path is not None and not path.is_file():
        raise ConfigurationError(f"Nothing is tracked yet in {path}: run `advisor run` first.")


def quiet_environment() -> Mapping[str, str]:
    """Return the variables that keep MLflow from reporting its use and from chatting."""
    return {
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "DO_NOT_TRACK": "true",
        "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
        "GIT_PYTHON_REFRESH": "quiet",
    }


@contextmanager
def opened(uri: str, tls: ServerTls = NO_FILES) -> Iterator["MlflowClient"]:
    """Yield a quiet client; what MLflow raises becomes one error with the way out.

    A server that cannot be reached, as `uri` and `tls` say it is, is told of at once.
    """
    refuse_unreachable(uri, tls)
    os.environ.update(quiet_environment())
    for name in _NOISY:
        logging.getLogger(name).setLevel(logging.ERROR)
    # at its import MLflow sets the level of its own logger
    import mlflow
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    logging.getLogger("mlflow").setLevel(logging.ERROR)
    with (
        errors(uri, MlflowException, SQLAlchemyError, sqlite3.Error),
        environment(tls) as variables,
        told(variables),
    ):
        refuse_unopenable(uri)
        yield mlflow.MlflowClient(tracking_uri=uri)


@contextmanager
def errors(uri: str, *kinds: type[Exception]) -> Iterator[None]:
    """Raise TrackingError for OSError and `kinds`, with the address but without its password."""
    caught: tuple[type[Exception], ...] = (*kinds, OSError)
    try:
        yield
    except caught as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        text = f"MLflow at {uri} cannot be used: {first}. {_way_out(uri)}"
        raise TrackingError(_without_passwords(text)) from error


def _way_out(uri: str) -> str:
    file = file_of(uri)
    if file is None or not file.exists():
        return "Check [tracking].uri."
    return f"Move {file} away, and a new database is made; or check [tracking].uri."


def _without_passwords(text: str) -> str:
    """Mask the passwords of all addresses in `text`; MLflow repeats them in its messages."""
    text = re.sub(r"//([^/@:\s]+):\S*@", r"//\1:***@", text)
    return re.sub(r"([?&;](?:password|passwd|pwd|sslpassword)=)[^&;\s]*", r"\1***", text)
