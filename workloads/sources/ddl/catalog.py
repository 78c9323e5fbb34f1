"""A catalog from DDL: tables with their columns and keys, without data."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from workloads.catalog import Catalog, View
from workloads.definition import Definition, TableDefinition, TableName, table_name
from workloads.errors import CatalogError, ConfigurationError, SqlError
from workloads.measuring.table_files import is_closed, paths_below
from workloads.problems import Problems
from workloads.progress import Progress, Task
from workloads.search_path import RolePath, SearchPath
from workloads.sources.ddl.dialect import detect
from workloads.sources.ddl.drafts import Drafts
from workloads.sources.ddl.dumps import Defining, Dump, read_dump
from workloads.sources.ddl.row_counts import BESIDE, row_counts
from workloads.sources.dumps.starts import banner, database
from workloads.sources.logs.blocks import blocks
from workloads.sources.logs.files import is_packed
from workloads.sql.ddl.kept_paths import kept_path
from workloads.sql.ddl.table_definitions import definition
from workloads.sql.parsing.kinds import is_system_table
from workloads.sql.parsing.lexis import lexis
from workloads.sql.parsing.split import Statement, refuse_unknown_dialect, split_statements
from workloads.workload import Query, Skipped

_ROWS = re.compile(r"(?im)^[ \t]*--[ \t]*rows[ \t]*:[ \t]*(.*?)[ \t\r]*$")
_FUNCTION = re.compile(
    r"\s*(?:CREATE\s+(?:OR\s+REPLACE\s+)?(?:DEFINER\s*=\s*\S+\s+)?(?:AGGREGATE\s+)?"
    r"(?:FUNCTION|AGGREGATE)\s+(?:IF\s+NOT\s+EXISTS\s+)?"
    # mysqldump and mariadb-dump write it before each function, whose own text is a program.
    r"|DROP\s+FUNCTION\s+IF\s+EXISTS\s+)"
    r"(?:[^\s(.]+\s*\.\s*)?(?P<name>[`\"][^`\"]+[`\"]|\w+)",
    re.IGNORECASE,
)
_KEEPS = re.compile(r"(?i)\s*alter\s+(?:role|user|database)\b.*\b(?:search_path|all)\b")
_NAMES = (".sql", ".sql.gz", ".sql.zst")
# Looked at for the dialect, whose rules part data from text; it is detected again from all text.
_HEAD_BYTES = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Definitions:
    """The result of DDL: a catalog, the SQL that it was read as, and unknown facts.

    `dialect` is that of most files. `assumed_rows` names the tables whose rows nothing tells; they
    are taken as `drafts.DEFAULT_ROWS`. `skipped` are the statements that could not be understood.
    """

    catalog: Catalog
    dialect: str
    assumed_rows: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()


def definitions(
    paths: Sequence[Path],
    progress: Progress,
    *,
    dialect: str | None = None,
    rows: Path | None = None,
) -> Definitions:
    """Return the tables and views that files and folders of ``.sql`` define, in that order.

    Rows are those of the file `rows` (``statistics.csv`` or ``rows.csv`` beside the DDL unless
    given), else of the comment ``-- rows: 1_500_000`` before a table, else of the data in the
    dump. Without `dialect` it is detected.

    Raises:
        ConfigurationError: A path is missing or holds no SQL, the dialect is unknown, or the
            definitions of a file are too long.
        CatalogError: No table is defined, one is defined twice, or row counts are not readable.
        SqlError: A file is not UTF-8, or a string or comment in it does not end.
    """
    files = [file for path in paths for file in _files(path)]
    if dialect is not None:
        refuse_unknown_dialect(dialect)
    dumps = _dumps(files, dialect, progress)
    dialects = _dialects(dumps, dialect)
    drafts = Drafts()
    skipped, kept = _drafted(drafts, dumps, dialects, progress, is_detected=dialect is None)
    if rows is not None:
        drafts.count(_named(_known(row_counts(rows), drafts, rows)))
    else:
        # A file beside may count the tables of other DDL too.
        for beside in _beside(paths):
            drafts.count(_named(row_counts(beside)))
    tables = drafts.tables()
    skipped += drafts.skipped
    if not tables and not skipped:
        raise CatalogError(
            f"There is no CREATE TABLE in {', '.join(map(str, paths))}: name DDL, or a folder of"
            " Parquet, as the catalog."
        )
    name = paths[0].stem if len(paths) == 1 else f"{paths[0].stem} and {len(paths) - 1} more"
    return Definitions(
        catalog=Catalog(
            name=name,
            tables=tables,
            views=drafts.views,
            functions=_functions(dumps.values()),
            search_paths=kept,
        ),
        dialect=Counter(dialects.values()).most_common(1)[0][0],
        assumed_rows=drafts.assumed_rows,
        skipped=tuple(skipped),
    )


def _drafted(
    drafts: Drafts,
    dumps: Mapping[Path, Dump],
    dialects: Mapping[Path, str],
    progress: Progress,
    *,
    is_detected: bool,
) -> tuple[list[Skipped], dict[RolePath, SearchPath]]:
    """Draft what files define; return what was skipped, and the search paths that they keep."""
    skipped: list[Skipped] = []
    kept: dict[RolePath, SearchPath] = {}
    with progress.task("Reading definitions", len(dumps)) as task:
        for file, dump in dumps.items():
            drafts.begin(dialects[file], dump.schema, dump.program or "")
            defined: list[TableName] = []
            for each in dump.definitions:
                for statement in _statements(file, each, drafts.dialect, is_detected=is_detected):
                    skipped += _take(drafts, statement, file, defined)
                    _keep(kept, statement.sql, drafts.dialect)
            drafts.count(dump.rows, in_dump=True)
            drafts.count(dict.fromkeys(dump.empty(defined), 0), in_dump=True)
            task.advance()
    return skipped, kept


def _functions(dumps: Iterable[Dump]) -> frozenset[str]:
    """Return the names of the functions that files define."""
    defined = (_FUNCTION.match(each.sql) for dump in dumps for each in dump.definitions)
    return frozenset(found["name"].strip('`"').lower() for found in defined if found)


def _dialects(dumps: Mapping[Path, Dump], dialect: str | None) -> Mapping[Path, str]:
    """Return file → the SQL that it is read as: a dump says whose it is, others are alike."""
    others = [each for each in dumps.values() if each.program is None]
    spoken = dialect or detect([text for each in others for text in each.texts()])
    return {file: dialect or dump.program or spoken for file, dump in dumps.items()}


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ConfigurationError(f"There is no file or folder {path}: give one that holds DDL.")
    # A server's data may lie beside the DDL, in a folder that is closed to us.
    below = paths_below(path, is_closed, once=True)
    found = sorted(each for each in below if each.name.lower().endswith(_NAMES) and each.is_file())
    if not found:
        raise ConfigurationError(f"The folder {path} holds no .sql file.")
    return found


def _dumps(files: Sequence[Path], dialect: str | None, progress: Progress) -> dict[Path, Dump]:
    """Return the definitions in files, each read once; shown are bytes, where they are known."""
    known = not any(map(is_packed, files))
    total = sum(file.stat().st_size for file in files) if known else None
    found: dict[Path, Dump] = {}
    with progress.task("Reading DDL", total) as task:
        for file in files:
            found[file] = _dump(file, dialect, task)
    return found


def _dump(file: Path, dialect: str | None, task: Task) -> Dump:
    """Read a file by the rules of its dialect, or of the one that its start is most likely in."""
    parts = blocks(file)
    first = next(parts, b"")
    spoken = dialect or banner(first) or detect([first[:_HEAD_BYTES].decode(errors="replace")])
    try:
        shown = _shown(chain((first,), parts), task)
        found = read_dump(shown, lexis(spoken), str(file), schema=database(first))
    except SqlError as error:
        raise _guessed(error, spoken, is_detected=dialect is None) from error
    return replace(found, program=banner(first))


def _shown(parts: Iterable[bytes], task: Task) -> Iterator[bytes]:
    for part in parts:
        yield part
        task.advance(len(part))


def _guessed(error: SqlError, dialect: str, *, is_detected: bool) -> SqlError:
    if not is_detected or "does not end" not in error.reason:
        return error
    guess = f" (read as '{dialect}', which was detected: name the dialect)"
    return SqlError(error.reason + guess, origin=error.origin, line=error.line, column=error.column)


def _statements(
    file: Path, defining: Defining, dialect: str, *, is_detected: bool
) -> Iterator[Statement]:
    """Yield the statements of a definition, which are several where no semicolon parts them."""
    before = defining.before
    try:
        for each in split_statements(defining.sql, dialect, str(file)):
            line, column = _place(defining, each.line, each.column)
            yield replace(each, line=line, column=column, comment=before or each.comment)
            before = ""
    except SqlError as error:
        line, column = _place(defining, error.line or 1, error.column or 1)
        placed = SqlError(error.reason, origin=error.origin, line=line, column=column)
        raise _guessed(placed, dialect, is_detected=is_detected) from error


def _place(defining: Defining, line: int, column: int) -> tuple[int, int]:
    """Return the place in the file of a place in a definition."""
    return defining.line + line - 1, column + (defining.column - 1 if line == 1 else 0)


def _take(
    drafts: Drafts, statement: Statement, file: Path, defined: list[TableName]
) -> list[Skipped]:
    """Apply a statement to `drafts`; what is not understood is returned.

    A table that it defines, whose rows are not elsewhere, is added to `defined`.
    """
    query = Query(
        name=file.stem,
        sql=statement.sql,
        origin=str(file),
        line=statement.line,
        column=statement.column,
    )
    try:
        found: Definition | None = definition(query, drafts.dialect)
        if isinstance(found, TableDefinition | View) and _is_system(drafts, found):
            return []
        if found is not None:
            drafts.apply(found, query, _rows(statement, query))
        if isinstance(found, TableDefinition) and not found.is_foreign and found.query is None:
            defined.append(TableName(found.name, found.schema or drafts.schema))
    except SqlError as error:
        line, column = error.line or statement.line, error.column or 1
        return [Skipped(source=str(file), line=line, column=column, reason=error.reason)]
    return []


def _is_system(drafts: Drafts, found: TableDefinition | View) -> bool:
    """Tell whether a dump of all databases defines one of the server's own tables."""
    schema = found.schema or drafts.schema
    return drafts.system == "mysql" and is_system_table(f"{schema}.{found.name}")


