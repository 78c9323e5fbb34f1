"""The rates of a project's stores before they are calibrated."""

from contextlib import suppress
from functools import cache

from advisor.store_settings import StoreSettings
from evaluation.connection import Connection
from evaluation.stores import ASKED_STRENGTHS, BACKENDS, SERVER_STRENGTHS
from placement.stores import Strength
from workloads.errors import ConfigurationError, StoreError


def strength_of(settings: StoreSettings) -> Strength:
    """Return a store's rates: its kind's or its server's, and what the project says of them.

    A server of the user's is asked what it is where servers of its kind differ. Without its
    password, or when it is not there, it is taken for what its kind is: a plan can be made
    without any store.
    """
    return settings.strength.instead_of(_default(settings))


def _default(settings: StoreSettings) -> Strength:
    if settings.other_server is not None:
        return SERVER_STRENGTHS[settings.other_server]
    if not settings.embedded and settings.kind in ASKED_STRENGTHS:
        with suppress(ConfigurationError):
            return _asked(settings.connection())
    return BACKENDS[settings.kind].strength


@cache
def _asked(connection: Connection) -> Strength:
    """Ask once a process: a plan and its evaluation are priced alike."""
    with suppress(StoreError):
        return ASKED_STRENGTHS[connection.kind](connection)
    return BACKENDS[connection.kind].strength
