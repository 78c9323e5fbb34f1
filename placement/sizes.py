"""Sizes as messages write them."""

from math import ceil

KILO = 1000.0


def human_bytes(size_bytes: float) -> str:
    """Return bytes with a decimal unit and at most three significant digits, such as 9.1 GB."""
    size = float(size_bytes)
    for unit in ("B", "kB", "MB", "GB"):
        if round(size, 1) < KILO:
            return f"{_digits(size)} {unit}"
        size /= KILO
    return f"{_digits(size)} TB"


def human_bytes_up(size_bytes: float) -> str:
    """Return bytes as `human_bytes` does, rounded up: a limit of that size is enough."""
    size = ceil(size_bytes)
    unit = 1
    while size > KILO * unit and unit < KILO**4:
        unit *= int(KILO)
    tenths = unit if size >= 100 * unit else max(1, unit // 10)
    return human_bytes(-(-size // tenths) * tenths)


def _digits(size: float) -> str:
    written = f"{size:.1f}" if size < 100 else f"{size:.0f}"  # noqa: PLR2004
    return written.removesuffix(".0")