def _keep(kept: dict[RolePath, SearchPath], sql: str, dialect: str) -> None:
    """Take note of the search path that a statement sets or resets for sessions."""
    found = kept_path(Query(name="", sql=sql, origin=""), dialect) if _KEEPS.match(sql) else None
    if found is not None:
        kept.pop(found.of, None)
        kept |= {} if found.path is None else {found.of: found.path}


def _rows(statement: Statement, query: Query) -> int | None:
    found = _ROWS.findall(statement.comment)
    if not found:
        return None
    text = found[-1].replace("_", "").replace(",", "")
    if text.isdecimal():
        return int(text)
    raise SqlError(
        f"'-- rows: {found[-1]}' before this statement is not a number of rows",
        origin=query.origin,
        line=query.line,
        column=1,
    )


def _beside(paths: Sequence[Path]) -> list[Path]:
    folders = dict.fromkeys(path if path.is_dir() else path.parent for path in paths)
    return [folder / name for folder in folders for name in BESIDE if (folder / name).is_file()]


def _known(counts: Mapping[str, int], drafts: Drafts, file: Path) -> Mapping[str, int]:
    """Return `counts` unless one is of a table that is not defined."""
    problems = Problems()
    for name in counts:
        if not drafts.has(name):
            near = drafts.nearest(name)
            hint = f": did you mean '{near}'?" if near else ""
            problems.add(
                CatalogError(f"{file} counts the rows of '{name}', which no DDL defines{hint}")
            )
    problems.raise_any()
    return counts


def _named(counts: Mapping[str, int]) -> Mapping[TableName, int]:
    return {table_name(text): rows for text, rows in counts.items()}
