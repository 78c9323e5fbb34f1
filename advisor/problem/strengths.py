"""The rates of a project's stores: what the project says, what was measured, or defaults."""

from contextlib import suppress
from functools import cache

from advisor.problem.calibrations import target
from advisor.project.store_settings import StoreSettings
from evaluation.calibration.calibration import Calibration
from evaluation.store_protocol.connection import Connection
from evaluation.stores import ASKED_STRENGTHS, BACKENDS, SERVER_STRENGTHS
from placement.stores import Strength
from workloads.errors import ConfigurationError, StoreError


def strength_of(settings: StoreSettings, calibration: Calibration | None = None) -> Strength:
    """Return a store's rates: what the project says of them, else what `calibration` has measured.

    Without either they are the defaults of its kind or its server. A server of the user's is
    asked what it is where servers of its kind differ. Without its password, or when it is not
    there, it is taken for what its kind is: a plan can be made without any store.
    """
    strength = _default(settings)
    if calibration is not None:
        measured = calibration.strength(settings.name, target(settings), strength)
        strength = strength if measured is None else measured
    return settings.strength.instead_of(strength)


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
