import html
import io
import itertools
import json
import random
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
from advisor.report.pictures.heat_map import LEVELS, MOST_NAMED, heat_map
from advisor.report.pictures.join_graph import MOST_LINES, join_graph
from advisor.report.pictures.join_layout import layout
from advisor.report.pictures.labels import labels
from advisor.report.pictures.seriation import seriated
from advisor.report.text.analysis_text import analysis_text
from tests.catalogs import table
from tests.unit.advisor import analyses
from tests.unit.advisor import measurements as made
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


def many(tables: int, groups: int, joins: int) -> tuple[AccessGraph, Catalog]:
    """Tables that are used within their group, and now and then with another."""
    chance = random.Random(3)
    names = [f"area{index % groups}_table{index}" for index in range(tables)]
    pairs, edges = {}, {}
    for _ in range(joins):
        left = chance.choice(names)
        near = [name for name in names if name.split("_")[0] == left.split("_")[0]]
        right = chance.choice(near if chance.random() < 0.9 else names)
        if left != right:
            left, right = sorted((left, right))
            kind = chance.choice(["inner", "left", "semi"])
            weight = chance.randint(1, 10_000)
            edges[JoinEdge(left=f"{left}.a", right=f"{right}.b", kind=kind)] = weight
            pairs[left, right] = pairs.get((left, right), 0) + weight
    reads = {name: float(1 + sum(w for p, w in pairs.items() if name in p)) for name in names}
    catalog = Catalog(
        name="many",
        tables={n: table(n, 10 ** chance.randint(1, 7), {"a": "INTEGER"}) for n in names},
    )
    queries = {"q": frozenset(names)}
    return AccessGraph(queries=queries, tables=reads, co_access=pairs, joins=edges), catalog


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
        *("source", "line", "column", "reason", "kind", "executions", "statements"),
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


def test_tables_that_are_used_together_stand_together():
    graph, _ = many(60, 6, 1_500)
    found = seriated(graph.tables, graph.co_access)
    assert sorted(found.order) == sorted(graph.tables)
    assert [name for group in found.groups for name in group] == list(found.order)
    areas = [name.split("_")[0] for name in found.order]
    changes = sum(left != right for left, right in itertools.pairwise(areas))
    assert changes <= 12
    assert len(found.groups) == pytest.approx(6, abs=2)


def test_an_order_does_not_depend_on_the_order_of_reading():
    graph, _ = many(40, 5, 500)
    backwards = dict(reversed(list(graph.co_access.items())))
    assert seriated(graph.tables, graph.co_access) == seriated(graph.tables, backwards)


def cells(svg: str) -> list[ET.Element]:
    root = ET.fromstring(svg)
    return [each for each in root.iter("rect") if (each.get("class") or "").startswith("h")]


def test_the_heat_map_has_a_cell_for_each_pair_twice_and_for_each_table():
    graph = made.graph()
    drawn = heat_map(graph, seriated(graph.tables, graph.co_access))
    found = cells(drawn.overview)
    assert len(found) == len(graph.tables) + 2 * len(graph.co_access)
    assert drawn.named == ""
    titles = {each.findtext("title") for each in found}
    heaviest = max(graph.co_access, key=lambda pair: graph.co_access[pair])
    assert f"{heaviest[0]} + {heaviest[1]}: {graph.co_access[heaviest]:g}" in titles


def test_the_colours_of_the_heat_map_are_logarithmic():
    reads = {"a": 1.5, "b": 1500.0, "c": 1500.0}
    graph = AccessGraph(queries={}, tables=reads, co_access={("b", "c"): 45.0}, joins={})
    drawn = heat_map(graph, seriated(graph.tables, graph.co_access))
    level = {each.findtext("title"): each.get("class") for each in cells(drawn.overview)}
    assert level["a: 1.5"] == "h0"
    assert level["b: 1500"] == f"h{LEVELS - 1}"
    assert level["b + c: 45"] in {"h3", "h4"}
    colours, limits = zip(*drawn.limits, strict=True)
    assert colours == tuple(range(LEVELS))
    assert limits == pytest.approx([1.5 * 1000 ** (step / LEVELS) for step in range(LEVELS)])


def test_few_whole_weights_have_a_colour_each():
    reads = {"a": 1.0, "b": 2.0, "c": 4.0}
    graph = AccessGraph(queries={}, tables=reads, co_access={("b", "c"): 3.0}, joins={})
    drawn = heat_map(graph, seriated(graph.tables, graph.co_access))
    level = {each.findtext("title"): each.get("class") for each in cells(drawn.overview)}
    assert [limit for _, limit in drawn.limits] == [1, 2, 3, 4]
    assert len({level["a: 1"], level["b: 2"], level["b + c: 3"], level["c: 4"]}) == 4


def test_many_tables_have_an_overview_of_groups_and_a_picture_of_all_names():
    graph, _ = many(300, 20, 3_000)
    drawn = heat_map(graph, seriated(graph.tables, graph.co_access))
    assert len(graph.tables) > MOST_NAMED
    named = ET.fromstring(drawn.named)
    texts = [each.text for each in named.iter("text")]
    assert sorted(set(texts)) == sorted(graph.tables)
    overview = ET.fromstring(drawn.overview)
    assert float(overview.get("width")) <= 1060
    heights = sorted({float(t.get("y")) for t in overview.iter("text") if t.get("y")})
    assert all(low + 11 <= high for low, high in itertools.pairwise(heights))


