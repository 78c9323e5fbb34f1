"""Bounded least squares of logarithms, by what is known beforehand."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

FARTHEST = 20.0
"""A rate may be found to be so many times faster or slower than beforehand."""
# Beyond this error, as a logarithm, a measurement counts less: an estimate of rows was wrong there.
_FAR = 0.15
_LEAST_S = 1e-4
_MOST_STEPS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """`seconds_per_unit` (terms,), all above 0, and `predicted` (observations,) in seconds."""

    seconds_per_unit: Array
    predicted: Array


def fit(units: Array, seconds: Array, beforehand: Array, trust: float) -> Fit:
    """Return the seconds per unit of each term that explain `seconds` best.

    `units` (observations, terms) are amounts of work, `seconds` (observations,) what they took
    together, `beforehand` (terms,) is what a unit is taken to cost where nothing tells. `trust`
    weighs it: a rate that is e times as fast or as slow counts as an observation off by this share.
    Errors are logarithms of predicted over measured seconds, so that too much and too little count
    alike; those beyond `_FAR` count linearly (Huber). No coefficient is further than `FARTHEST`
    times from what it was taken for: where terms go together, or hardly take any time, plain least
    squares would give rates below nothing, and non-negative ones rates without end.

    Raises:
        ValueError: There is nothing to fit.
    """
    if not len(seconds):
        raise ValueError("a fit needs observations")
    # Every command imports this module, and only calibrating fits: SciPy takes a second to import.
    from scipy.optimize import least_squares

    # One unit of every term is what it costs beforehand: the solver sees numbers near 1.
    scaled = units * beforehand
    measured = np.log(np.maximum(seconds, _LEAST_S))
    prior = trust * np.eye(len(beforehand))

    def residuals(logarithms: Array) -> Array:
        predicted = np.maximum(scaled @ np.exp(logarithms), _LEAST_S)
        off, _ = _robust(np.log(predicted) - measured)
        return np.concatenate([off, trust * logarithms])

    def slopes(logarithms: Array) -> Array:
        by_term = scaled * np.exp(logarithms)
        predicted = np.maximum(by_term.sum(axis=1), _LEAST_S)
        _, slope = _robust(np.log(predicted) - measured)
        return np.vstack([(slope / predicted)[:, None] * by_term, prior])

    most = np.log(FARTHEST)
    start = np.zeros(len(beforehand))
    found = least_squares(residuals, start, jac=slopes, bounds=(-most, most), max_nfev=_MOST_STEPS)
    factors: Array = np.exp(found.x)
    return Fit(seconds_per_unit=factors * beforehand, predicted=scaled @ factors)


def _robust(off: Array) -> tuple[Array, Array]:
    """Return residuals of which the squares are Huber's losses of `off`, and their slopes."""
    size = np.abs(off)
    near = size <= _FAR
    far = np.sqrt(np.maximum(2 * _FAR * size - _FAR**2, _FAR**2))
    return np.where(near, off, np.sign(off) * far), np.where(near, 1.0, _FAR / far)
