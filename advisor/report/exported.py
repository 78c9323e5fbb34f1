"""The files that `export` wrote: a job, and catalogs for a Trino with instructions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from evaluation.engines.trino_catalogs import TrinoCatalog


def trino_text(folder: Path, catalogs: Sequence[TrinoCatalog], plugin: Path | None) -> Text:
    """Say where the files are, which passwords Trino needs, and how it becomes the engine.

    `plugin` is the folder of our connector, None where no catalog needs it.
    """
    names = " ".join(str(folder / catalog.file_name) for catalog in catalogs)
    lines = [
        f"Written: {names}",
        "Copy the files into etc/catalog of your Trino, then start it with the passwords:",
    ]
    if plugin is not None:
        lines.insert(1, f"Copy the folder {plugin} into plugin of your Trino (476).")
    for catalog in catalogs:
        if catalog.variable is not None:
            value = "…" if catalog.password_file is None else f'"$(cat {catalog.password_file})"'
            lines.append(f"  export {catalog.variable}={value}")
    lines += [
        "Trino opens a file of DuckDB for itself: give it a copy if the advisor is to run beside.",
        "Then set [evaluate.trino] url = 'http://host:8080' and use --engine trino.",
    ]
    return Text("\n".join(lines))


def export_document(
    job: Path | None, folder: Path | None, catalogs: Sequence[TrinoCatalog] | None
) -> Mapping[str, Any]:
    """Return what `export` prints; None stands for what was not asked for."""
    trino = None
    if catalogs is not None:
        trino = {
            "folder": str(folder),
            "files": [catalog.file_name for catalog in catalogs],
            "passwords": {
                catalog.variable: catalog.password_file and str(catalog.password_file)
                for catalog in catalogs
                if catalog.variable is not None
            },
        }
    return {"job": None if job is None else str(job), "trino": trino}
