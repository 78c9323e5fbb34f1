from sqlglot import exp, parse_one

from evaluation.federation.ordered_outputs import ordered_outputs


def written(sql: str) -> str:
    tree = parse_one(sql, into=exp.Select, read="spark")
    return ordered_outputs(tree).sql("spark", identify=True)


def test_distinct_rows_are_ordered_by_their_column():
    said = written("SELECT DISTINCT (f.x) AS y FROM f ORDER BY f.x DESC LIMIT 3")
    assert said == "SELECT DISTINCT (`f`.`x`) AS `y` FROM `f` ORDER BY `y` DESC LIMIT 3"


def test_rows_that_may_be_equal_are_ordered_as_they_were():
    said = written("SELECT f.x AS y FROM f ORDER BY f.x")
    assert said.endswith("ORDER BY `f`.`x`")


def test_what_is_no_column_of_the_result_stays():
    said = written("SELECT DISTINCT f.x AS y FROM f ORDER BY f.x + 1")
    assert said.endswith("ORDER BY `f`.`x` + 1")
