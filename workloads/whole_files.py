"""Files that are there whole or not at all, whatever happens while they are written."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(file: Path) -> Iterator[BinaryIO]:
    """Give a stream whose content becomes `file` when the block ends well.

    It is written beside the file and renamed, so that a full disk or a kill leaves the old content.
    A link stays a link, an existing file keeps its mode, and a device or a pipe is written to.

    Raises:
        OSError: The folder or its disk does not take it.
    """
    target = file.resolve()
    if target.exists() and not target.is_file():
        with target.open("wb") as stream:
            yield stream
        return
    fresh = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.unfinished")
    try:
        with fresh.open("xb") as stream:
            if target.exists():
                fresh.chmod(target.stat().st_mode & 0o7777)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


def write_whole(file: Path, content: str | bytes) -> None:
    """Write a file so; OSError where that cannot be done.

    Text is in UTF-8. What is not, as in the name of a folder, is escaped.
    """
    if isinstance(content, str):
        content = content.encode(errors="backslashreplace")
    with whole_file(file) as stream:
        stream.write(content)
