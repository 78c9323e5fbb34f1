"""Pictures of an analysis: the heat map and the graph of joins."""

import itertools
from xml.etree import ElementTree as ET

import pytest

from advisor.report.pictures.heat_map import LEVELS, MOST_NAMED, heat_map
from advisor.report.pictures.join_graph import MOST_LINES, join_graph
from advisor.report.pictures.join_layout import layout
from advisor.report.pictures.labels import labels
from advisor.report.pictures.seriation import seriated
from tests.catalogs import table
from tests.unit.advisor import demo_tables
from tests.unit.advisor.many_tables import many
from workloads.access_graph import AccessGraph, JoinEdge
from workloads.catalog import Catalog


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
    graph = demo_tables.graph()
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
    graph = demo_tables.graph()
    catalog = Catalog(
        name="c", tables={n: table(n, 10, {"a": "INTEGER"}) for n in demo_tables.TABLES}
    )
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
