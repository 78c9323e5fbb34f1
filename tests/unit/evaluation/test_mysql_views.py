"""Views lose their database's name, and no other that is alike."""

import pytest

from evaluation.live.mysql_views import without_schema


@pytest.mark.parametrize(
    ("schema", "written", "read"),
    [
        (
            "shop",
            "select `shop`.`t`.`a` AS `a`,`u`.`b` AS `b` from (`shop`.`t` join `shop`.`v` `u`)",
            "select `t`.`a` AS `a`,`u`.`b` AS `b` from (`t` join `v` `u`)",
        ),
        # A table that is called like its database.
        (
            "orders",
            "select `orders`.`orders`.`id` AS `id` from (`orders`.`orders` join `orders`.`c`)",
            "select `orders`.`id` AS `id` from (`orders` join `c`)",
        ),
        # An alias that is: `o`.`id` may be a column, and `o`.`t` a table.
        ("o", "select `o`.`id` AS `id` from `o`.`t` `o`", None),
        # A column that is, of another table.
        ("a", "select `t`.`a` AS `a` from `a`.`t`", "select `t`.`a` AS `a` from `t`"),
    ],
)
def test_a_view_loses_the_name_of_its_database_alone(schema: str, written: str, read: str | None):
    assert without_schema(written, schema) == (written if read is None else read)
