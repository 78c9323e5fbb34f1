from contextlib import closing

import duckdb
import pytest

from evaluation.judging.oracle import Oracle
from workloads.duck import connect
from workloads.errors import CatalogError, SetUpError
from workloads.measuring.distributions import BUCKETS, LONGEST_BOUND
from workloads.measuring.measured import measured
from workloads.measuring.statistics import width_bytes
from workloads.measuring.table_files import TableFiles
from workloads.progress import Silent
from workloads.sources import parquet
from workloads.sql.statements import understand
from workloads.workload import Query, Workload


def write(path, sql):
    path.parent.mkdir(parents=True, exist_ok=True)
    duckdb.sql(f"COPY ({sql}) TO '{path}' (FORMAT parquet)")


def catalog(folder, cache):
    return parquet.catalog(folder, cache=cache, progress=Silent())


@pytest.fixture
def data(tmp_path):
    write(
        tmp_path / "data" / "t.parquet",
        """SELECT * FROM (VALUES
            (1::INTEGER, DATE '1970-01-02', TIMESTAMP '1970-01-01 12:00', 1.50::DECIMAL(7,2), 'ab'),
            (3, DATE '1970-01-11', TIMESTAMP '1970-01-03 00:00', 2.50, 'é'),
            (3, NULL, NULL, NULL, NULL),
            (3, NULL, NULL, NULL, ''))
            AS t(i, d, ts, x, s)""",
    )
    return tmp_path / "data"


def test_rows_widths_distinct_counts_and_ranges_are_measured(data, tmp_path):
    table = catalog(data, tmp_path / "cache").table("t")
    assert table.rows == 4
    shape = {c.name: (c.type, c.width_bytes) for c in table.columns}
    assert shape == {
        "i": ("INTEGER", 4),
        "d": ("DATE", 4),
        "ts": ("TIMESTAMP", 8),
        "x": ("DECIMAL(7,2)", 4),
        "s": ("VARCHAR", 1.0),  # two bytes, two bytes in UTF-8, none and none
    }
    known = {c.name: c.statistics for c in table.columns}
    assert (known["i"].distinct, known["i"].null_share) == (2, 0)
    assert (known["i"].minimum, known["i"].maximum) == (1, 3)
    assert (known["d"].minimum, known["d"].maximum, known["d"].null_share) == (1, 10, 0.5)
    assert (known["ts"].minimum, known["ts"].maximum) == (0.5, 2)
    assert (known["x"].minimum, known["x"].maximum) == (1.5, 2.5)
    assert (known["s"].minimum, known["s"].maximum, known["s"].distinct) == (None, None, 3)


def test_an_empty_table_and_values_that_are_not_finite_are_measured(tmp_path):
    write(tmp_path / "data" / "empty.parquet", "SELECT 1 AS a, 'x' AS b WHERE false")
    write(
        tmp_path / "data" / "odd.parquet",
        "SELECT 'nan'::DOUBLE AS a UNION ALL SELECT 'inf'::DOUBLE",
    )
    found = catalog(tmp_path / "data", tmp_path / "cache")
    assert found.table("empty").rows == 0
    assert found.table("empty").bytes == 0
    odd = found.table("odd").column("a").statistics
    assert (odd.minimum, odd.maximum, odd.is_finite) == (None, None, False)
    assert found.table("empty").column("a").statistics.is_finite is None


def test_an_infinite_day_is_no_end_of_a_range(tmp_path):
    days = "SELECT DATE '2000-01-01' AS d, TIMESTAMP '2000-01-01' AS t"
    others = "SELECT DATE 'infinity', TIMESTAMP '-infinity'"
    write(tmp_path / "data" / "days.parquet", f"{days} UNION ALL {others}")
    table = catalog(tmp_path / "data", tmp_path / "cache").table("days")
    day, moment = (table.column(name).statistics for name in "dt")
    assert (day.minimum, day.maximum, day.is_finite) == (10957, None, False)
    assert (moment.minimum, moment.maximum, moment.is_finite) == (None, 10957, False)
    assert (day.years, moment.years) == (None, None)


def test_years_are_exact_and_odd_characters_known(tmp_path):
    rows = (
        "SELECT TIMESTAMP '9999-12-31 23:59:59.999999' AS t, DATE '0001-01-01' - 1 AS d, 'a' AS s"
    )
    other = "SELECT TIMESTAMP '2000-01-01', DATE '2000-01-01', 'b' || chr(0)"
    write(tmp_path / "data" / "odd.parquet", f"{rows} UNION ALL {other}")
    for _ in ("measured", "remembered"):
        table = catalog(tmp_path / "data", tmp_path / "cache").table("odd")
        moment, day, text = (table.column(name).statistics for name in "tds")
        assert (moment.years, day.years, text.years) == ((2000, 9999), (0, 2000), None)
        assert (text.has_nul, day.has_nul) == (True, None)


