"""Documents of which parts are generated: those between two comments that name the part."""

import re
from collections.abc import Callable, Mapping

_PART = re.compile(r"<!-- begin: (?P<name>[^>]*?) -->\n.*?<!-- end: (?P=name) -->", re.DOTALL)


class MarkerError(Exception):
    """A document names a part that nobody makes, or lacks one that is made."""


def rewritten(text: str, parts: Mapping[str, Callable[[], str]]) -> str:
    """Return the document with its parts made anew.

    Raises:
        MarkerError: A document's part is not among `parts`, or one of these is not in it.
    """
    named = [found["name"] for found in _PART.finditer(text)]
    unknown = sorted(set(named) ^ set(parts))
    if unknown or len(named) != len(parts) or text.count("<!-- begin: ") != len(named):
        raise MarkerError(
            f"The document has the parts {named}, and {sorted(parts)} are made: "
            "write '<!-- begin: NAME -->' and '<!-- end: NAME -->' once for each"
        )

    def made(found: re.Match[str]) -> str:
        name = found["name"]
        return f"<!-- begin: {name} -->\n\n{parts[name]()}\n\n<!-- end: {name} -->"

    return _PART.sub(made, text)
