"""Tables of Parquet as a catalog has them: measured, and rewritten where readers differ, once."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import duckdb

from workloads.catalog import Table
from workloads.duck import connect
from workloads.measuring.columns import carried_columns, described
from workloads.measuring.manifest import (
    Entry,
    FileMark,
    Manifest,
    fingerprint,
    make_folder_of,
    mark,
    read,
    rewritten_path,
    sample_path,
    write,
)
from workloads.measuring.rewriting import FORM, rewrite
from workloads.measuring.statistics import measure
from workloads.measuring.table_files import TableFiles, files_mark
from workloads.problems import Problems
from workloads.progress import Progress


def measured(
    sources: tuple[TableFiles, ...],
    manifest: Path,
    progress: Progress,
    versions: Mapping[str, str] | None = None,
) -> dict[str, Table]:
    """Return the tables of `sources` by name, measuring only what `manifest` does not hold yet.

    A table whose Parquet is not alike for all readers is written beside `manifest` as one that is.

    Raises:
        CatalogError: A file is damaged, or no column of a table can be carried.
        RefusalsError: Files of several tables are damaged.
        SetUpError: Memory or disk ran out.
    """
    # Before anything is read: what changes while it is measured has changed since.
    seen = {source.name: files_mark(source.parquet) for source in sources}
    known = read(manifest)
    old = known.entries if known else {}
    marks = {source.name: _marks(source, old.get(source.name)) for source in sources}
    entries = {
        source.name: replace(
            old[source.name],
            table=replace(old[source.name].table, primary_key=source.primary_key),
            files=marks[source.name],
        )
        for source in sources
        if source.name in old and _serves(old[source.name], manifest, source, marks[source.name])
    }
    new = [source for source in sources if source.name not in entries]
    if new:
        _refuse_unreadable(new)
        entries |= _measured_anew(new, marks, manifest, progress)
    found = Manifest(entries={s.name: entries[s.name] for s in sources}, versions=versions or {})
    if found != known:
        write(manifest, found)
    return {
        source.name: replace(
            entry.table,
            parquet=_parquet(entry, manifest, source),
            # What was rewritten is ours, and nobody changes it.
            files_mark="" if entry.is_rewritten else seen[source.name],
        )
        for source in sources
        for entry in (entries[source.name],)
    }


def _refuse_unreadable(sources: Sequence[TableFiles]) -> None:
    """Raise for all tables whose files cannot be opened, before minutes go into the others."""
    problems = Problems()
    for source in sources:
        with problems.gathering(), connect(f"reading table '{source.name}'") as connection:
            described(connection, source)
    problems.raise_any()


def _measured_anew(
    sources: Sequence[TableFiles],
    marks: Mapping[str, Mapping[str, FileMark]],
    manifest: Path,
    progress: Progress,
) -> dict[str, Entry]:
    size = {source.name: sum(m.bytes for m in marks[source.name].values()) for source in sources}
    entries = {}
    with (
        progress.task("Measuring tables", sum(size.values())) as task,
        connect("measuring tables", scratch=manifest.parent) as connection,
    ):
        for source in sources:
            entries[source.name] = _entry(
                connection, source, marks[source.name], manifest, progress
            )
            task.advance(size[source.name])
    return entries


def _entry(
    connection: duckdb.DuckDBPyConnection,
    source: TableFiles,
    files: Mapping[str, FileMark],
    manifest: Path,
    progress: Progress,
) -> Entry:
    """Measure a table, and write it first where its files do not serve as they are."""
    carried = carried_columns(connection, source)
    is_rewritten = carried.rows is not None
    contents = _contents(source, files, is_rewritten=is_rewritten)
    if carried.rows is not None:
        path = rewritten_path(manifest, source.name, contents)
        make_folder_of(path)
        rewrite(connection, source, carried.rows, path, progress)
        source = replace(source, parquet=path, files=(path,), partition_keys=())
    sample = sample_path(manifest, source.name, contents)
    make_folder_of(sample)
    table = measure(connection, source, contents, sample, carried.columns)
    return Entry(table=table, files=files, is_rewritten=is_rewritten)


def _serves(
    entry: Entry, manifest: Path, source: TableFiles, files: Mapping[str, FileMark]
) -> bool:
    """Whether a table has the contents that were measured, and all that was made of it."""
    contents = _contents(source, files, is_rewritten=entry.is_rewritten)
    return (
        entry.table.fingerprint == contents
        and entry.table.sample is not None
        and (not entry.is_rewritten or _parquet(entry, manifest, source).is_file())
    )


def _parquet(entry: Entry, manifest: Path, source: TableFiles) -> Path:
    if entry.is_rewritten:
        return rewritten_path(manifest, source.name, entry.table.fingerprint)
    return source.parquet


def _marks(source: TableFiles, old: Entry | None) -> dict[str, FileMark]:
    known: Mapping[str, FileMark] = old.files if old else {}
    places = {source.place(file): file for file in source.files}
    return {place: mark(file, known.get(place)) for place, file in places.items()}


def _contents(source: TableFiles, files: Mapping[str, FileMark], *, is_rewritten: bool) -> str:
    """Return one text for a table's contents, and the form in which copies of it are made."""
    found = fingerprint(list(files.values()))
    if source.partition_keys:
        placed = "".join(f"{place}\n{files[place].sha256}\n" for place in sorted(files))
        found = hashlib.sha256(placed.encode(errors="surrogateescape")).hexdigest()
    return hashlib.sha256(f"{found} {FORM}".encode()).hexdigest() if is_rewritten else found
