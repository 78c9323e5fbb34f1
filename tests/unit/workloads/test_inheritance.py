"""Tables of PostgreSQL that others inherit from, and ONLY, which leaves these out."""

from dataclasses import replace
from pathlib import Path

import pytest

from workloads.catalog import Catalog, Origin
from workloads.progress import Silent
from workloads.sources.ddl.catalog import definitions
from workloads.sql.passing_through import text_over
from workloads.sql.statements import Understood, understand
from workloads.workload import Query, Workload

DUMP = """
--
-- PostgreSQL database dump
--
CREATE TABLE public.city (name text NOT NULL PRIMARY KEY, people integer);
CREATE TABLE public.capital (state text) INHERITS (public.city);
CREATE TABLE public.seat (since date) INHERITS (public.capital);
CREATE TABLE public.river (name text PRIMARY KEY);
CREATE VIEW public.small AS SELECT name FROM ONLY public.city WHERE people < 5;
COPY public.city (name, people) FROM stdin;
a	1
b	2
\\.
COPY public.capital (name, people, state) FROM stdin;
c	3	x
\\.
COPY public.seat (name, people, state, since) FROM stdin;
d	4	y	2020-01-01
\\.
COPY public.river (name) FROM stdin;
r
\\.
"""
COPIES = {name: f'"copies"."{name}"' for name in ("city", "capital", "seat", "river")}


def catalog(folder: Path, more: str = "") -> Catalog:
    file = folder / "schema.sql"
    file.write_text(DUMP + more)
    return definitions([file], Silent()).catalog


def live(found: Catalog) -> Catalog:
    tables = {n: replace(t, origin=Origin(store="pg")) for n, t in found.tables.items()}
    return replace(found, tables=tables)


def read(sql: str, found: Catalog) -> Understood:
    query = Query(name="q", sql=sql, origin="q.sql")
    return understand(Workload(name="w", dialect="postgres", queries=(query,)), found, Silent())


def test_the_rows_of_a_table_include_those_that_inherit_from_it(tmp_path):
    found = catalog(tmp_path)
    assert {n: (t.rows, t.has_children) for n, t in found.tables.items()} == {
        "city": (4, True),
        "capital": (2, True),
        "seat": (1, False),
        "river": (1, False),
    }


def test_rows_that_are_said_of_a_table_are_those_that_reading_it_gives(tmp_path):
    (tmp_path / "rows.csv").write_text("table,rows\ncity,50\n")
    found = catalog(tmp_path)
    assert (found.table("city").rows, found.table("capital").rows) == (50, 2)


def test_a_key_of_a_table_is_none_of_the_rows_that_inherit_from_it(tmp_path):
    found = catalog(tmp_path)
    assert (found.table("city").primary_key, found.table("river").primary_key) == ((), ("name",))


def test_tables_that_no_longer_inherit_have_rows_of_their_own(tmp_path):
    more = (
        "ALTER TABLE public.seat NO INHERIT public.capital;\n"
        "ALTER TABLE public.river RENAME TO stream;\n"
        "ALTER TABLE public.seat INHERIT public.stream;\n"
        "DROP TABLE public.seat;\n"
    )
    parts = more.splitlines(keepends=True)
    found = catalog(tmp_path, "".join(parts[:3]))
    assert {n: (t.rows, t.has_children) for n, t in found.tables.items()} == {
        "city": (3, True),
        "capital": (1, False),
        "seat": (1, False),
        "stream": (1, True),
    }
    assert not catalog(tmp_path, more).table("stream").has_children


@pytest.mark.parametrize(
    ("sql", "table"),
    [
        ("SELECT count(*) FROM ONLY city", "city"),
        ("SELECT c.name FROM ONLY public.city AS c JOIN river ON river.name = c.name", "city"),
        ("SELECT name FROM river WHERE name IN (SELECT name FROM ONLY capital)", "capital"),
        ("SELECT count(*) FROM ONLY (city)", "city"),
        ("SELECT c.name FROM river, ONLY(public.city) AS c WHERE c.name > ''", "city"),
        ("SELECT count(*) FROM small", "city"),
    ],
)
def test_only_is_passed_through_to_the_server_whose_table_has_children(tmp_path, sql, table):
    found = read(sql, live(catalog(tmp_path)))
    assert (found.footprints, found.skipped) == ((), ())
    (passed,) = found.passed_through
    assert (passed.alone, passed.incomparable) == ((table,), "")
    text = text_over(passed.query, "postgres", found.catalog, COPIES)
    assert f'ONLY "copies"."{table}" AS' in " ".join(text.split())


def test_only_on_a_table_without_data_of_its_server_is_kept_with_the_reason(tmp_path):
    (passed,) = read("SELECT count(*) FROM ONLY city", catalog(tmp_path)).passed_through
    assert passed.tables == {"city"}
    assert passed.incomparable == (
        "ONLY leaves out the tables that inherit from city, whose rows its copies have"
    )


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM ONLY seat",
        "SELECT count(*) FROM ONLY (seat) AS s WHERE (s.name) > ''",
        "SELECT count(*) FROM city",
        "SELECT count(*) FROM city *",
        "WITH city AS (SELECT name FROM river) SELECT name FROM ONLY city",
        "SELECT name FROM river FETCH FIRST 1 ROWS ONLY",
    ],
)
def test_other_statements_are_read_as_ever(tmp_path, sql):
    found = read(sql, live(catalog(tmp_path)))
    assert (found.passed_through, found.skipped) == ((), ())
    assert len(found.footprints) == 1


def test_only_on_a_partitioned_table_reads_none_of_its_rows(tmp_path):
    more = (
        "CREATE TABLE public.sale (id int, day date) PARTITION BY RANGE (day);\n"
        "CREATE TABLE public.sale_1 PARTITION OF public.sale DEFAULT;\n"
    )
    found = read("SELECT count(*) FROM ONLY sale", live(catalog(tmp_path, more)))
    assert [each.alone for each in found.passed_through] == [("sale",)]


def test_what_writes_only_a_parent_counts_for_it(tmp_path):
    found = read("DELETE FROM ONLY city WHERE people > 3", live(catalog(tmp_path)))
    assert [each.footprint.writes for each in found.passed_through] == [{"city"}]
    found = read("UPDATE ONLY river SET name = 'x'", live(catalog(tmp_path)))
    written = [each.writes for each in (*found.footprints, *found.writes)]
    assert written == [{"river"}]