def boxes_of(svg: str):
    """The labels' boxes in a join graph, as wide as its fonts are taken to be."""
    for text in ET.fromstring(svg).iter("text"):
        x, y, wide = float(text.get("x")), float(text.get("y")), 6.1 * len(text.text)
        shift = {"start": 0, "middle": wide / 2, "end": wide}[text.get("text-anchor")]
        yield x - shift, y - 10, x - shift + wide, y


def overlapping(boxes) -> int:
    found = list(boxes)
    return sum(
        a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
        for index, a in enumerate(found)
        for b in found[index + 1 :]
    )


def test_the_join_graph_names_every_table_of_tpc_ds_without_overlaps():
    graph = made.graph()
    catalog = Catalog(name="c", tables={n: table(n, 10, {"a": "INTEGER"}) for n in made.TABLES})
    drawn = join_graph(graph, catalog, dict.fromkeys(graph.tables, 0))
    joined = graph.tables.keys() - set(drawn.alone)
    root = ET.fromstring(drawn.svg)
    assert sorted(text.text for text in root.iter("text")) == sorted(joined)
    assert overlapping(boxes_of(drawn.svg)) == 0
    assert drawn.drawn == drawn.lines == len(list(root.iter("path")))


def test_a_large_join_graph_keeps_its_heaviest_lines_and_what_connects_it():
    graph, catalog = many(300, 20, 3_000)
    drawn = join_graph(graph, catalog, dict.fromkeys(graph.tables, 0))
    assert drawn.drawn == MOST_LINES < drawn.lines
    root = ET.fromstring(drawn.svg)
    circles = list(root.iter("circle"))
    assert len(circles) == 300 - len(drawn.alone)
    assert overlapping(boxes_of(drawn.svg)) == 0
    widths = [float(path.get("stroke-width")) for path in root.iter("path")]
    heaviest = max(graph.joins.values())
    assert max(widths) > 5
    assert any(f"{heaviest:g}" in (path.findtext("title") or "") for path in root.iter("path"))


def test_kinds_of_joins_are_told_apart():
    kinds = ("inner", "left", "semi", "anti")
    joins = {JoinEdge(left="a.x", right="b.y", kind=kind): 1.0 for kind in kinds}
    graph = AccessGraph(queries={}, tables={"a": 1.0, "b": 1.0}, co_access={}, joins=joins)
    catalog = Catalog(name="c", tables={n: table(n, 10, {"x": "INTEGER"}) for n in "ab"})
    drawn = join_graph(graph, catalog, {"a": 0, "b": 1})
    paths = list(ET.fromstring(drawn.svg).iter("path"))
    assert {path.get("class") for path in paths} == {"inner", "outer", "semi", "anti"}
    assert len({path.get("d") for path in paths}) == 4
    assert drawn.kinds == ("inner", "outer", "semi", "anti")


def test_a_circles_area_is_as_the_tables_bytes():
    joins = {JoinEdge(left="a.x", right="b.x", kind="inner"): 1.0}
    graph = AccessGraph(queries={}, tables={"a": 1.0, "b": 1.0}, co_access={}, joins=joins)
    shapes = {"a": table("a", 1_000, {"x": "INTEGER"}), "b": table("b", 4_000, {"x": "INTEGER"})}
    drawn = join_graph(graph, Catalog(name="c", tables=shapes), {"a": 0, "b": 0})
    radii = sorted(float(c.get("r")) for c in ET.fromstring(drawn.svg).iter("circle"))
    assert radii[1] / radii[0] == pytest.approx(2)


def test_the_layout_keeps_circles_apart_and_inside_and_is_the_same_every_time():
    graph, _ = many(80, 8, 400)
    radii = {name: 4.0 + 30 * (index % 7 == 0) for index, name in enumerate(sorted(graph.tables))}
    first = layout(radii, graph.co_access, 1040)
    assert first == layout(radii, dict(reversed(list(graph.co_access.items()))), 1040)
    placed = list(first.places.items())
    for index, (one, (x, y)) in enumerate(placed):
        assert radii[one] <= x <= 1040 - radii[one]
        assert radii[one] <= y <= first.height - radii[one]
        for other, (ox, oy) in placed[index + 1 :]:
            assert ((x - ox) ** 2 + (y - oy) ** 2) ** 0.5 >= radii[one] + radii[other]


def test_a_name_without_room_is_left_out_unless_all_are_wanted():
    places = {"a" * 20: (200.0, 50.0), "b" * 20: (200.0, 50.0), "c" * 20: (200.0, 50.0)}
    places |= {f"{n}" * 20: (200.0, 50.0) for n in "defghijk"}
    radii = dict.fromkeys(places, 4.0)
    some = labels(sorted(places), places, radii, width=400, all_of_them=False)
    more = labels(sorted(places), places, radii, width=400, all_of_them=True)
    assert 0 < len(some) < len(more)
    assert any(label.far for label in more.values())


def test_a_share_that_is_not_nothing_is_not_written_as_nothing():
    assert [percent(share) for share in (0, 1e-9, 0.0123, 0.5, 1)] == [
        "0 %",
        "less than 0.01 %",
        "1.23 %",
        "50 %",
        "100 %",
    ]
