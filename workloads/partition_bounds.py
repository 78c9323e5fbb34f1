"""The rows of a partition, as a condition on the columns of its table."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_ENDS = ("MINVALUE", "MAXVALUE")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionBounds:
    """The values of a partition's keys, as SQL: `values`, or those from `low` on and below `high`.

    `low` and `high` have a value for each key; MINVALUE and MAXVALUE are no bound. `hashed` are the
    modulus and the remainder of the keys' hash. A default partition has the rows that are in no
    other one.
    """

    low: tuple[str, ...] = ()
    high: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    hashed: tuple[int, int] | None = None
    is_default: bool = False

    def condition(
        self, keys: Sequence[str], table: str, others: Iterable["PartitionBounds"] = ()
    ) -> str:
        """Return what holds for the rows of the partition.

        `keys` are columns or expressions and `table` the whole, as SQL writes them. `others` are
        the bounds of the other partitions. Only PostgreSQL knows a hash.
        """
        if self.is_default:
            elsewhere = " OR ".join(f"({each.condition(keys, table)})" for each in others)
            return f"({elsewhere}) IS NOT TRUE" if elsewhere else "TRUE"
        if self.hashed is not None:
            modulus, remainder = self.hashed
            whole = table.replace("'", "''")
            listed = ", ".join(keys)
            return (
                f"satisfies_hash_partition('{whole}'::regclass, {modulus}, {remainder}, {listed})"
            )
        if self.values:
            return _among(keys[0], self.values)
        bounds = [*_beyond(keys, self.low, ">"), *_beyond(keys, self.high, "<")]
        known = keys if len(keys) > 1 or not bounds else ()
        return " AND ".join([*bounds, *(f"{key} IS NOT NULL" for key in known)])


def _among(key: str, values: Sequence[str]) -> str:
    # IN is never true for NULL, which a partition by list may be the one of.
    listed = [each for each in values if each.upper() != "NULL"]
    found = [f"{key} IN ({', '.join(listed)})"] if listed else []
    null = [f"{key} IS NULL"] if len(listed) < len(values) else []
    return " OR ".join([*found, *null])


def _beyond(keys: Sequence[str], bound: Sequence[str], sign: str) -> list[str]:
    """Return the condition that keys are at or above `bound` (for >), or below it (for <)."""
    pairs = []
    end = ""
    for key, value in zip(keys, bound, strict=True):
        if value.upper() in _ENDS:
            end = value.upper()
            break
        pairs.append((key, value))
    if not pairs:
        return []
    # What ends with MAXVALUE is above all rows that begin so, with MINVALUE below them.
    is_inclusive = (sign == ">" and end != "MAXVALUE") or (sign == "<" and end == "MAXVALUE")
    found = ""
    for key, value in reversed(pairs):
        last = f"{key} {sign}{'=' if is_inclusive and not found else ''} {value}"
        found = f"({key} {sign} {value} OR ({key} = {value} AND {found}))" if found else last
    return [found]
