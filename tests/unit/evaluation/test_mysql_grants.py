"""Rights are read from what MySQL and MariaDB say of them."""

import pytest

from evaluation.checks.mysql_grants import missing, read

WANTED = ("SELECT", "CREATE", "SHOW VIEW")


@pytest.mark.parametrize(
    ("line", "database", "table", "expected"),
    [
        ("GRANT USAGE ON *.* TO `a`@`%`", "shop", None, WANTED),
        ("GRANT ALL PRIVILEGES ON *.* TO `a`@`%` WITH GRANT OPTION", "shop", None, ()),
        ("GRANT SELECT, SHOW VIEW ON `shop`.* TO `a`@`%`", "shop", None, ("CREATE",)),
        ("GRANT SELECT, CREATE, SHOW VIEW ON `shop`.* TO `a`@`%`", "shops", None, WANTED),
        # In the name of a database "_" and "%" stand for others, unless they are escaped.
        ("GRANT ALL PRIVILEGES ON `a_b`.* TO `a`@`%`", "axb", None, ()),
        (r"GRANT ALL PRIVILEGES ON `a\_b`.* TO `a`@`%`", "axb", None, WANTED),
        (r"GRANT ALL PRIVILEGES ON `a\_b`.* TO `a`@`%`", "a_b", None, ()),
        ("GRANT ALL PRIVILEGES ON `team%`.* TO `a`@`%`", "team one", None, ()),
        ("GRANT ALL PRIVILEGES ON `od``d`.* TO `a`@`%`", "od`d", None, ()),
        # A table's grant is no database's; one on columns is no table's.
        ("GRANT SELECT, CREATE, SHOW VIEW ON `shop`.`t` TO `a`@`%`", "shop", None, WANTED),
        ("GRANT SELECT, CREATE, SHOW VIEW ON `shop`.`t` TO `a`@`%`", "shop", "t", ()),
        ("GRANT SELECT (`id`), CREATE ON `shop`.`t` TO `a`@`%`", "shop", "t", WANTED[::2]),
        ("GRANT PROXY ON ''@'%' TO 'a'@'%' WITH GRANT OPTION", "shop", None, WANTED),
        ("GRANT `reader`@`%` TO `a`@`%`", "shop", None, WANTED),
        ("GRANT EXECUTE ON PROCEDURE `shop`.`p` TO `a`@`%`", "shop", None, WANTED),
    ],
)
def test_a_line_grants_what_it_says(
    line: str, database: str, table: str | None, expected: tuple[str, ...]
) -> None:
    assert missing(tuple(read([line])), WANTED, database, table) == expected


def test_rights_of_several_lines_add_up() -> None:
    lines = ["GRANT SELECT ON *.* TO `a`@`%`", "GRANT CREATE, SHOW VIEW ON `shop`.* TO `a`@`%`"]
    assert missing(tuple(read(lines)), WANTED, "shop") == ()
    assert missing(tuple(read(lines)), WANTED, "crm") == WANTED[1:]
