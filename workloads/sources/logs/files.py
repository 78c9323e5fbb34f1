"""Bytes and text of log files: compression, byte order marks, and where a file can be cut."""

import gzip
import io
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from workloads.errors import ConfigurationError

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
# Spark's LZ4 blocks: these bytes, method, packed and unpacked sizes, checksum.
_LZ4_BLOCK = b"LZ4Block"
_LZ4_HEADER_BYTES = 21
_LZ4_STORED = 0x10
_LZ4_MOST_BYTES = 1 << 25
"""The largest block that the format has; a header may say anything."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_UTF_8 = b"\xef\xbb\xbf"
_HEAD_BYTES = 65_536

DAMAGE = (OSError, EOFError, ValueError, zlib.error)
"""Exceptions of files that cannot be unpacked."""


def opened(path: Path) -> BinaryIO:
    """Open a file for reading, unpacked if it is gzip, Zstandard or Spark's LZ4.

    Raises:
        ConfigurationError: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            magic = file.read(8)
        if magic.startswith(_GZIP):
            return cast("BinaryIO", gzip.open(path))
        if magic.startswith(_ZSTD):
            return cast("BinaryIO", pa.CompressedInputStream(str(path), "zstd"))
        file = path.open("rb")
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}.") from error
    if magic.startswith(_LZ4_BLOCK):
        return cast("BinaryIO", io.BufferedReader(_Lz4Blocks(file)))
    return file


def is_packed(path: Path) -> bool:
    """Whether a file is compressed."""
    with path.open("rb") as file:
        return file.read(8).startswith((_GZIP, _ZSTD, _LZ4_BLOCK))


def is_utf8(path: Path) -> bool:
    """Whether no byte order mark says that a file is in UTF-16."""
    with path.open("rb") as file:
        return not file.read(4).startswith(_UTF_16)


def encoding(start: bytes) -> str:
    """Return the encoding that a byte order mark names; UTF-8 without one."""
    if start.startswith(_UTF_16):
        return "utf-16"
    return "utf-8-sig" if start.startswith(_UTF_8) else "utf-8"


def text(path: Path, errors: str = "replace") -> io.TextIOWrapper:
    """Open a file as text with its line ends as they are."""
    with opened(path) as file:
        name = encoding(_read(file, 4, path))
    return io.TextIOWrapper(opened(path), encoding=name, errors=errors, newline="")


def head(path: Path) -> str:
    """Return the start of a file as text; what is binary comes with U+FFFD or NUL in it."""
    with opened(path) as file:
        start = _read(file, _HEAD_BYTES, path)
    return start.decode(encoding(start), errors="replace")


def _read(file: BinaryIO, size: int, path: Path) -> bytes:
    try:
        return file.read(size)
    except DAMAGE as error:
        raise damaged(path, error) from error


def damaged(path: Path, error: Exception) -> ConfigurationError:
    """Return what to say of a compressed file that ends early or is none."""
    return ConfigurationError(f"{path} cannot be unpacked: {error}. Is it complete?")


class _Lz4Blocks(io.RawIOBase):
    """The blocks that Spark's LZ4 codec writes: a header, then one raw LZ4 block."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._codec = pa.Codec("lz4_raw")
        self._left = b""

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()

    def readinto(self, buffer: object) -> int:
        target = memoryview(cast("bytearray", buffer))
        while not self._left:
            block = self._block()
            if block is None:
                return 0
            self._left = block
        size = min(len(target), len(self._left))
        target[:size] = self._left[:size]
        self._left = self._left[size:]
        return size

    def _block(self) -> bytes | None:
        """Return the next block, b"" for one that marks the end of a stream, None at the end."""
        header = self._file.read(_LZ4_HEADER_BYTES)
        if not header:
            return None
        if len(header) < _LZ4_HEADER_BYTES or not header.startswith(_LZ4_BLOCK):
            raise OSError("a block of LZ4 has no header")
        method, packed, unpacked, _ = struct.unpack("<Biii", header[8:])
        if not (0 <= packed <= 2 * _LZ4_MOST_BYTES and 0 <= unpacked <= _LZ4_MOST_BYTES):
            raise OSError(f"a block of LZ4 says that it has {unpacked:,} bytes")
        data = self._file.read(packed)
        if len(data) < packed:
            raise EOFError("the last block of LZ4 is cut off")
        if method & 0xF0 == _LZ4_STORED:
            return data
        return (
            cast("bytes", self._codec.decompress(data, unpacked, asbytes=True)) if packed else b""
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The contents of a range of a file's bytes: counts, and the first line ends in it.

    `after[p]` is the offset after the first line end with p = an even (0) or odd (1) number of
    double quotes before it in the block, and the line ends up to there.
    """

    start: int
    end: int
    quotes: int
    lines: int
    after: tuple[tuple[int, int] | None, tuple[int, int] | None]


def survey(task: tuple[Path, int, int]) -> tuple[Path, Block]:
    """Return what the bytes from start to end of a file have, with its path."""
    path, start, end = task
    with path.open("rb") as file:
        file.seek(start)
        data = file.read(end - start)
    after: list[tuple[int, int] | None] = [None, None]
    place = quotes = lines = 0
    while None in after:
        found = data.find(b"\n", place)
        if found < 0:
            break
        quotes += data.count(b'"', place, found)
        lines += 1
        place = found + 1
        if after[quotes % 2] is None:
            after[quotes % 2] = (start + place, lines)
    block = Block(
        start=start,
        end=end,
        quotes=data.count(b'"'),
        lines=data.count(b"\n"),
        after=(after[0], after[1]),
    )
    return path, block


def cuts(blocks: list[Block], *, quoted: bool) -> Iterator[tuple[int, int]]:
    """Yield offset and 1-based line at which pieces start, the first at the file's start.

    A cut is after the first line end of a block; if values are `quoted`, after the first that an
    even number of quotes of the file comes before: no value spans it.
    """
    yield 0, 1
    quotes, lines = blocks[0].quotes, blocks[0].lines
    for block in blocks[1:]:
        if quoted:
            found = block.after[quotes % 2]
        else:
            found = min((each for each in block.after if each is not None), default=None)
        if found is not None:
            yield found[0], lines + found[1] + 1
        quotes += block.quotes
        lines += block.lines


def block_ranges(path: Path, size_bytes: int) -> list[tuple[Path, int, int]]:
    """Return the ranges of about `size_bytes` that a file is surveyed in."""
    total = path.stat().st_size
    starts = range(0, max(total, 1), size_bytes)
    return [(path, start, min(start + size_bytes, total)) for start in starts]


def text_between(path: Path, start: int, end: int | None) -> io.TextIOWrapper:
    """Open an unpacked UTF-8 file between two offsets in bytes as text, parted by line feeds."""
    file = path.open("rb")
    file.seek(start)
    part = file if end is None else io.BufferedReader(_Part(file, end - start))
    name = "utf-8-sig" if start == 0 else "utf-8"
    return io.TextIOWrapper(part, encoding=name, errors="replace", newline="\n")


class _Part(io.RawIOBase):
    """The next `size_bytes` of a file."""

    def __init__(self, file: BinaryIO, size_bytes: int) -> None:
        self._file = file
        self._left_bytes = size_bytes

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()

    def readinto(self, buffer: object) -> int:
        target = memoryview(cast("bytearray", buffer))
        data = self._file.read(min(len(target), self._left_bytes))
        target[: len(data)] = data
        self._left_bytes -= len(data)
        return len(data)
