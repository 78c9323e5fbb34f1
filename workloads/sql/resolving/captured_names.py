"""CTEs that are called as a table is which the statement names with its schema."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count

from sqlglot import exp

from workloads.sql.resolving.views import cte_of


def renamed_ctes(
    tree: exp.Expr, ctes: Sequence[exp.CTE], quoted: Callable[[str], str]
) -> Iterator[tuple[int, int, str]]:
    """Yield what gives `ctes` other names, as (start, end, text instead).

    What reads one keeps the old name as its alias, so that its columns are found.
    """
    taken = {each.name.lower() for each in tree.find_all(exp.Table)}
    taken |= {each.alias.lower() for each in tree.find_all(exp.CTE)}
    for cte in {id(each): each for each in ctes}.values():
        names = (f"{cte.alias}_{number}" for number in count(2))
        new = next(name for name in names if name.lower() not in taken)
        taken.add(new.lower())
        yield (*_place(cte.args["alias"].this), quoted(new))
        for table in tree.find_all(exp.Table):
            if cte_of(table) is cte:
                alias = "" if table.alias else f" AS {quoted(table.name)}"
                yield (*_place(table.this), quoted(new) + alias)


def _place(name: exp.Expr) -> tuple[int, int]:
    return int(name.meta["start"]), int(name.meta["end"]) + 1
