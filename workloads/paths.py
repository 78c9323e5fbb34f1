"""Paths as people write them."""

from pathlib import Path

from workloads.errors import ConfigurationError


def expanded(path: str | Path) -> Path:
    """Return a path with its ``~`` replaced by the folder that it stands for.

    Raises:
        ConfigurationError: There is no such user, or nothing says where the user's folder is.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise ConfigurationError(
            f"{path}: nothing says which folder '~' stands for here: write the path in full."
        ) from None


def is_there(path: Path) -> bool:
    """Whether there is a file or folder at `path`.

    Raises:
        ConfigurationError: It cannot be told: the path is too long, or leads through a folder that
            may not be read.
    """
    try:
        return path.exists()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigurationError(f"{shortened(str(path))} cannot be used: {reason}.") from None


def refuse_pipe(path: Path) -> None:
    """Refuse what can be read once at most, such as ``<(…)`` and /dev/stdin: files are read twice.

    Raises:
        ConfigurationError: It is a pipe, a device or a socket.
    """
    if is_there(path) and not (path.is_file() or path.is_dir()):
        raise ConfigurationError(
            f"{path} is a pipe or a device, and what is read here is read more than once: write it "
            "to a file, and name that."
        )


def shortened(text: str, most_characters: int = 200) -> str:
    """Return `text`, or the beginning and end of a long one: a message has one line."""
    if len(text) <= most_characters:
        return text
    half = most_characters // 2
    return f"{text[:half]}…{text[-half:]}"
