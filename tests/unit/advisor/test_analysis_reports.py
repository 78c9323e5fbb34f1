import html
import io
import json
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from advisor.analysis.notes import notes
from advisor.figures import percent, size
from advisor.report.analysis_html import render_analysis
from advisor.report.documents.analysis_json import analysis_document
from advisor.report.parts.analysis_conclusion import respects, together
from advisor.report.text.analysis_text import analysis_text
from tests.catalogs import table
from tests.unit.advisor import analyses
from tests.unit.advisor.many_tables import many
from workloads.access_graph import AccessGraph, JoinEdge
from workloads.catalog import Catalog

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    sql = analyses.SQL + analyses.INVALID
    return analyses.analysed(tmp_path_factory.mktemp("shop"), sql, skip_invalid=True)


@pytest.fixture(scope="module")
def page(analysis):
    return render_analysis(analysis)


def shown(analysis, width=100):
    stream = io.StringIO()
    Console(file=stream, width=width).print(analysis_text(analysis, width))
    return stream.getvalue()


def pictures(page):
    """The pictures of a page, parsed."""
    return [ET.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]


def test_the_terminal_shows_tables_pairs_joins_fragments_and_what_was_left_out(analysis):
    text = " ".join(shown(analysis).split())
    assert "3 queries, 1 that only writes in the SQL of 'postgres' over 4 tables" in text
    assert "customer 1 k" in text
    assert "?product" not in text
    assert "product ?1 k" in text
    assert "audit ?1 k ?36.0 kB 0 7" in text
    assert "customer + orders 50" in text
    assert "item.i_order = orders.o_id inner 40" in text
    assert "customer.c_id = orders.o_customer anti 10" in text
    assert "4 statements left out: 2 not understood, 1 definitions, 1 session commands" in text
    assert re.search(r"queries\.sql:19:8: unknown column 'nothing'", text)


@pytest.mark.parametrize("width", [80, 120])
def test_the_terminal_keeps_its_width(analysis, width):
    lines = shown(analysis, width).splitlines()
    places = [line for line in lines if "queries.sql:" in line]
    assert max(len(line) for line in lines if line not in places) <= width


def test_a_large_workload_is_shown_by_its_heaviest_parts(analysis):
    graph, catalog = many(300, 20, 3_000)
    large = replace(analysis, graph=graph, catalog=catalog, fragments={}, writes=(), skipped=())
    text = shown(large)
    assert "and 260 more tables in --json and --html" in text
    assert "more pairs in --json and --html" in text
    assert "●" not in text
    assert len(text.splitlines()) < 100


def test_notes_name_what_was_assumed_and_what_is_missing(analysis):
    assumed, left_out = notes(analysis)
    assert assumed.startswith(
        "The rows of 2 tables are not known and taken as 1,000: product, audit."
    )
    assert left_out.startswith("2 of 8 statements are not understood and left out, 39.2 %")


def test_json_has_every_documented_key(analysis):
    document = analysis_document(analysis)
    json.dumps(document, allow_nan=False)
    assert set(document) == {
        *("dialect", "statements", "queries", "writes", "tables", "co_access", "joins"),
        *("fragments", "passed_through", "skipped", "skipped_kinds", "skipped_share"),
    }
    first = document["queries"][0]
    assert set(first) == {"name", "executions", "tables", "writes", "joins"}
    assert {"left": "item.i_order", "right": "orders.o_id", "kind": "inner"} in first["joins"]
    assert document["writes"] == [{"name": "note", "executions": 7.0, "tables": ["audit"]}]
    assert {"tables": ["customer", "orders"], "weight": 50.0} in document["co_access"]
    assert {
        "left": "customer.c_id",
        "right": "orders.o_customer",
        "kind": "anti",
        "weight": 10.0,
    } in document["joins"]
    customer = next(each for each in document["tables"] if each["name"] == "customer")
    assert customer == {
        "name": "customer",
        "rows": 1000,
        "rows_assumed": False,
        "bytes": 44_000,
        "reads": 50.0,
        "writes": 0.0,
        "indexes": [],
    }
    fragment = document["fragments"][0]
    assert set(fragment) == {"query", "kind", "tables", "sources", "rows", "bytes"}
    assert {each["query"] for each in document["fragments"]} == {"revenue", "idle", "products"}
    left_out = document["skipped"][0]
    assert set(left_out) == {
        *("source", "line", "column", "reason", "kind", "executions", "statements", "temporary"),
    }
    assert document["skipped_kinds"] == {
        "definition": {"statements": 1, "executions": 1.0},
        "session": {"statements": 1, "executions": 1.0},
        "invalid": {"statements": 2, "executions": 40.0},
    }
    assert document["skipped_share"] == pytest.approx(40 / 102)


def test_the_page_needs_nothing_from_elsewhere_and_names_everything(page, analysis):
    assert not re.findall(r"""(?:src|href)\s*=\s*["']?(?!#)[^"'\s)>]+""", page)
    assert "url(" not in page
    assert "<script" not in page
    for name in analysis.graph.tables.keys() | analysis.graph.writes.keys():
        assert f">{name}</text>" in page or f"</i>{name}</td>" in page
    assert "prefers-color-scheme: dark" in page


def test_the_page_begins_with_its_conclusion(page, analysis):
    header = page.partition("</header>")[0]
    assert "<svg" not in header
    assert "<table" not in header
    assert together(analysis) in html.unescape(header)
    assert respects(analysis) in html.unescape(header)
    assert "2 of 8 statements are not understood and left out" in header


