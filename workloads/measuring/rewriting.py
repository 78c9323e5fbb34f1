"""Plain Parquet, which DuckDB, Arrow and Spark read alike, of a table whose own is none."""

import os
import shutil
from pathlib import Path

import duckdb

from workloads.duck import literal
from workloads.errors import SetUpError
from workloads.measuring.table_files import TableFiles
from workloads.progress import Progress
from workloads.whole_files import unfinished

FORM = 1
"""Changes with the form of any value: what was written in an older one is then written anew."""


def rewrite(
    connection: duckdb.DuckDBPyConnection,
    source: TableFiles,
    rows: str,
    path: Path,
    progress: Progress,
) -> None:
    """Write the query `rows` over the files of `source` to `path`, beside its place and renamed.

    Raises:
        SetUpError: The disk is full, or has fewer bytes left than the files have.
    """
    _refuse_small_disk(source, path.parent)
    fresh = unfinished(path)
    try:
        with progress.task(f"Writing table '{source.name}' as plain Parquet"):
            connection.execute(f"COPY ({rows}) TO {literal(fresh)} (FORMAT parquet)")
            with fresh.open("rb") as stream:
                os.fsync(stream.fileno())
            fresh.replace(path)
    except OSError as error:
        raise SetUpError(
            f"{path} cannot be written ({error.strerror}): free space or permit writing there, or"
            " choose another cache folder."
        ) from error
    finally:
        fresh.unlink(missing_ok=True)


def _refuse_small_disk(source: TableFiles, folder: Path) -> None:
    needed = sum(file.stat().st_size for file in source.files)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise SetUpError(
            f"Table '{source.name}' is written as plain Parquet, which needs about"
            f" {needed / 1e9:.1f} GB in {folder}; it has {free / 1e9:.1f} GB free: free space or"
            " choose another cache folder."
        )
