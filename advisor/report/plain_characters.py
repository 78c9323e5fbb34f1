"""Plain characters, for terminals that lack those that tables are written with."""

import codecs
import io
from typing import TextIO

HANDLER = "advisor-plain"
_PLAIN = str.maketrans(
    "●→⋈·…✓✗±÷≤≥│━─╸╺█²³⁵⁹⁻\N{MULTIPLICATION SIGN}\N{MINUS SIGN}\N{EN DASH}",
    "*>*.~+x~/<>|----#2359-x--",
)
"""A character of ASCII for each: so columns stay where they are."""


def print_anything(stream: TextIO) -> None:
    """Let `stream` print any text: what its encoding lacks as ASCII, or as an escape."""
    if isinstance(stream, io.TextIOWrapper):
        codecs.register_error(HANDLER, _plain)
        stream.reconfigure(errors=HANDLER)


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    written = error.object[error.start : error.end].translate(_PLAIN)
    return written.encode("ascii", "backslashreplace").decode("ascii"), error.end
