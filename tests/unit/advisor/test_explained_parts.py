"""A query in several parts: the filters, keys and aggregates of each fragment are told."""

import json

import pytest

from advisor.commands import cli
from placement.fragments import one_scans

pytestmark = pytest.mark.usefixtures("own_cache")

IN_PARTS = """
-- name: named
SELECT region, SUM(total) FROM orders JOIN customers ON customer = customers.id
WHERE name ~ '^x+$' AND region = 3 GROUP BY region;
"""


@pytest.fixture
def in_parts(shop):
    """The shop with one query over two stores, and a filter that one of them cannot express."""
    (shop / "queries.sql").write_text(IN_PARTS)
    project = shop / "shop.toml"
    text = project.read_text().replace('exclude = { orders = ["duck"] }', "")
    text = text.replace('kind = "duckdb"', 'kind = "mysql"\nembedded = true')
    text = text.replace(
        "[place]", '[constraints.only]\norders = ["pg"]\ncustomers = ["duck"]\n[place]'
    )
    project.write_text(text)
    return project


def test_a_filter_that_a_store_cannot_express_is_said_to_stay_with_the_engine(in_parts, capfd):
    assert cli.main(["explain", str(in_parts), "--query", "named", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    by_store = {each["store"]: each for each in found["fragments"]}
    assert by_store["duck"]["held_back"] == ["regular_expression"]
    assert by_store["pg"]["held_back"] == []
    assert "x+" not in by_store["duck"]["sql"]
    assert "x+" in found["combine_sql"]
    limit = by_store["duck"]["limits"][0]
    assert (limit["kind"], limit["features"]) == ("feature", ["regular_expression"])
    assert cli.main(["explain", str(in_parts), "--query", "named"]) == 0
    shown = " ".join(capfd.readouterr().out.split())
    assert "Not sent: filters with regular expression, which store 'duck' cannot express" in shown


def test_a_fragment_that_takes_keys_says_of_which_view(in_parts, capfd):
    assert cli.main(["explain", str(in_parts), "--query", "named", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    by_store = {each["store"]: each for each in found["fragments"]}
    (key,) = by_store["pg"]["keys"]
    assert by_store["pg"]["reducers"]
    assert (key["store"], key["view"]) == ("duck", by_store["duck"]["view"])
    assert by_store["duck"]["keys"] == []
    assert cli.main(["explain", str(in_parts), "--query", "named"]) == 0
    shown = " ".join(capfd.readouterr().out.split())
    assert f"among the keys of {key['view']}.{key['view_column']}" in shown


def test_a_fragment_that_hands_out_partial_aggregates_says_so(in_parts, capfd):
    # The keys tell how many customers have orders.
    schema = in_parts.parent / "schema.sql"
    text = schema.read_text()
    keyed = text.replace("customer INTEGER, t", "customer INTEGER REFERENCES customers, t")
    schema.write_text(keyed)
    assert cli.main(["explain", str(in_parts), "--query", "named", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    by_store = {each["store"]: each for each in found["fragments"]}
    assert by_store["pg"]["preaggregated"]
    assert not by_store["duck"]["preaggregated"]
    assert 'GROUP BY "orders"."customer"' in by_store["pg"]["sql"]
    assert 'SUM("fragment_' in found["combine_sql"]
    assert found["combiner"] == "duckdb"
    assert found["lacked_by_spark"] == ["regular_expression"]
    assert cli.main(["explain", str(in_parts), "--query", "named"]) == 0
    shown = " ".join(capfd.readouterr().out.split())
    assert "Pre-aggregated: a row for each group that the rest of the query tells apart" in shown
    assert cli.main(["place", str(in_parts), "--json"]) == 0
    routing = json.loads(capfd.readouterr().out)["routing"]["named"]
    assert {each["store"]: each["preaggregated"] for each in routing} == {"pg": True, "duck": False}


def test_a_fragment_with_the_rows_of_another_is_said_to_be_read_once(in_parts, capfd):
    named = "SELECT {} FROM orders JOIN customers ON customer = customers.id WHERE region = 3"
    both = f"{named.format('SUM(total)')} UNION ALL {named.format('MAX(total) + 1')}"
    (in_parts.parent / "queries.sql").write_text(f"-- name: named\n{both};\n")
    assert cli.main(["explain", str(in_parts), "--query", "named", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)["fragments"]
    first, second = (each for each in found if each["tables"] == ["customers"])
    assert (first["same_as"], second["same_as"]) == (None, first["view"])
    assert second["sql"] == first["sql"]
    assert cli.main(["explain", str(in_parts), "--query", "named"]) == 0
    said = " ".join(capfd.readouterr().out.split())
    assert f"Not read: its rows are those of {first['view']}." in said


def test_a_scan_that_is_read_for_several_fragments_is_shown_once(in_parts, capfd, monkeypatch):
    monkeypatch.setattr(one_scans, "LEAST_BYTES", 0.0)
    in_parts.write_text(in_parts.read_text().replace('kind = "mysql"', 'kind = "accumulo"'))
    count = "SELECT count(*) FROM customers WHERE region"
    both = f"{count} < 3 UNION ALL {count} > 5"
    (in_parts.parent / "queries.sql").write_text(f"-- name: named\n{both};\n")
    assert cli.main(["explain", str(in_parts), "--query", "named", "--json"]) == 0
    first, second = json.loads(capfd.readouterr().out)["fragments"]
    assert first["one_scan"] == second["one_scan"]
    assert first["one_scan"]["view"] == first["view"]
    assert " OR " in first["one_scan"]["sql"]
    assert cli.main(["explain", str(in_parts), "--query", "named"]) == 0
    said = " ".join(capfd.readouterr().out.split())
    assert "Other fragments read this table too. One scan is read for all of them:" in said
    assert f"Not read: its rows are taken from the scan of {first['view']}." in said