def test_json_and_types_that_stores_lack_are_text(tmp_path):
    values = "uuid() AS u, 'ab'::BLOB AS b, TIME '10:00' AS t, INTERVAL 1 DAY AS i"
    rows = f"""SELECT '{{"a": 1}}'::JSON AS j, {values} FROM range(3)"""
    write(tmp_path / "data" / "odd.parquet", rows)
    found = catalog(tmp_path / "data", tmp_path / "cache").table("odd")
    assert {found.column(name).type for name in "juti"} == {"VARCHAR"}
    assert found.column("j").type == "VARCHAR"
    assert found.column("j").statistics.common == (('{"a": 1}', 1.0),)
    assert [found.column(name).statistics.minimum for name in "ubti"] == [None] * 4
    assert found.column("i").statistics.common == (("1 day", 1.0),)


def test_a_table_may_be_a_folder_of_files(tmp_path):
    write(tmp_path / "data" / "t" / "b.parquet", "SELECT 2 AS a")
    write(tmp_path / "data" / "t" / "a.parquet", "SELECT 1 AS a")
    (tmp_path / "data" / "t" / "_SUCCESS").touch()
    table = catalog(tmp_path / "data", tmp_path / "cache").table("t")
    assert table.rows == 2
    assert duckdb.sql(f"SELECT sum(a) FROM '{table.parquet}'").fetchone() == (3,)


def test_what_was_measured_is_remembered_and_nothing_is_written_beside_the_data(
    data, tmp_path, monkeypatch
):
    first = catalog(data, tmp_path / "cache")
    assert [path.name for path in data.iterdir()] == ["t.parquet"]
    monkeypatch.setattr(
        "workloads.measuring.measured.measure", lambda *_: pytest.fail("measured again")
    )
    assert catalog(data, tmp_path / "cache") == first


def test_a_changed_table_alone_is_measured_anew(data, tmp_path):
    write(data / "other.parquet", "SELECT 1 AS a")
    first = catalog(data, tmp_path / "cache")
    write(data / "other.parquet", "SELECT 2 AS a UNION ALL SELECT 3")
    second = catalog(data, tmp_path / "cache")
    assert second.table("t") == first.table("t")
    assert second.table("other").rows == 2
    assert second.table("other").fingerprint != first.table("other").fingerprint


def test_a_moved_copy_has_the_same_fingerprint(data, tmp_path):
    first = catalog(data, tmp_path / "cache")
    data.rename(tmp_path / "moved")
    moved = catalog(tmp_path / "moved", tmp_path / "cache")
    assert moved.table("t").fingerprint == first.table("t").fingerprint


@pytest.mark.parametrize("value", ["'POINT (1 2)'::GEOMETRY", "['\\xFF'::BLOB]"])
def test_columns_that_cannot_be_carried_are_left_out(tmp_path, value):
    write(tmp_path / "data" / "t.parquet", f"SELECT 1 AS a, {value} AS n, 'x' AS b")
    for _ in range(2):
        found = catalog(tmp_path / "data", tmp_path / "cache")
        assert [each.name for each in found.table("t").columns] == ["a", "b"]
        assert list(found.table("t").left_out) == ["n"]
    asked = [Query(name=n, sql=f"SELECT {n} FROM t", origin=n) for n in ("*", "n")]
    read = understand(Workload(name="w", dialect="duckdb", queries=tuple(asked)), found, Silent())
    assert [each.query for each in read.footprints] == ["*"]
    assert "column 'n' is left out: no store holds its type" in read.skipped[0].reason
    with closing(Oracle(found)) as oracle:
        assert [each.name for each in oracle.answer(asked[0]).columns] == ["a", "b"]


def test_a_file_that_is_not_parquet_is_an_error_that_names_it(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "t.parquet").write_text("not parquet at all")
    with pytest.raises(CatalogError, match=r"t\.parquet"):
        catalog(tmp_path / "data", tmp_path / "cache")


def test_bad_folders_are_errors(tmp_path):
    with pytest.raises(CatalogError, match="There is no folder"):
        catalog(tmp_path / "data", tmp_path / "cache")
    (tmp_path / "data").mkdir()
    with pytest.raises(CatalogError, match="holds no Parquet"):
        catalog(tmp_path / "data", tmp_path / "cache")
    write(tmp_path / "data" / "t" / "day" / "a.parquet", "SELECT 1 AS a")
    with pytest.raises(CatalogError, match="is not called key=value"):
        catalog(tmp_path / "data", tmp_path / "cache")
    write(tmp_path / "twice" / "t.parquet", "SELECT 1 AS a")
    write(tmp_path / "twice" / "T" / "a.parquet", "SELECT 1 AS a")
    with pytest.raises(CatalogError, match="is there twice"):
        catalog(tmp_path / "twice", tmp_path / "cache")
    write(tmp_path / "odd[1]" / "t.parquet", "SELECT 1 AS a")
    with pytest.raises(CatalogError, match="rename the folder"):
        catalog(tmp_path / "odd[1]", tmp_path / "cache")


