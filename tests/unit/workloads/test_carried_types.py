"""Columns whose type the stores lack are carried as another type, without any value lost."""

import decimal
from contextlib import closing

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet as arrow_parquet

from evaluation.bulk.row_groups import row_group_parts
from evaluation.bulk.tab_separated import NULL, encode
from evaluation.judging.oracle import Oracle
from evaluation.kinds import BACKENDS
from workloads.catalog import Table
from workloads.errors import CatalogError, SetUpError
from workloads.measuring.columns import best_ways
from workloads.progress import Silent
from workloads.sources import parquet
from workloads.workload import Query

NINES = "9" * 38
AS_TEXT = (
    ("UUID", "'00000000-0000-0000-0000-000000000000'", "'FFFFFFFF-0000-4000-8000-12345678ABCD'"),
    ("TIME", "'00:00:00'", "'01:02:03.5'", "'23:59:59.999999'", "'24:00:00'"),
    ("TIME_NS", "'00:00:00'", "'01:02:03.000000001'", "'23:59:59.999999999'", "'24:00:00'"),
    (
        "TIMETZ",
        "'00:00:00+00'",
        "'01:02:03.5-15:59:59'",
        "'23:59:59.999999+15'",
        "'24:00:00+02:30'",
    ),
    ("INTERVAL", "'0 days'", "'-1 month 3 days -2 hours'", "'-00:00:00.000001'"),
    ("INTERVAL", "'178956970 years 7 months'", "'14 months -400 days 25 hours'"),
    ("BIT", "'0'", "'1'", "'000101'", f"'{'10' * 40}'"),
    ("BIGNUM", "'0'", f"'-{NINES}{NINES}'", f"'{NINES}{NINES}'"),
    ("HUGEINT", "-170141183460469231731687303715884105728", "0"),
    ("UHUGEINT", "340282366920938463463374607431768211455", "0"),
    ("TIMESTAMP_NS", "'1677-09-22 00:00:00.000000001'", "'2262-04-11'", "'infinity'"),
    ("ENUM('b', 'a')", "'b'", "'a'"),
    ("JSON", """'{"a": 1}'""", "'[]'", "'null'", """'{ "b":  0.10}'"""),
    ("INTEGER[]", "[]", "[NULL]", "[1, -2147483648, NULL]"),
    ("INTEGER[2]", "[1, 2]", "[NULL, -1]"),
    ("VARCHAR[][]", "[]", "[[]]", """[NULL, ['"', '\\', chr(0), 'é' || chr(10), '']]"""),
    ("DOUBLE[]", "[0.1::DOUBLE, 1e300, 5e-324, 'nan', '-inf']", "[]"),
    ("FLOAT[]", "[0.1::FLOAT, 16777216, 'inf']", "[]"),
    ("UUID[]", "['00000000-0000-0000-0000-000000000000']", "[]"),
    ("TIMESTAMPTZ[]", "['2024-03-10 02:30:00.000001+00', 'infinity']", "[]"),
    ("STRUCT(a INTEGER, b VARCHAR)", "{'a': 1, 'b': NULL}", "{'a': NULL, 'b': ''}"),
    ('STRUCT("a b" STRUCT(c DATE[]))', "{'a b': {'c': ['0044-03-15 (BC)']}}", "{'a b': NULL}"),
    ("MAP(VARCHAR, INTEGER[])", "MAP {}", "MAP {'': [], 'k': NULL}"),
    ("MAP(INTEGER, VARCHAR)", "MAP {-1: 'x', 2: NULL}"),
    ("UNION(n INTEGER, s VARCHAR)", "union_value(n := 1)", "union_value(s := 'x')"),
)
AS_MOMENTS = (
    ("TIMESTAMP_S", "'1970-01-01'", "'0001-01-01'", "'infinity'", "'-infinity'"),
    ("TIMESTAMP_MS", "'1969-12-31 23:59:59.999'", "'9999-12-31'", "'infinity'"),
    ("TIMESTAMP_NS", "'1677-09-22'", "'2262-04-11 23:47:16.854775'", "'infinity'", "'-infinity'"),
)
AS_NUMBERS = (("HUGEINT", f"-{NINES}", NINES, "0"), ("UHUGEINT", "0", NINES))
EVERY_FORM = (
    *((*each, "VARCHAR") for each in AS_TEXT),
    *((*each, "TIMESTAMP") for each in AS_MOMENTS),
    *((*each, "DECIMAL(38,0)") for each in AS_NUMBERS),
)
NOT_EXACT = (
    ("DECIMAL(38,10)[]", "[1234567890123456789012345678.0123456789]"),
    ("BLOB[]", "['\\xFF'::BLOB]"),
    ("MAP(INTEGER[], INTEGER)", "MAP {[1, 2]: 3}"),
    ("GEOMETRY", "'POINT (1 2)'"),
)


def write(path, sql):
    path.parent.mkdir(parents=True, exist_ok=True)
    duckdb.sql(f"COPY ({sql}) TO '{path}' (FORMAT parquet)")


def catalog(tmp_path):
    return parquet.catalog(tmp_path / "data", cache=tmp_path / "cache", progress=Silent())


