"""Queries as users name them: ``q80``, or ``80`` where that is the only one meant."""

from collections.abc import Collection

from advisor.project.project_file import nearest
from workloads.errors import ConfigurationError

MOST_NAMED = 8


def query_name(text: str, known: Collection[str], option: str = "") -> str:
    """Return the query that `text` names: its name, or its name without the ``q`` before a number.

    Raises:
        ConfigurationError: There is none; the message names the nearest.
    """
    for name in (text, f"q{text}" if text[:1].isdigit() else text, text.lower()):
        if name in known:
            return name
    before = f"{option}: there" if option else "There"
    listed = ", ".join(list(known)[:MOST_NAMED])
    more = f" and {len(known) - MOST_NAMED} more" if len(known) > MOST_NAMED else ""
    guess = f"q{text}" if text[:1].isdigit() else text
    way_out = nearest(guess, known) or f"there are {listed}{more}."
    raise ConfigurationError(f"{before} is no query '{text}': {way_out}")