def test_memory_that_runs_out_is_a_set_up_error(tmp_path):
    with (
        pytest.raises(SetUpError, match=r"Memory ran out while sorting .*: free memory"),
        connect("sorting", scratch=tmp_path) as connection,
    ):
        connection.execute("SET memory_limit = '10MB'; SELECT list(range) FROM range(100_000_000)")


@pytest.mark.parametrize(
    ("type_", "width"),
    [("BIGINT", 8), ("DECIMAL(4,1)", 2), ("DECIMAL(18,2)", 8), ("DECIMAL(38,0)", 16), ("DATE", 4)],
)
def test_widths_of_fixed_types(type_, width):
    assert width_bytes(type_) == width


def test_common_values_and_a_histogram_of_the_others_are_measured(tmp_path):
    """Half of the rows are 7 or 'seven', an eighth NULL, the rest spread over 3,000 values."""
    write(
        tmp_path / "data" / "t.parquet",
        "SELECT CASE WHEN i % 2 = 0 THEN 7 WHEN i % 8 > 1 THEN 10 + i END::INTEGER AS n,"
        " CASE WHEN i % 2 = 0 THEN 'seven' ELSE printf('%05d', i) END AS s,"
        " DATE '1970-01-01' + (i % 3)::INTEGER AS d FROM range(8000) t(i)",
    )
    table = catalog(tmp_path / "data", tmp_path / "cache").table("t")
    n, s, d = (table.column(name).statistics for name in "nsd")
    assert n.common == ((7.0, 0.5),)
    assert len(n.histogram) == BUCKETS + 1
    assert (n.histogram[0], n.histogram[-1]) == (n.minimum + 6, n.maximum) == (13.0, 8009.0)
    assert n.histogram[BUCKETS // 2] == pytest.approx(4_000, rel=0.01)
    assert n.null_share == 0.125
    assert s.common == (("seven", 0.5),)
    assert s.histogram[0] == "00001"
    assert list(s.histogram) == sorted(s.histogram)
    assert [value for value, _ in sorted(d.common)] == [0.0, 1.0, 2.0]
    assert d.histogram == ()


def test_long_text_is_no_common_value_and_bounds_are_cut(tmp_path):
    write(
        tmp_path / "data" / "t.parquet",
        "SELECT repeat(chr((97 + i % 20)::INTEGER), 150) || (i % 400) AS s FROM range(4000) t(i)",
    )
    known = catalog(tmp_path / "data", tmp_path / "cache").table("t").column("s").statistics
    assert known.common == ()
    assert {len(bound) for bound in known.histogram} == {LONGEST_BOUND}


def test_a_sample_lies_in_the_cache_and_is_drawn_anew_when_it_is_gone(data, tmp_path):
    cache = tmp_path / "cache"
    sample = catalog(data, cache).table("t").sample
    assert sample.is_relative_to(cache)
    assert (
        duckdb.sql(f"FROM '{sample}'").fetchall()
        == duckdb.sql(f"FROM '{data}/t.parquet'").fetchall()
    )
    sample.unlink()
    assert catalog(data, cache).table("t").sample.is_file()


def test_what_is_remembered_of_the_data_is_its_owners_alone(data, tmp_path):
    catalog(data, tmp_path / "cache")
    remembered = list((tmp_path / "cache" / "statistics").iterdir())
    assert remembered
    assert not any(path.stat().st_mode & 0o077 for path in remembered)


def test_the_sample_of_data_that_have_changed_is_dropped(data, tmp_path):
    cache = tmp_path / "cache"
    old = catalog(data, cache).table("t").sample
    write(data / "t.parquet", "SELECT 1 AS i")
    new = catalog(data, cache).table("t").sample
    assert new != old
    assert list(new.parent.iterdir()) == [new]


@pytest.mark.parametrize(
    ("key", "correlation"),
    [("up", 1.0), ("down", -1.0), ("day", 1.0), ("mixed", 0.0), ("text", None), ("one", None)],
)
def test_of_a_key_it_is_known_how_far_the_rows_are_in_its_order(tmp_path, key, correlation):
    rows = """SELECT range AS up, -range AS down, DATE '2020-01-01' + range::INTEGER AS day,
        hash(range) % 1000 AS mixed, 'r' || range AS text, 1 AS one, range % 7 AS other"""
    for number in range(2):
        span = f"range({number * 5000}, {number * 5000 + 5000})"
        write(tmp_path / f"part-{number}.parquet", f"{rows} FROM {span}")
    parts = tuple(tmp_path / f"part-{number}.parquet" for number in range(2))
    files = TableFiles(
        name="t", parquet=tmp_path / "part-*.parquet", files=parts, primary_key=(key, "other")
    )
    measured_once = measured((files,), tmp_path / "manifest.json", Silent())
    assert measured((files,), tmp_path / "manifest.json", Silent()) == measured_once
    known = {c.name: c.statistics for c in measured_once["t"].columns}
    assert known[key].correlation == (
        None if correlation is None else pytest.approx(correlation, abs=0.05)
    )
    assert all(known[name].correlation is None for name in known.keys() - {key})
