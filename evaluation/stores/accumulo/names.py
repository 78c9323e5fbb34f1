"""Names of ours as Accumulo takes them: of letters, digits and underscores alone."""

import re

_UNUSUAL = re.compile(r"[^A-Za-z0-9]+")


def spelled(name: str) -> str:
    """Return `name` with other characters, and underscores side by side, as ``__`` and two digits.

    Different names stay different: within a name written so, a single underscore stands for itself.
    """
    return _UNUSUAL.sub(lambda found: _hexadecimal(found[0]), name)


def qualified(namespace: str, table: str) -> str:
    """Return the name of one of our tables, with its namespace."""
    return f"{spelled(namespace)}.{spelled(table)}"


def _hexadecimal(text: str) -> str:
    return text if text == "_" else "".join(f"__{byte:02x}" for byte in text.encode())
