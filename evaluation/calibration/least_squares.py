"""Bounded least squares on relative errors, by what is known beforehand."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

FARTHEST = 20.0
"""How many times faster or slower than beforehand a rate may be found to be."""
_STEPS = 12
# Beyond this error, as a logarithm, a measurement counts less: an estimate of rows was wrong there.
_FAR = 0.15
_LEAST_S = 1e-4
_NEAR = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """`seconds_per_unit` (terms,), all above 0, and `predicted` (observations,) in seconds."""

    seconds_per_unit: Array
    predicted: Array


def fit(units: Array, seconds: Array, beforehand: Array, trust: float) -> Fit:
    """Return the seconds per unit of each term that explain `seconds` best.

    `units` (observations, terms) are amounts of work, `seconds` (observations,) what they took
    together, `beforehand` (terms,) is what a unit is taken to cost where nothing tells. `trust`
    weighs it: a rate off by its own size counts as an observation off by this share. Errors
    are logarithms of predicted over measured seconds, so that too much and too little count
    alike; those beyond `_FAR` count linearly (Huber). No coefficient is further than `FARTHEST`
    times from what it was taken for: where terms go together, or hardly take any time, plain least
    squares would give rates below nothing, and non-negative ones rates without end.

    Raises:
        ValueError: There is nothing to fit.
    """
    if not len(seconds):
        raise ValueError("a fit needs observations")
    # Every command imports this module, and only calibrating fits: SciPy takes a second to import.
    from scipy.optimize import lsq_linear

    # One unit of every term is what it costs beforehand: the solver sees numbers near 1.
    scaled = units * beforehand
    prior = trust * np.eye(len(beforehand))
    predicted = seconds
    factors = np.ones(len(beforehand))
    for _ in range(_STEPS):
        weight = _weights(np.maximum(predicted, _LEAST_S), np.maximum(seconds, _LEAST_S))
        left = np.vstack([scaled * weight[:, None], prior])
        right = np.concatenate([seconds * weight, np.full(len(beforehand), trust)])
        factors = lsq_linear(left, right, bounds=(1 / FARTHEST, FARTHEST), method="bvls").x
        predicted = scaled @ factors
    return Fit(seconds_per_unit=factors * beforehand, predicted=predicted)


def _weights(predicted: Array, seconds: Array) -> Array:
    """Return what makes a step of least squares follow the errors' logarithms.

    The square of ``log(p / s)`` has the slope ``log(p / s) / p``, and that of a weighted difference
    ``w² (p - s)``: where both are equal the weighted problem has the same best answer.
    """
    error = np.log(predicted / seconds)
    difference = predicted - seconds
    near = np.abs(error) < _NEAR
    slope = np.where(near, 1 / seconds, error / np.where(near, 1.0, difference)) / predicted
    return np.sqrt(slope * np.minimum(1.0, _FAR / np.maximum(np.abs(error), _NEAR)))
