"""A catalog from a user's folder of Parquet: a file or a folder for each table."""

import hashlib
from dataclasses import replace
from pathlib import Path

from workloads.catalog import Catalog
from workloads.errors import CatalogError
from workloads.measuring.measured import measured
from workloads.measuring.table_files import (
    TableFiles,
    is_closed,
    is_hidden,
    is_parquet,
    parquet_files,
)
from workloads.paths import refuse_pipe
from workloads.progress import Progress
from workloads.schema_names import own_name, unique_names
from workloads.sources.partitions import partition_keys

_GLOB_CHARACTERS = "*?[]{}"
# Of these DuckDB makes a pattern in the names of single files, too; Spark has } in partitions'.
_PATTERN = frozenset("*?[")
_ANY_CASE = ".[pP][aA][rR][qQ][uU][eE][tT]"


def catalog(folder: Path, *, cache: Path, progress: Progress) -> Catalog:
    """Return the tables in `folder`: ``customer.parquet``, or ``customer/`` with several files.

    ``crm.customer.parquet`` is a table of the schema `crm`, and so is ``crm.old.customer.parquet``:
    statements may write it ``crm."old.customer"`` or ``"crm.old.customer"``. The files may lie in
    folders that are called after values of a column, such as ``year=2024``.

    What is measured is remembered in `cache`; nothing is written into `folder`.

    Raises:
        CatalogError: The folder is missing or holds no Parquet, a file is damaged, a table is
            there twice, or none of its columns can be carried.
        ConfigurationError: A partition or a link cannot be read.
        SetUpError: Memory or disk ran out.
    """
    folder = folder.resolve()
    found = _found(folder)
    key = hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    manifest = cache / "statistics" / f"{folder.name}-{key}.json"
    files = tuple(files for files, _ in found)
    of = {files.name: schema for files, schema in found}
    tables = measured(files, manifest, progress)
    return Catalog(
        name=folder.name,
        tables={name: replace(table, schema=of[name]) for name, table in tables.items()},
    )


def names(folder: Path) -> tuple[str, ...]:
    """Return what the tables in `folder` are called, of which nothing is read.

    Raises:
        CatalogError: As for `catalog`, but that no file is opened.
        ConfigurationError: As for `catalog`.
    """
    return tuple(files.name for files, _ in _found(folder.resolve()))


def schemas(folder: Path) -> frozenset[str]:
    """Return the schemas of the tables in `folder` in small letters, "" for those without one.

    Raises:
        CatalogError: As for `names`.
        ConfigurationError: As for `names`.
    """
    return frozenset(schema.lower() for _, schema in _found(folder.resolve()))


def _found(folder: Path) -> list[tuple[TableFiles, str]]:
    """Return the files of each table, called as its catalog does, and its schema."""
    if not folder.is_dir():
        raise CatalogError(f"There is no folder {folder}: give one that holds Parquet files.")
    if any(character in str(folder) for character in _GLOB_CHARACTERS):
        raise CatalogError(
            f"The path {folder} has one of {_GLOB_CHARACTERS} in it, which readers of Parquet take"
            " for a pattern: rename the folder."
        )
    found: dict[str, TableFiles] = {}
    for child in sorted(folder.iterdir()):
        if child.is_dir() and "=" in child.name and next(parquet_files(child), None):
            raise CatalogError(
                f"The folder {folder} is a table ({child.name} is a part of it): name the folder"
                " above it."
            )
        source = _table(child)
        if source is None:
            continue
        other = found.setdefault(source.name.lower(), source)
        if other is not source:
            raise CatalogError(
                f"Table '{source.name}' is there twice ({other.parquet} and {source.parquet}):"
                " rename or remove one."
            )
    if not found:
        raise CatalogError(
            f"The folder {folder} holds no Parquet: a table is a file such as customer.parquet,"
            " or a folder with Parquet files."
        )
    schemas = {each.name: _schema(each.name) for each in found.values()}
    unique = unique_names((schema, own_name(name, schema)) for name, schema in schemas.items())
    tables = []
    for each in found.values():
        schema = schemas[each.name]
        own = own_name(each.name, schema)
        # Two dots do not tell which is the schema's: such a table is called as its file, too.
        name = each.name if "." in own else unique[schema, own]
        tables.append((replace(each, name=name), schema))
    return tables


def _schema(name: str) -> str:
    """Return the schema of a file or folder that is called ``schema.table``; "" without one.

    Further dots are the table's.
    """
    schema, _, own = name.partition(".")
    return schema if own and not own.startswith(".") else ""


def _table(path: Path) -> TableFiles | None:
    """Return the table that `path` is, if it is one."""
    if is_hidden(path.name):
        return None
    if not path.is_dir():
        if not is_parquet(path.name):
            return None
        refuse_pipe(path)
        _refuse_pattern(path, path.parent)
        return TableFiles(name=path.stem, parquet=path, files=(path,))
    # Each disk has a closed lost+found.
    files = [] if is_closed(path) else sorted(parquet_files(path))
    if not files:
        return None
    for file in files:
        _refuse_pattern(file, path.parent)
    keys = partition_keys(path.name, path, files)
    if keys:
        return TableFiles(name=path.name, parquet=path, files=tuple(files), partition_keys=keys)
    return TableFiles(name=path.name, parquet=path / _pattern(path), files=tuple(files))


def _refuse_pattern(file: Path, folder: Path) -> None:
    """Refuse a file that is read as a pattern, which would be another file, for its name.

    Raises:
        CatalogError: Its name has such a character, or the name of a folder between the two.
    """
    if _PATTERN & set(str(file.relative_to(folder))):
        raise CatalogError(
            f"The path {file} has one of {''.join(sorted(_PATTERN))} in it, which readers of"
            " Parquet take for a pattern: rename it."
        )


def _pattern(folder: Path) -> str:
    """Return the pattern of the files of Parquet in a folder that are not hidden."""
    names = [each.name for each in folder.iterdir() if is_parquet(each.name)]
    start = "[!._]*" if any(map(is_hidden, names)) else "*"
    return start + (".parquet" if all(n.endswith(".parquet") for n in names) else _ANY_CASE)