def sent(table: Table) -> list[list[str]]:
    """Return the rows of a table as our loads send them."""
    names = [column.name for column in table.columns]
    files = sorted(table.parquet.parent.glob(table.parquet.name))
    parts = row_group_parts(files, names, 1_000)
    batches = [bytes(encode(batch)).decode() for part in parts for batch in part.batches(1_000)]
    return [line.split("\t") for line in "".join(batches).splitlines()]


@pytest.mark.parametrize("case", EVERY_FORM, ids=lambda case: f"{case[0]} as {case[-1]}")
def test_each_value_comes_back_from_the_form_in_which_it_is_carried(case):
    type_, *values, carried = case
    with duckdb.connect() as connection:
        connection.execute(f"SET TimeZone = 'UTC'; CREATE TABLE t (x {type_})")
        for value in (*values, "NULL"):
            connection.execute(f"INSERT INTO t VALUES ({value})")
        ((_, known, *_),) = connection.execute("DESCRIBE t").fetchall()
        way = best_ways(connection, "t", {"x": known})["x"]
        form = way.sql.replace("{}", "x")
        through = "::JSON" if known.endswith(("]", ")")) and not known.startswith("ENUM") else ""
        found = connection.execute(
            f"SELECT 1, ({form}){through}::{type_} IS NOT DISTINCT FROM x, typeof({form}) FROM t"
        ).fetchall()
    assert way.type == carried
    assert [is_back for _, is_back, _ in found] == [True] * (len(values) + 1)
    assert {shown for *_, shown in found} == {carried}


@pytest.mark.parametrize(("type_", "value"), NOT_EXACT)
def test_values_that_json_does_not_give_back_are_left_out(tmp_path, type_, value):
    write(tmp_path / "data" / "t.parquet", f"SELECT 1 AS id, CAST({value} AS {type_}) AS x")
    for _ in range(2):
        table = catalog(tmp_path).table("t")
        assert [column.name for column in table.columns] == ["id"]
        assert table.left_out["x"].startswith(type_)
        assert sent(table) == [["1"]]


def test_times_and_nanoseconds_as_text_are_in_their_order(tmp_path):
    seconds = "range * 3599.123457 + (range % 2) * 0.000001"
    write(
        tmp_path / "data" / "t.parquet",
        f"SELECT TIME '00:00' + to_seconds({seconds}) AS t,"
        " make_timestamp_ns(range * 1000000007) AS n FROM range(24)",
    )
    table = catalog(tmp_path).table("t")
    assert [(c.type, c.own_type) for c in table.columns] == [
        ("VARCHAR", "TIME"),
        ("VARCHAR", "TIMESTAMP_NS"),
    ]
    for column in table.columns:
        rows = duckdb.sql(f"SELECT {column.name} FROM '{table.parquet}'").fetchall()
        assert rows == sorted(rows)
        assert len({len(text) for (text,) in rows}) == 1


def test_a_rewritten_table_is_what_every_reader_of_it_sees(tmp_path):
    write(
        tmp_path / "data" / "t.parquet",
        "SELECT * FROM (VALUES (1::UTINYINT, TIME '10:00', [1, NULL], '0.5'::DECIMAL(9,4)),"
        " (255, NULL, NULL, NULL)) t(id, opens, tags, price)",
    )
    found = catalog(tmp_path)
    table = found.table("t")
    assert table.parquet.is_relative_to(tmp_path / "cache")
    assert {c.name: (c.type, c.own_type) for c in table.columns} == {
        "id": ("UTINYINT", ""),
        "opens": ("VARCHAR", "TIME"),
        "tags": ("VARCHAR", "INTEGER[]"),
        "price": ("DECIMAL(9,4)", ""),
    }
    assert sent(table) == [
        ["1", "10:00:00.000000", "[1,null]", "0.5000"],
        ["255", NULL, NULL, NULL],
    ]
    assert table.column("opens").width_bytes == len("10:00:00.000000") / 2
    assert all(backend.holding.lacks(table) is None for backend in BACKENDS.values())
    with closing(Oracle(found)) as oracle:
        query = Query(name="q", sql="SELECT tags FROM t WHERE id = 1", origin="q")
        assert oracle.answer(query).rows == [([1, None],)]


def test_plain_tables_are_read_as_they_are(tmp_path):
    write(
        tmp_path / "data" / "t.parquet",
        "SELECT 1::UBIGINT AS u, 'x'::BLOB AS b, '{}'::JSON AS j, now() AS z, 1.5::DECIMAL(38,2) d",
    )
    table = catalog(tmp_path).table("t")
    assert table.parquet == tmp_path / "data" / "t.parquet"
    assert {c.name: c.own_type for c in table.columns if c.own_type} == {"j": "JSON"}
    assert not list((tmp_path / "cache").rglob("*.tables"))


def arrow(tmp_path, columns, **options):
    (tmp_path / "data").mkdir()
    arrow_parquet.write_table(pa.table(columns), tmp_path / "data" / "t.parquet", **options)
    return catalog(tmp_path).table("t")


