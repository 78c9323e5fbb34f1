"""Constraints of a placement: one file each, which holds all that is said of it.

The order of `CONSTRAINTS` is that of a model's rows, of sentences and of usages.
"""

from placement.constraints.apart import Apart
from placement.constraints.balance import Balance
from placement.constraints.capacity import Capacity
from placement.constraints.constraint import Bounded, Constraint
from placement.constraints.exclusions import Exclusions
from placement.constraints.latency import Latency
from placement.constraints.max_copies import MaxCopies
from placement.constraints.max_copy_bytes import MaxCopyBytes
from placement.constraints.max_index_bytes import MaxIndexBytes
from placement.constraints.max_money import MaxMoney
from placement.constraints.max_move_bytes import MaxMoveBytes
from placement.constraints.max_moves import MaxMoves
from placement.constraints.pins import Pins
from placement.constraints.placed import Placed
from placement.constraints.queries import Queries
from placement.constraints.together import Together

CONSTRAINTS: tuple[Constraint, ...] = (
    Placed(),
    Capacity(),
    Pins(),
    Exclusions(),
    Together(),
    Apart(),
    Balance(),
    MaxCopies(),
    MaxCopyBytes(),
    MaxMoves(),
    MaxMoveBytes(),
    MaxIndexBytes(),
    Queries(),
    MaxMoney(),
    Latency(),
)

BOUNDED = tuple(each for each in CONSTRAINTS if isinstance(each, Bounded))
"""The constraints whose limits have values."""

OF_KIND = {constraint.kind: constraint for constraint in CONSTRAINTS}
"""Kind of a limit → its constraint."""
