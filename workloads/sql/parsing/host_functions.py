"""Access to the host from SQL: refused, as a workload runs with the advisor's rights.

A table or column may have any of these names.
"""

import re
from collections.abc import Iterator, Sequence
from fnmatch import translate
from itertools import pairwise

from sqlglot import Token, TokenType, exp

from workloads.sql.parsing.door import error_at
from workloads.workload import Query

HOST_FUNCTIONS = (
    # DuckDB: files, SQL in strings, the environment, other databases.
    *("read_*", "glob", "sniff_csv", "parquet_*", "arrow_scan*", "st_read*", "st_drivers"),
    *("query", "query_table", "getenv", "which_secret", "duckdb_secrets", "load_aws_credentials"),
    *("sqlite_*", "postgres_*", "mysql_*", "delta_scan", "iceberg_*", "json_execute_*"),
    # Spark: any static method of Java.
    *("reflect", "java_method", "try_reflect"),
    # PostgreSQL: files, large objects, SQL in strings, other servers, and its own process.
    *("pg_read_*", "pg_ls_*", "pg_stat_file", "pg_file_*", "pg_logdir_ls", "pg_current_logfile"),
    *("lo_import", "lo_export", "dblink*", "query_to_xml*", "cursor_to_xml*", "pg_reload_conf"),
    *("pg_terminate_backend", "pg_cancel_backend", "pg_rotate_logfile*"),
    # MySQL, and its best-known library of functions.
    *("load_file", "sys_exec", "sys_eval", "sys_get", "sys_set"),
    # SQLite, T-SQL, Oracle, BigQuery, ClickHouse.
    *("readfile", "writefile", "load_extension", "fts3_tokenizer", "openrowset", "opendatasource"),
    *("openquery", "xp_*", "utl_*", "dbms_*", "httpuritype", "external_query", "file", "url"),
    *("filecluster", "urlcluster", "s3", "s3cluster", "hdfs", "remote", "remotesecure"),
    *("executable", "jdbc", "odbc", "mysql", "postgresql", "mongodb", "redis", "sqlite"),
)
"""Functions that read, write, call or connect, in small letters; ``*`` is any rest of a name."""

_HOST_FUNCTION = re.compile("|".join(map(translate, HOST_FUNCTIONS)))
_PACKAGES = re.compile(r"(?:utl|dbms)_\w+", re.IGNORECASE)
"""Oracle's, of which every function is one."""
_FILE_WORDS = frozenset({"OUTFILE", "DUMPFILE", "PROGRAM"})
_STRINGS = frozenset(
    {
        *(TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.BYTE_STRING),
        *(TokenType.RAW_STRING, TokenType.UNICODE_STRING, TokenType.HEREDOC_STRING),
    }
)
_REASON = "reaches the files, processes or connections of the host, which no workload may: leave it"


def refuse_host_files(query: Query, tokens: Sequence[Token]) -> None:
    """Refuse ``INTO OUTFILE '…'`` and ``COPY … PROGRAM '…'``, which are no functions.

    Raises:
        SqlError: The statement has one.
    """
    for word, after in pairwise(tokens):
        name = word.text.upper()
        if name in _FILE_WORDS and after.token_type in _STRINGS and word.token_type not in _STRINGS:
            raise error_at(query, word.start, f"{name} {_REASON} out")


def refuse_host_functions(query: Query, tree: exp.Expr, tokens: Sequence[Token]) -> None:
    """Refuse functions that reach the host, wherever they stand and however they are written.

    Raises:
        SqlError: The statement calls one.
    """
    for name in _called(tree):
        if _HOST_FUNCTION.match(name.lower()):
            start = next((each.start for each in tokens if each.text.lower() == name.lower()), 0)
            raise error_at(query, start, f"{name.lower()}() {_REASON} out")


def refuse_host_calls(query: Query, tokens: Sequence[Token]) -> None:
    """Refuse functions that reach the host in a text that does not parse.

    Raises:
        SqlError: A name before a parenthesis is one.
    """
    for word, after in pairwise(tokens):
        if after.token_type is TokenType.L_PAREN:
            name = word.text.lower()
            if _HOST_FUNCTION.match(name):
                raise error_at(query, word.start, f"{name}() {_REASON} out")


def _called(tree: exp.Expr) -> Iterator[str]:
    """Yield the names of the functions that a statement calls, and of their packages."""
    for call in tree.find_all(exp.Func):
        yield call.name if isinstance(call, exp.Anonymous) else call.sql_names()[0]
        package = call.parent.this if isinstance(call.parent, exp.Dot) else None
        if isinstance(package, exp.Expr) and _PACKAGES.fullmatch(package.name):
            yield package.name
