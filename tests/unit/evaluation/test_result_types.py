"""The computed columns of a fragment are cast to the types that DuckDB gives them."""

from sqlglot import exp, parse_one

from evaluation.federation.named_outputs import named_outputs
from evaluation.federation.result_types import cast_results


def test_a_subquery_that_was_named_anew_is_cast_without_its_name():
    tree = parse_one("SELECT (SELECT max(x) FROM d) AS a FROM n", read="duckdb")
    assert isinstance(tree, exp.Query)
    cast = cast_results(named_outputs(tree, ("A",)), ("INTEGER",), "duckdb")
    assert cast.sql("duckdb") == "SELECT CAST((SELECT MAX(x) FROM d) AS BIGINT) AS A FROM n"
