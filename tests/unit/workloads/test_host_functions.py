"""Text of a workload that reaches the host is refused by name; tables may be called anything."""

import pytest

from tests.catalogs import table
from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.progress import Silent
from workloads.sql import footprint
from workloads.sql.statements import understand
from workloads.workload import Query, Workload

CALLS = [
    ("spark", "reflect('java.lang.System', 'exit', '1')", "reflect"),
    ("spark", "`java_method`('java.lang.System', 'load', 'x')", "java_method"),
    ("spark", "try_reflect('java.lang.System', 'exit')", "try_reflect"),
    ("duckdb", "getenv('PG_PASSWORD')", "getenv"),
    ("duckdb", "\"GetEnv\"('PG_PASSWORD')", "getenv"),
    ("duckdb", "list_transform(['PG_PASSWORD'], name -> getenv(name))", "getenv"),
    ("duckdb", "'PG_PASSWORD'.getenv()", "getenv"),
    ("postgres", "pg_read_file('/etc/passwd')", "pg_read_file"),
    ("postgres", "pg_catalog.pg_read_file('/etc/passwd')", "pg_read_file"),
    ("postgres", '"pg_catalog"."pg_read_binary_file"(\'/etc/passwd\')', "pg_read_binary_file"),
    ("postgres", "pg_ls_dir('/')", "pg_ls_dir"),
    ("postgres", "lo_import('/etc/passwd')", "lo_import"),
    ("postgres", "lo_export(1, '/tmp/x')", "lo_export"),
    ("postgres", "query_to_xml('SELECT 1', true, true, '')", "query_to_xml"),
    ("mysql", "LOAD_FILE('/etc/passwd')", "load_file"),
    ("oracle", "utl_http.request('http://host')", "utl_http"),
]
FUNCTIONS_IN_FROM = [
    ("duckdb", "read_text('/etc/passwd')", "read_text"),
    ("duckdb", "read_blob('/etc/passwd')", "read_blob"),
    ("duckdb", "read_csv('/etc/passwd')", "read_csv"),
    ("duckdb", "\"read_csv_auto\"('/etc/passwd')", "read_csv_auto"),
    ("duckdb", "read_parquet(['x.parquet'])", "read_parquet"),
    ("duckdb", "parquet_scan('x.parquet')", "parquet_scan"),
    ("duckdb", "parquet_metadata('x.parquet')", "parquet_metadata"),
    ("duckdb", "read_json_auto('x.json')", "read_json_auto"),
    ("duckdb", "glob('*')", "glob"),
    ("duckdb", "sniff_csv('x.csv')", "sniff_csv"),
    ("duckdb", "query('FROM x')", "query"),
    ("duckdb", "query_table('x.csv')", "query_table"),
    ("postgres", "dblink('host=x', 'SELECT 1') AS d(a int)", "dblink"),
    ("postgres", "pg_catalog.pg_ls_dir('/') AS d", "pg_ls_dir"),
    ("clickhouse", "url('http://host')", "url"),
]


@pytest.fixture
def tables():
    found = (table("t", 10, {"x": "INTEGER"}), table("read_text", 10, {"glob": "INTEGER"}))
    return Catalog(name="tables", tables={each.name: each for each in found})


def refused(sql, dialect, catalog):
    """Return the name in the error, which is in the statement's second line."""
    query = Query(name="q", sql=sql, origin="q.sql")
    with pytest.raises(SqlError, match="of the host") as raised:
        footprint(query, catalog, dialect)
    assert raised.value.line == 2
    return raised.value.reason.partition(" ")[0].removesuffix("()")


@pytest.mark.parametrize(("dialect", "call", "name"), CALLS)
def test_a_call_is_refused_wherever_it_stands(tables, dialect, call, name):
    for sql in (
        f"SELECT x,\n{call} FROM t",
        f"SELECT x FROM t WHERE x IN (SELECT x FROM t WHERE\nCASE WHEN x = 1 THEN {call} END = '')",
        f"WITH c AS (SELECT\nmax({call}) AS y FROM t GROUP BY x) SELECT y FROM c",
    ):
        assert refused(sql, dialect, tables) == name


@pytest.mark.parametrize(("dialect", "call", "name"), FUNCTIONS_IN_FROM)
def test_a_function_in_from_is_refused_wherever_it_stands(tables, dialect, call, name):
    for sql in (
        f"SELECT 1 FROM t,\n{call}",
        f"SELECT x FROM t WHERE EXISTS (SELECT 1 FROM\n{call})",
    ):
        assert refused(sql, dialect, tables) == name


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("mysql", "SELECT x FROM t\nINTO OUTFILE '/tmp/x'"),
        ("mysql", "SELECT x\nINTO DUMPFILE '/tmp/x' FROM t"),
        ("postgres", "COPY (SELECT x FROM t) TO\nPROGRAM 'cat'"),
        ("postgres", "COPY t FROM\nPROGRAM 'ls'"),
        ("duckdb", "CREATE VIEW v AS SELECT * FROM\nread_text('/etc/passwd')"),
        ("duckdb", "INSERT INTO t SELECT x FROM\nread_csv('/etc/passwd')"),
    ],
)
def test_statements_that_write_are_refused_too(tables, dialect, sql):
    query = Query(name="q", sql=sql, origin="q.sql")
    found = understand(Workload(name="w", dialect=dialect, queries=(query,)), tables, Silent())
    assert found.footprints == ()
    assert [(each.kind, each.line) for each in found.skipped] == [("invalid", 2)]
    assert "of the host" in found.skipped[0].reason


@pytest.mark.parametrize("file", ["'/etc/passwd.csv'", '"/etc/passwd.csv"'])
def test_a_file_is_no_table(tables, file):
    query = Query(name="q", sql=f"SELECT * FROM {file}", origin="q.sql")
    with pytest.raises(SqlError, match="unknown table"):
        footprint(query, tables, "duckdb")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT r.glob FROM read_text AS r",
        "SELECT read_text.glob FROM read_text WHERE 'read_csv(x)' <> ''",
        "SELECT r.read_csv FROM (SELECT t.glob FROM read_text AS t) AS r(read_csv)",
    ],
)
def test_tables_and_columns_may_have_the_names(tables, sql):
    found = footprint(Query(name="q", sql=sql, origin="q.sql"), tables, "duckdb")
    assert found.tables == {"read_text"}


@pytest.mark.parametrize(
    ("sql", "system", "kind"),
    [
        ("SELECT pg_reload_conf()", "postgres", "maintenance"),
        ("SELECT pg_terminate_backend(pid) FROM pg_stat_activity", "postgres", "maintenance"),
        ("SELECT count(*) FROM pg_catalog.pg_ls_dir('.') AS d", "postgres", "maintenance"),
        # Nobody says that a server ran it, it reads a table of the users', or it reads a file.
        ("SELECT pg_reload_conf()", "", "invalid"),
        ("SELECT pg_terminate_backend(x) FROM t", "postgres", "invalid"),
        ("SELECT pg_read_file('/etc/passwd')", "postgres", "invalid"),
    ],
)
def test_what_administrators_ask_of_a_server_is_maintenance_in_its_log(tables, sql, system, kind):
    query = Query(name="q", sql=sql, origin="q.csv", system=system)
    found = understand(Workload(name="w", dialect="postgres", queries=(query,)), tables, Silent())
    assert [each.kind for each in found.skipped] == [kind]
    assert (found.footprints, found.passed_through) == ((), ())
