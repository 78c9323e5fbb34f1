"""Sizes as people write them: ``200 GiB``, and ``60%`` of what a catalog holds."""

import re
from dataclasses import dataclass

UNITS = {
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
    "TIB": 2**40,
}
_LARGEST_NUMBER = 1e15
_SIZE = re.compile(r"\s*(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>%|[A-Za-z]+)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """The bytes that there may be: a share of the catalog's (1 is all of them) or a fixed size.

    Exactly one of `share` and `size_bytes` is set.
    """

    share: float | None = None
    size_bytes: int | None = None

    def bytes(self, catalog_bytes: int) -> int:
        """Return the capacity in bytes for a catalog of `catalog_bytes`."""
        if self.size_bytes is not None:
            return self.size_bytes
        return int((self.share or 0.0) * catalog_bytes)


def parse_capacity(text: object) -> Capacity:
    """Read ``60%`` or ``200 GiB``.

    Raises:
        ValueError: The text is neither, or not above zero; the message says what is expected.
    """
    capacity = parse_size(text)
    if not (capacity.share or capacity.size_bytes):
        raise ValueError("a capacity must be above zero; leave the key out for no limit")
    return capacity


def parse_size(text: object) -> Capacity:
    """Read ``5%`` or ``10 GiB``; it may be zero.

    Raises:
        ValueError: The text is neither; the message says what is expected.
    """
    match = _SIZE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError("write a share such as '60%' or a size such as '200 GiB'")
    number, unit = float(match["number"]), match["unit"].upper()
    if number > _LARGEST_NUMBER:
        raise ValueError(f"{number:g} is more than anything holds")
    if unit == "%":
        return Capacity(share=number / 100)
    if unit not in UNITS:
        raise ValueError(f"'{match['unit']}' is no unit: use %, B, kB, MB, GB, TB, KiB, MiB, GiB")
    return Capacity(size_bytes=round(number * UNITS[unit]))


def parse_share(value: object) -> float:
    """Read ``0.2`` or ``20%``.

    Raises:
        ValueError: The value is neither, or not between 0 and 1.
    """
    share = float("nan")
    if isinstance(value, str):
        match = _SIZE.fullmatch(value)
        if match is not None and match["unit"] == "%":
            share = float(match["number"]) / 100
    elif isinstance(value, int | float) and not isinstance(value, bool):
        share = float(value)
    if not 0 <= share <= 1:
        raise ValueError("write a share between 0 and 1, such as 0.2 or '20%'")
    return share
