"""Rows of a whole query are put in its order again, where it has one."""

from evaluation.federation.row_order import OrderedBy, rows_again


def test_rows_are_sorted_again_by_hidden_columns_too():
    by = OrderedBy(place=1, descending=True, nulls_first=False)
    again = rows_again("f", ("a", "ordered_by_0"), ("A",), (by,)).sql("duckdb", identify=True)
    assert again == 'SELECT "a" AS "A" FROM "f" ORDER BY "ordered_by_0" DESC'


def test_rows_without_an_order_are_read_as_they_come():
    again = rows_again("f", ("a",), ("A",), ()).sql("duckdb", identify=True)
    assert again == 'SELECT "a" AS "A" FROM "f"'
