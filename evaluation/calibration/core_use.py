"""The cores that a store keeps busy, by what its queries do: fitted to those that were counted."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from placement.machines import ENGINE, Place, Seconds

_LEAST_SHARE = 0.02
"""What takes less of all seconds tells nothing of its cores."""


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
    seconds, which are shared out over the places as they are predicted. None where none tells.
    """
    # Only calibrating fits: SciPy takes a second to import.
    from scipy.optimize import lsq_linear

    known = [each for each in counted if each.seconds > 0 and sum(each.predicted.values()) > 0]
    places = (Place("of", store), Place("rows", store))
    shares = np.array([[_share(each, place) for place in places] for each in known])
    seconds = np.array([each.seconds for each in known])
    if not known or seconds @ shares.sum(axis=1) < _LEAST_SHARE * seconds.sum():
        return None
    engine = np.array([_share(each, ENGINE) for each in known])
    asked = np.array([each.cores for each in known]) - engine
    seen = seconds @ shares >= _LEAST_SHARE * seconds.sum()
    # Where one of both hardly takes any time, the other's cores are those of both.
    columns = shares if seen.all() else shares.sum(axis=1, keepdims=True)
    weights = np.sqrt(seconds)
    found = lsq_linear(columns * weights[:, None], asked * weights, bounds=(0.0, float(cores)))
    computing, *handing = (float(each) for each in found.x)
    return CoreUse(computing=computing, handing=handing[0] if handing else None)


def _share(each: Counted, place: Place) -> float:
    return each.predicted.get(place, 0.0) / sum(each.predicted.values())
