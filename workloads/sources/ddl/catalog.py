"""A catalog from DDL: tables with their columns and keys, without data."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workloads.catalog import Catalog
from workloads.definition import Definition
from workloads.errors import CatalogError, ConfigurationError, SqlError
from workloads.progress import Progress
from workloads.sources.ddl.dialect import detect
from workloads.sources.ddl.drafts import Drafts
from workloads.sources.ddl.dumps import Dump, plain_sql
from workloads.sources.ddl.row_counts import BESIDE, row_counts
from workloads.sources.longest import lines_of
from workloads.sql.ddl.table_definitions import definition
from workloads.sql.parsing.split import Statement, refuse_unknown_dialect, split_statements
from workloads.workload import Query, Skipped

_ROWS = re.compile(r"(?im)^[ \t]*--[ \t]*rows[ \t]*:[ \t]*(.*?)[ \t\r]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Definitions:
    """The result of DDL: a catalog, the SQL that it was read as, and unknown facts.

    `assumed_rows` names the tables whose rows nothing tells; they are taken as
    `drafts.DEFAULT_ROWS`. `skipped` are the statements that could not be understood.
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
        ConfigurationError: A path is missing or holds no SQL, the dialect is unknown, or a line or
            statement is too long.
        CatalogError: No table is defined, one is defined twice, or row counts are not readable.
        SqlError: A file is not UTF-8, or a string or comment in it does not end.
    """
    files = [file for path in paths for file in _files(path)]
    if dialect is not None:
        refuse_unknown_dialect(dialect)
    with progress.task("Reading DDL", 2 * len(files)) as task:
        dumps: dict[Path, Dump] = {}
        for file in files:
            dumps[file] = _dump(file)
            task.advance()
        spoken = dialect or detect([dump.sql for dump in dumps.values()])
        drafts, skipped = Drafts(spoken), list[Skipped]()
        for file, dump in dumps.items():
            for statement in _statements(file, dump, spoken, is_detected=dialect is None):
                skipped += _take(drafts, statement, file, spoken)
            drafts.count(dump.rows)
            task.advance()
    if rows is not None:
        drafts.count(_known(row_counts(rows), drafts, rows))
    else:
        # A file beside may count the tables of other DDL too.
        for beside in _beside(paths):
            drafts.count(row_counts(beside))
    tables = drafts.tables()
    skipped += drafts.skipped
    if not tables and not skipped:
        raise CatalogError(
            f"There is no CREATE TABLE in {', '.join(map(str, paths))}: name DDL, or a folder of"
            " Parquet, as the catalog."
        )
    name = paths[0].stem if len(paths) == 1 else f"{paths[0].stem} and {len(paths) - 1} more"
    return Definitions(
        catalog=Catalog(name=name, tables=tables, views=drafts.views),
        dialect=spoken,
        assumed_rows=drafts.assumed_rows,
        skipped=tuple(skipped),
    )


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ConfigurationError(f"There is no file or folder {path}: give one that holds DDL.")
    found = sorted(file for file in path.rglob("*.sql") if file.is_file())
    if not found:
        raise ConfigurationError(f"The folder {path} holds no .sql file.")
    return found


def _dump(file: Path) -> Dump:
    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            return plain_sql(lines_of(text, file), file)
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise SqlError(
            f"byte {error.object[error.start]:#04x} is not UTF-8: convert the file to UTF-8",
            origin=str(file),
        ) from error


def _statements(
    file: Path, dump: Dump, dialect: str, *, is_detected: bool
) -> tuple[Statement, ...]:
    try:
        return split_statements(dump.sql, dialect, str(file))
    except SqlError as error:
        guess = f" (read as '{dialect}', which was detected: name the dialect)"
        reason = error.reason + guess if is_detected else error.reason
        raise SqlError(reason, origin=error.origin, line=error.line, column=error.column) from error


def _take(drafts: Drafts, statement: Statement, file: Path, dialect: str) -> list[Skipped]:
    """Apply a statement to `drafts`; what is not understood is returned."""
    query = Query(
        name=file.stem,
        sql=statement.sql,
        origin=str(file),
        line=statement.line,
        column=statement.column,
    )
    try:
        found: Definition | None = definition(query, dialect)
        if found is not None:
            drafts.apply(found, query, _rows(statement, query))
    except SqlError as error:
        line, column = error.line or statement.line, error.column or 1
        return [Skipped(source=str(file), line=line, column=column, reason=error.reason)]
    return []


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
    for name in counts:
        if not drafts.has(name):
            near = drafts.nearest(name)
            hint = f": did you mean '{near}'?" if near else ""
            raise CatalogError(f"{file} counts the rows of '{name}', which no DDL defines{hint}")
    return counts
