"""A catalog from a user's folder of Parquet: a file or a folder for each table."""

import hashlib
from dataclasses import replace
from pathlib import Path

from workloads.catalog import Catalog
from workloads.errors import CatalogError
from workloads.measuring.measured import measured
from workloads.measuring.table_files import TableFiles
from workloads.progress import Progress
from workloads.schema_names import own_name, unique_names
from workloads.sources.partitions import is_hidden, partition_keys

_GLOB_CHARACTERS = "*?[]{}"


def catalog(folder: Path, *, cache: Path, progress: Progress) -> Catalog:
    """Return the tables in `folder`: ``customer.parquet``, or ``customer/`` with several files.

    ``crm.customer.parquet`` is a table of the schema `crm`, and so is ``crm.old.customer.parquet``:
    statements may write it ``crm."old.customer"`` or ``"crm.old.customer"``. The files may lie in
    folders that are called after values of a column, such as ``year=2024``.

    What is measured is remembered in `cache`; nothing is written into `folder`.

    Raises:
        CatalogError: The folder is missing or holds no Parquet, a file is damaged, a table is
            there twice, or none of its columns can be carried.
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
    """
    return tuple(files.name for files, _ in _found(folder.resolve()))


def schemas(folder: Path) -> frozenset[str]:
    """Return the schemas of the tables in `folder` in small letters, "" for those without one.

    Raises:
        CatalogError: As for `names`.
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
        if child.is_dir() and "=" in child.name and next(child.rglob("*.parquet"), None):
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
    if path.is_file() and path.suffix == ".parquet":
        return TableFiles(name=path.stem, parquet=path, files=(path,))
    if not path.is_dir():
        return None
    found = sorted(file for file in path.rglob("*.parquet") if file.is_file())
    files = [file for file in found if not any(map(is_hidden, file.relative_to(path).parts))]
    if not files:
        return None
    keys = partition_keys(path.name, path, files)
    if keys:
        return TableFiles(name=path.name, parquet=path, files=tuple(files), partition_keys=keys)
    pattern = "*.parquet" if len(files) == len(found) else "[!._]*.parquet"
    return TableFiles(name=path.name, parquet=path / pattern, files=tuple(files))
