"""DuckDB as we open it: no home folder, no downloads, its errors as ours."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

import duckdb

from workloads.errors import CatalogError, SetUpError

OPTIONS: Mapping[str, str | bool | int | float | list[str]] = MappingProxyType(
    {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
)
"""Settings of every DuckDB that we open."""

_ASOF = re.compile(r"\basof\b", re.IGNORECASE)
_FULL_DISK = ("no space left", "file too large", "disk quota", "max_temp_directory_size")


@contextmanager
def connect(
    work: str, *, scratch: Path | None = None, database: Path | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open DuckDB (in memory without `database`) that spills into `scratch`, if given.

    `work` says in errors what was going on, such as "generating TPC-DS".

    Raises:
        SetUpError: Memory or disk ran out.
        CatalogError: A file cannot be read, or is not what it claims to be.
    """
    config: dict[str, str | bool | int | float | list[str]] = {
        "temp_directory": str(scratch / "spill") if scratch else "",
        **OPTIONS,
    }
    try:
        with duckdb.connect(str(database or ":memory:"), config=config) as connection:
            yield connection
    except duckdb.OutOfMemoryException as error:
        if _is_full_disk(error):
            raise _full_disk(work, scratch, error) from error
        raise SetUpError(
            f"Memory ran out while {work} ({_first_line(error)}): free memory, or take less data."
        ) from error
    except duckdb.Error as error:
        if _is_full_disk(error):
            raise _full_disk(work, scratch, error) from error
        raise CatalogError(f"DuckDB failed while {work}: {_first_line(error)}.") from error
    except RuntimeError as error:
        # This is how DuckDB answers Ctrl-C.
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error
        raise


def needs_optimizer(sql: str) -> bool:
    """Tell whether a text may have an ASOF JOIN.

    Some of these end the process with a segmentation fault where `PRAGMA disable_optimizer` is set.
    """
    return _ASOF.search(sql) is not None


def quoted(name: str) -> str:
    """Return `name` as a quoted identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str | Path) -> str:
    """Return `text` as a string literal."""
    return "'" + str(text).replace("'", "''") + "'"


def _is_full_disk(error: duckdb.Error) -> bool:
    text = str(error).lower()
    return any(sign in text for sign in _FULL_DISK)


def _full_disk(work: str, scratch: Path | None, error: duckdb.Error) -> SetUpError:
    return SetUpError(
        f"The disk of {scratch or Path.cwd()} is full while {work} ({_first_line(error)}):"
        " free space there, or choose another cache folder."
    )


def _first_line(error: duckdb.Error) -> str:
    return str(error).strip().splitlines()[0].rstrip(".")
