"""The cores that a store keeps busy, by what its queries do: fitted to those that were counted."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from placement.machines import ENGINE, Place, Seconds

_LEAST_SHARE = 0.1
"""A place that takes less of all seconds has no cores of its own."""
_LEAST_CORES = 0.3
_TRUST = 0.01
"""The weight of both places having the same cores, as a share of all seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A query that one store alone answered: `cores` were busy on the mean of its `seconds`.

    `predicted` are those seconds as they are predicted, by place.
    """

    seconds: float
    cores: float
    predicted: Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreUse:
    """The cores that are busy until a store's rows are there, and while these are handed over.

    `handing` is None where hardly a row was.
    """

    computing: float
    handing: float | None


def core_use(store: str, counted: Sequence[Counted], cores: int) -> CoreUse | None:
    """Return the cores of a machine of so many `cores` that a store keeps busy.

    Seconds in the engine keep one busy, those that wait for a disk none. A query counts by its
    seconds, which are shared out over the places as they are predicted. As far as these do not tell
    both places apart, these have the same cores. None where the store hardly took any seconds.
    """
    # Only calibrating fits: SciPy takes a second to import.
    from scipy.optimize import lsq_linear

    known = [each for each in counted if each.seconds > 0 and sum(each.predicted.values()) > 0]
    if not known:
        return None
    places = (Place("store", store), Place("rows", store))
    seconds = np.array([each.seconds for each in known])
    shares = np.array([[_share(each, place) for place in places] for each in known])
    engine = np.array([_share(each, ENGINE) for each in known])
    in_places = seconds @ shares / seconds.sum()
    if in_places.sum() < _LEAST_SHARE:
        return None
    asked = np.array([each.cores for each in known]) - engine
    bounds = (min(_LEAST_CORES, float(cores)), float(cores))
    together = float(seconds @ asked / (seconds.sum() * in_places.sum()))
    together = min(max(together, bounds[0]), bounds[1])
    if in_places.min() < _LEAST_SHARE:
        return CoreUse(computing=together, handing=None)
    weights = np.sqrt(seconds)
    pull = np.sqrt(_TRUST * seconds.sum()) * np.eye(2)
    found = lsq_linear(
        np.vstack([shares * weights[:, None], pull]),
        np.concatenate([asked * weights, pull @ np.full(2, together)]),
        bounds=bounds,
    )
    computing, handing = (float(each) for each in found.x)
    return CoreUse(computing=computing, handing=handing)


def _share(each: Counted, place: Place) -> float:
    return each.predicted.get(place, 0.0) / sum(each.predicted.values())