def test_the_conclusion_names_what_is_joined_most_by_executions(analysis):
    # 10 + 40 executions join customer with orders, whatever the kind of join
    assert together(analysis) == (
        "Keep together what is joined most: customer with orders (50 of 53 executions), "
        "item with orders (40) and item with product (3)."
    )


def test_columns_of_one_key_count_a_query_once(tmp_path):
    sql = (
        "-- executions: 5\nSELECT * FROM customer JOIN orders ON c_id = o_customer "
        "AND c_region = o_id;\n"
    )
    found = analyses.analysed(tmp_path, sql)
    assert len(found.graph.joins) == 2
    assert together(found).endswith("joined most: customer with orders (5 of 5 executions).")


def test_the_conclusion_names_the_small_table_that_is_joined_with_most(tmp_path):
    ddl = "-- rows: 1_000_000\nCREATE TABLE fact (a int, b text);\n"
    ddl += "-- rows: 10\nCREATE TABLE day (a int);\n"
    ddl += "".join(f"-- rows: 9\nCREATE TABLE t{n} (a int);\n" for n in range(4))
    joined = [*(f"day JOIN t{n} USING (a)" for n in range(4)), "fact JOIN day USING (a)"]
    sql = "".join(f"SELECT 1 FROM {each};\n" for each in joined)
    found = analyses.analysed(tmp_path, sql, ddl)
    assert "below 10 % of the bytes, day (40 B) is joined most, with 5 others:" in together(found)


def test_the_conclusion_says_what_a_placement_has_to_respect(analysis):
    sizes = analysis.catalog.tables
    used = analysis.graph.tables.keys() | analysis.graph.writes.keys()
    share = sizes["item"].bytes / sum(sizes[name].bytes for name in used)
    text = respects(analysis)
    assert text.startswith(f"item ({size(sizes['item'].bytes)}) has {percent(share)} of the ")
    assert text.endswith("What is written is written in every copy: audit (7 executions).")
    unwritten = replace(analysis, graph=replace(analysis.graph, writes={}))
    assert respects(unwritten).endswith(
        "No statement writes a table, so that copies need no upkeep."
    )
    assumed = replace(analysis, assumed_rows=("item",))
    assert ", assumed) has" in respects(assumed)


def test_the_pages_pictures_say_what_they_are_to_those_who_do_not_see_them(page):
    drawn = pictures(page)
    assert len(drawn) >= 2
    for svg in drawn:
        assert svg.get("aria-label") or svg.get("aria-hidden") == "true"


def test_names_of_users_are_escaped(analysis):
    evil = '<script>alert("x")</script>'
    catalog = Catalog(name=evil, tables={evil: table(evil, 9, {"a": "INTEGER"})})
    graph = AccessGraph(
        queries={evil: frozenset({evil})},
        tables={evil: 1.0},
        co_access={},
        joins={JoinEdge(left=f"{evil}.a", right=f"{evil}.a", kind="inner"): 1.0},
    )
    page = render_analysis(
        replace(analysis, catalog=catalog, graph=graph, footprints=(), fragments={})
    )
    assert evil not in page
    assert "&lt;script&gt;" in page


def test_an_analysis_without_joins_or_pairs_has_a_page(analysis):
    graph = AccessGraph(queries={}, tables={"customer": 1.0}, co_access={}, joins={})
    page = render_analysis(replace(analysis, graph=graph, footprints=(), fragments={}, writes=()))
    assert "No query joins tables." in page
    assert "No query joins" in render_analysis(
        replace(analysis, graph=replace(graph, tables={}), footprints=(), fragments={}, writes=())
    )


def test_a_share_that_is_not_nothing_is_not_written_as_nothing():
    assert [percent(share) for share in (0, 1e-9, 0.0123, 0.5, 1)] == [
        "0 %",
        "less than 0.01 %",
        "1.23 %",
        "50 %",
        "100 %",
    ]


def test_statements_of_chance_and_of_the_moment_are_named(tmp_path):
    sql = """
-- name: drawn
SELECT count(*) FROM customer WHERE random() < 0.5;
-- name: lately
SELECT o_id FROM orders WHERE o_day > now() - interval '400 days';
-- name: today
SELECT o_id FROM orders WHERE o_day = current_date;
-- name: quoted
SELECT 'random()' AS "now" FROM customer;
-- name: column
SELECT moment.now FROM (SELECT c_id AS now FROM customer) moment;
"""
    (found,) = (note for note in notes(analyses.analysed(tmp_path, sql)) if "each run" in note)
    assert found == (
        "The answers of 3 statements may be others in each run (drawn: random() gives another "
        "value each time; lately: now() tells the moment of the run; today: current_date tells the "
        "moment of the run): undetermined is what an engine answers otherwise than DuckDB."
    )
    one = sql[: sql.index("-- name: lately")]
    (note,) = (n for n in notes(analyses.analysed(tmp_path, one)) if "each run" in n)
    assert note.startswith("The answer of 1 statement may be another in each run (drawn: random()")


def test_the_heading_tells_what_is_in_the_sql_of_servers(tmp_path):
    passed = "SELECT o_id FROM orders WHERE o_id::text::jsonb @> '1';\n"
    one = " ".join(
        shown(analyses.analysed(tmp_path, f"SELECT c_id FROM customer;\n{passed}")).split()
    )
    said = (
        "1 query in the SQL of 'postgres', 1 passed through in its server's own SQL, over 2 tables"
    )
    assert one.startswith(said)
    both = f"SELECT c_id FROM customer;\n{passed}{passed.replace('@>', '<@')}"
    two = " ".join(shown(analyses.analysed(tmp_path, both)).split())
    assert ", 2 passed through in their servers' own SQL, over 2 tables" in two
