"""The bytes of a text file in UTF-8, block by block."""

import codecs
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import cast

from workloads.errors import SqlError
from workloads.sources.logs import files

BLOCK_BYTES = 1 << 18
"""So many bytes are read at once."""


def blocks(path: Path) -> Iterator[bytes]:
    """Yield a file's bytes, unpacked and without a byte order mark; UTF-16 with its mark as UTF-8.

    Raises:
        ConfigurationError: The file cannot be read or unpacked.
        SqlError: A file in UTF-16 is damaged.
    """
    with cast("BufferedReader", files.opened(path)) as file:
        try:
            data = file.read1(BLOCK_BYTES)
            name = files.encoding(data[:4])
            if name == "utf-16":
                yield from _encoded(path, file, data)
                return
            yield data.removeprefix(codecs.BOM_UTF8)
            while data := file.read1(BLOCK_BYTES):
                yield data
        except files.DAMAGE as error:
            raise files.damaged(path, error) from error


def _encoded(path: Path, file: BufferedReader, data: bytes) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")()
    while True:
        try:
            yield decoder.decode(data, final=not data).encode()
        except UnicodeDecodeError as error:
            raise SqlError("it is not UTF-16: convert the file", origin=str(path)) from error
        if not data:
            return
        data = file.read1(BLOCK_BYTES)


def not_utf8(error: UnicodeDecodeError, origin: str, line: int, column: int) -> SqlError:
    """Return where the first byte is that is no UTF-8, of data that start at a line and column."""
    before = error.object[: error.start]
    start = before.rfind(b"\n") + 1
    return SqlError(
        f"byte {error.object[error.start]:#04x} is not UTF-8: convert the file to UTF-8",
        origin=origin,
        line=line + before.count(b"\n"),
        column=len(before[start:].decode()) + (1 if start else column),
    )
