"""Files that are there whole or not at all, whatever happens while they are written."""

import glob
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_UNFINISHED = ".unfinished"


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
    fresh = unfinished(target)
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


def unfinished(file: Path) -> Path:
    """Return a name beside `file` to write it under; what killed processes left so is removed."""
    name = f".{file.name[:100]}"
    # A database's journal has its name and more.
    for left in file.parent.glob(f"{glob.escape(name)}.*{_UNFINISHED}*"):
        number = left.name.removeprefix(f"{name}.").partition(".")[0]
        if number.isdigit() and not Path(f"/proc/{number}").exists():
            left.unlink(missing_ok=True)
    return file.with_name(f"{name}.{os.getpid()}.{secrets.token_hex(4)}{_UNFINISHED}")


def write_whole(file: Path, content: str | bytes) -> None:
    """Write a file so; OSError where that cannot be done.

    Text is in UTF-8. What is not, as in the name of a folder, is escaped.
    """
    if isinstance(content, str):
        content = content.encode(errors="backslashreplace")
    with whole_file(file) as stream:
        stream.write(content)
