"""What the engine's exceptions say: the innermost cause, and whether a store was lost."""

import re
from dataclasses import dataclass
from typing import Any

_LOST_STATE = re.compile(r"08...|57P0[123]")
# A task's exception reaches us as text where it cannot be sent as itself.
_LOST_TEXT = re.compile(
    r"I/O error occurred|[Cc]onnection (refused|reset|has been closed|is closed|attempt failed)"
    r"|Socket (error|fail)|[Rr]ead timed out|Could not connect to|Broken pipe|unexpectedly"
    r"|terminating connection due to|the database system is (starting|shutting|in recovery)"
)
_TOO_LARGE_TEXT = "maxResultBuffer"
_OUT_OF_MEMORY = "org.apache.spark.memory.SparkOutOfMemoryError"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """The innermost cause: what it says. `origins` names the classes of all causes.

    Drivers raise exceptions of Java's own classes as well: what made them is named too.

    `lost` tells that the connection to a store ended or could not be made: by the SQLSTATE of any
    cause, or by its words.
    """

    origins: tuple[str, ...]
    text: str
    lost: bool

    @property
    def too_large(self) -> bool:
        """Whether a driver refused to hold a result as a whole, or a task what it hashes."""
        return _TOO_LARGE_TEXT in self.text or _OUT_OF_MEMORY in self.origins


def cause(error: Exception) -> Cause:
    """Return the innermost cause of an error of PySpark or py4j."""
    java: Any = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
    text, lost = str(error), False
    origins = []
    while java is not None:
        text = str(java.getMessage() or java.toString())
        origins.append(str(java.getClass().getName()))
        origins += [str(frame.getClassName()) for frame in list(java.getStackTrace())[:1]]
        lost = lost or _LOST_STATE.fullmatch(_state(java)) is not None
        java = java.getCause()
    lost = lost or _LOST_TEXT.search(text) is not None
    return Cause(origins=tuple(origins), text=text, lost=lost)


def _state(java: Any) -> str:  # noqa: ANN401 - a Java object
    """Return the SQLSTATE of a Java exception; nothing where it is not one of SQL."""
    from py4j.protocol import Py4JError

    try:
        return str(java.getSQLState())
    except Py4JError:
        return ""
