"""Settings of [constraints]: a project file's constraints, with the file's own names."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any

from pydantic import BeforeValidator

from advisor.project.amounts import Amount, Count, Positive, Share, Size
from advisor.project.sizes import Capacity

OF_TABLES = frozenset({"pin", "exclude", "only", "together", "apart", "tags"})
"""The keys that name tables or tags, which need a catalog to be read."""


def _names(value: object) -> tuple[str, ...]:
    """Return a name, or a list of names, as names."""
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, list | tuple | set | frozenset) or not names:
        raise ValueError("write a name, or a list of names such as ['a', 'b']")
    if not all(isinstance(name, str) for name in names):
        raise ValueError("names are text: write them in quotes")
    return tuple(sorted(set(names)))


def _sets(value: object) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, list | tuple) or any(isinstance(each, str) for each in value):
        raise ValueError("write a list of lists, such as [['a', 'b'], ['c', 'd']]")
    return tuple(_names(each) for each in value)


Names = Annotated[tuple[str, ...], BeforeValidator(_names)]
Sets = Annotated[tuple[tuple[str, ...], ...], BeforeValidator(_sets)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintSettings:
    """Constraints beside capacities; a name is a table's or a tag's.

    `pin`, `exclude` and `only` map a name to the stores that must, must not, or alone may hold
    it. `together` and `apart` are lists of names. `balance` is a share (0..1). `latency_s` maps a
    query to seconds. `tags` maps a tag to its tables.
    """

    pin: Mapping[str, Names] = field(default_factory=dict)
    exclude: Mapping[str, Names] = field(default_factory=dict)
    only: Mapping[str, Names] = field(default_factory=dict)
    together: Sets = ()
    apart: Sets = ()
    balance: Share | None = None
    max_copy_bytes: Size | None = None
    max_index_bytes: Size | None = None
    max_moves: Count | None = None
    max_move_bytes: Size | None = None
    max_money: Amount | None = None
    latency_s: Mapping[str, Positive] = field(default_factory=dict)
    tags: Mapping[str, Names] = field(default_factory=dict)

    def tables(self, name: str) -> tuple[str, ...]:
        """Return the tables of a tag, or the one table called so."""
        return self.tags.get(name, (name,))

    def values(self, catalog_bytes: int) -> dict[str, Any]:
        """Return the values of all keys that name no tables, with sizes in bytes.

        They are fields of `placement.problem.Constraints` under the same names. Sizes may be
        shares of `catalog_bytes`.
        """
        keys = [each.name for each in fields(self) if each.name not in OF_TABLES]
        found = {key: getattr(self, key) for key in keys}
        return {
            key: value.bytes(catalog_bytes) if isinstance(value, Capacity) else value
            for key, value in found.items()
        }
