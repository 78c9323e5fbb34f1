"""Sizes as messages write them."""

KILO = 1000.0


def human_bytes(size_bytes: float) -> str:
    """Return bytes with a decimal unit and at most three significant digits, such as 9.1 GB."""
    size = float(size_bytes)
    for unit in ("B", "kB", "MB", "GB"):
        if round(size, 1) < KILO:
            return f"{_digits(size)} {unit}"
        size /= KILO
    return f"{_digits(size)} TB"


def _digits(size: float) -> str:
    written = f"{size:.1f}" if size < 100 else f"{size:.0f}"  # noqa: PLR2004
    return written.removesuffix(".0")
