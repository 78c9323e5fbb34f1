"""Random problems with their optima."""

import random

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from placement.strategies.optimal import Optimal
from tests.unit.placement.random_problems import random_problem
from workloads.errors import InfeasibleError

RANDOM = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
seeds = st.integers(min_value=0, max_value=10**9)


def planned(seed, **sizes):
    """A random problem with its optimum; None where nothing fits."""
    made = random_problem(random.Random(seed), **sizes)
    try:
        return made, Optimal()(made)
    except InfeasibleError:
        return made, None
