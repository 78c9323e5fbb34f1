"""Messages between nodes and clients over Arrow Flight.

A session is one exchange of messages without end: a request is the metadata of a message, one
letter and its body, and so is its answer; LET_GO has none. Bytes of objects are columns of
unsigned bytes, which Arrow sends from where they lie. Rare requests are actions.
"""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import flight

from evaluation.objects.errors import KINDS, ObjectError
from evaluation.objects.ids import ID_BYTES

SCHEMA = pa.schema([("bytes", pa.uint8())])
SECRET_HEADER = "authorization"  # noqa: S105 - a name

HOLD, FETCH, LET_GO, ALIVE = b"H", b"F", b"R", b"K"
CREATE, SEAL, ABORT = b"C", b"S", b"A"
LOCK, UNLOCK = b"L", b"U"
ANSWER, FAILED = b"=", b"!"

MEMBERS, JOIN, KNOWS, OBJECTS, DELETE, USAGE = (
    "members",
    "join",
    "knows",
    "objects",
    "delete",
    "usage",
)
BIND, UNBIND, NAMED = "bind", "unbind", "named"

CHUNK_BYTES = 4 << 20
"""The most bytes of an object in one message."""
TOGETHER_BYTES = 1 << 20
"""Smaller objects than this are sent together, about so many bytes in a message."""

OBJECT = np.dtype([("id", f"V{ID_BYTES}"), ("length", "<u8"), ("group", "<u8")])
"""One object in the answer to OBJECTS."""

Lengths = npt.NDArray[np.int64]


def message(data: "pa.Buffer | bytes | memoryview") -> pa.RecordBatch:
    """Return bytes as a batch, without copying them."""
    buffer = data if isinstance(data, pa.Buffer) else pa.py_buffer(data)
    column = pa.UInt8Array.from_buffers(pa.uint8(), buffer.size, [None, buffer])
    return pa.RecordBatch.from_arrays([column], schema=SCHEMA)


def content(batch: pa.RecordBatch) -> pa.Buffer:
    """Return the bytes of a batch that `message` made."""
    column = batch.column(0)
    return column.buffers()[1].slice(column.offset, len(column))


def hold_answer(hold: int, lengths: Lengths) -> bytes:
    """Return the answer to HOLD: the hold's number and the lengths, -1 for what is not there."""
    return np.concatenate([[np.int64(hold)], lengths]).astype("<i8").tobytes()


def read_hold(answer: memoryview) -> tuple[int, Lengths]:
    """Read what `hold_answer` wrote."""
    numbers = np.frombuffer(answer, "<i8")
    return int(numbers[0]), numbers[1:]


def numbers(values: Sequence[int]) -> bytes:
    """Return numbers as the body of a request: holds to let go, or a hold and positions in it."""
    return np.array(values, "<i8").tobytes()


def read_numbers(body: bytes) -> list[int]:
    """Read what `numbers` wrote."""
    found: list[int] = np.frombuffer(body, "<i8").tolist()
    return found


def failure(error: Exception) -> bytes:
    """Return what a session answers when a request fails."""
    return FAILED + json.dumps([type(error).__name__, str(error)]).encode()


def raise_failure(body: bytes) -> None:
    """Raise what `failure` wrote."""
    kind, text = json.loads(body)
    raise KINDS.get(kind, ObjectError)(text)


def as_flight(error: Exception) -> flight.FlightError:
    """Return an error that an action raises on the node."""
    return flight.FlightServerError(str(error), extra_info=type(error).__name__.encode())


def from_flight(error: flight.FlightError) -> ObjectError | None:
    """Return what an action raised on the node; None if it was not the node that raised it."""
    kind = KINDS.get(bytes(error.extra_info or b"").decode(errors="replace"))
    if kind is None:
        return None
    # Flight adds where it was raised.
    return kind(str(error).split(". Detail:")[0])


def dumped(value: Any) -> bytes:  # noqa: ANN401 - whatever JSON can say
    """Return a value as JSON."""
    return json.dumps(value).encode()