def test_categories_and_other_forms_of_text_need_no_copy(tmp_path):
    values = pa.array(["a\tb", None, "\\"])
    valid = pa.array(['"\\t"', None, "[]"])
    table = arrow(
        tmp_path,
        {
            "d": values.dictionary_encode(),
            "l": values.cast(pa.large_string()),
            "v": values.cast(pa.string_view()),
            "j": pa.ExtensionArray.from_storage(pa.json_(), valid),
        },
    )
    assert table.parquet.parent == tmp_path / "data"
    assert sent(table) == [
        ["a\\tb", "a\\tb", "a\\tb", '"\\\\t"'],
        [NULL] * 4,
        ["\\\\", "\\\\", "\\\\", "[]"],
    ]


def test_moments_of_96_bits_keep_years_that_nanoseconds_have_not(tmp_path):
    moments = pa.array(["1600-02-29 01:00:00", None, "9999-12-31 23:59:59"])
    table = arrow(
        tmp_path,
        {"m": moments.cast(pa.timestamp("us"))},
        use_deprecated_int96_timestamps=True,
    )
    assert table.parquet.parent == tmp_path / "data"
    assert sent(table) == [["1600-02-29 01:00:00.000000"], [NULL], ["9999-12-31 23:59:59.000000"]]


@pytest.mark.parametrize(
    ("values", "type_", "rows"),
    [
        (pa.array([0.1, None], pa.float16()), "FLOAT", [["0.099975586"], [NULL]]),
        (pa.array([-1, None], pa.duration("us")), "BIGINT", [["-1"], [NULL]]),
        (pa.array([1000, None], pa.timestamp("ns", "Europe/Berlin")), "TIMESTAMP WITH TIME ZONE",
         [["1970-01-01 00:00:00.000001"], [NULL]]),
        (pa.array([decimal.Decimal("-0.05"), None], pa.decimal256(30, 2)), "DECIMAL(30,2)",
         [["-0.05"], [NULL]]),
        (pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, None], pa.int8())), "TINYINT",
         [["1"], [NULL]]),
        (pa.nulls(2), "INTEGER", [[NULL], [NULL]]),
    ],
)  # fmt: skip
def test_physical_types_that_readers_take_differently_are_as_duckdb_has_them(
    tmp_path, values, type_, rows
):
    table = arrow(tmp_path, {"x": values, "id": pa.array([1, 2])})
    assert table.column("x").type == type_
    assert [row[:1] for row in sent(table)] == rows
    back = duckdb.sql(f"SELECT x::VARCHAR FROM '{table.parquet}'").fetchall()
    source = duckdb.sql(f"SELECT x::VARCHAR FROM '{tmp_path / 'data' / 't.parquet'}'").fetchall()
    assert back == source


def test_a_decimal_of_more_digits_than_duckdb_has_is_left_out(tmp_path):
    """DuckDB reads other numbers."""
    values = pa.array([decimal.Decimal("1.50")], pa.decimal256(45, 2))
    table = arrow(tmp_path, {"x": values, "id": pa.array([1])})
    assert table.left_out == {"x": "DECIMAL(45,2)"}
    assert sent(table) == [["1"]]


def test_names_that_differ_in_case_alone_are_told_apart(tmp_path):
    table = arrow(tmp_path, {"A": [1], "a": [2]})
    assert [column.name for column in table.columns] == ["A", "a_1"]
    assert sent(table) == [["1", "2"]]


def test_a_rewritten_table_is_written_anew_only_when_its_files_change(tmp_path):
    file = tmp_path / "data" / "t.parquet"
    write(file, "SELECT TIME '10:00' AS t")
    first = catalog(tmp_path).table("t")
    before = first.parquet.stat()
    assert first.parquet.parent.stat().st_mode & 0o077 == 0
    assert catalog(tmp_path).table("t") == first
    assert first.parquet.stat().st_mtime_ns == before.st_mtime_ns
    write(file, "SELECT TIME '11:00' AS t")
    second = catalog(tmp_path).table("t")
    assert second.fingerprint != first.fingerprint
    assert list(first.parquet.parent.iterdir()) == [second.parquet]
    second.parquet.unlink()
    assert sent(catalog(tmp_path).table("t")) == [["11:00:00.000000"]]
    write(file, "SELECT 1 AS t")
    assert catalog(tmp_path).table("t").parquet == file
    assert list(first.parquet.parent.iterdir()) == []


def test_a_disk_without_room_is_one_line_and_leaves_nothing(tmp_path, monkeypatch):
    write(tmp_path / "data" / "t.parquet", "SELECT TIME '10:00' AS t")
    usage = type("Usage", (), {"free": 3})
    monkeypatch.setattr("workloads.measuring.rewriting.shutil.disk_usage", lambda _: usage)
    with pytest.raises(SetUpError, match=r"Table 't' is written as plain Parquet.*free space or"):
        catalog(tmp_path)
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_a_table_without_any_column_to_carry_is_refused(tmp_path):
    write(tmp_path / "data" / "t.parquet", "SELECT 'POINT (1 2)'::GEOMETRY AS g")
    with pytest.raises(CatalogError, match=r"'t' .* no store holds, such as GEOMETRY"):
        catalog(tmp_path)
