"""Tables in folders that are called after a value, ``orders/year=2024/month=1/part-0.parquet``.

The names of the folders are columns of the table, as in Hive: ``key=value``, special characters
written as in a URL. Types are those that DuckDB finds in them.
"""

import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from urllib.parse import unquote

from workloads.errors import CatalogError
from workloads.measuring.table_files import PartitionKey

_NULL = "__HIVE_DEFAULT_PARTITION__"
_WHOLE = re.compile(r"0|-?[1-9]\d*", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_BIGINT = range(-(1 << 63), 1 << 63)


def partition_keys(table: str, folder: Path, files: Sequence[Path]) -> tuple[PartitionKey, ...]:
    """Return the keys of a table in `folder`, of which `files` are all; () where there are none.

    Raises:
        CatalogError: A folder is called otherwise, or not all files have the same keys.
    """
    found = [_parts(table, folder, file) for file in files]
    names = [name for name, _ in found[0]]
    for file, parts in zip(files, found, strict=True):
        if [name.lower() for name, _ in parts] != [name.lower() for name in names]:
            raise CatalogError(
                f"Table '{table}' has files in folders of different keys ({files[0]} and {file}):"
                " all need the same keys in the same order."
            )
    if len({name.lower() for name in names}) < len(names):
        raise CatalogError(f"Table '{table}' has one key twice ({files[0]}): rename a folder.")
    columns = zip(*([value for _, value in parts] for parts in found), strict=True)
    return tuple(
        PartitionKey(name=name, type=_type(values), values=tuple(map(_value, values)))
        for name, values in zip(names, columns, strict=True)
    )


def _parts(table: str, folder: Path, file: Path) -> list[tuple[str, str]]:
    """Return the keys of a file with their values, as these are written."""
    parts = []
    for part in file.relative_to(folder).parts[:-1]:
        name, equals, value = part.partition("=")
        if not name or not equals:
            raise CatalogError(
                f"Table '{table}' has Parquet in a folder below it ({file}) that is not called"
                " key=value: put its files into one folder, or name the folders so."
            )
        parts.append((unquote(name), value))
    return parts


def _value(written: str) -> str | None:
    return None if written == _NULL else unquote(written)


def _type(values: Sequence[str]) -> str:
    """Return the type of a key, which all of its values have as they are written."""
    known = [value for value in values if value != _NULL]
    if known and all(_WHOLE.fullmatch(each) and int(each) in _BIGINT for each in known):
        return "BIGINT"
    return "DATE" if known and all(map(_is_day, known)) else "VARCHAR"


def _is_day(value: str) -> bool:
    try:
        return _DAY.fullmatch(value) is not None and bool(date.fromisoformat(value))
    except ValueError:
        return False
