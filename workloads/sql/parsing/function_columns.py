"""Columns of functions in FROM, which PostgreSQL names after their alias.

``FROM film, to_tsquery('x') query`` has a column ``query``: a function that gives one value a row
has one column of its alias's name. sqlglot knows none of its columns.
"""

from collections.abc import Iterator, Mapping

from sqlglot import exp

ALIASED = frozenset({"postgres", "redshift", "materialize", "risingwave"})
"""The dialects in which that holds."""

_PAIRS = ("key", "value")
_NAMED: Mapping[str, tuple[str, ...]] = {
    "json_each": _PAIRS,
    "json_each_text": _PAIRS,
    "jsonb_each": _PAIRS,
    "jsonb_each_text": _PAIRS,
    "json_array_elements": ("value",),
    "json_array_elements_text": ("value",),
    "jsonb_array_elements": ("value",),
    "jsonb_array_elements_text": ("value",),
}
"""Functions whose columns have names of their own."""


def name_function_columns(tree: exp.Expr) -> None:
    """Write the columns of functions in FROM beside their aliases, where their names are known."""
    for relation in list(tree.find_all(exp.Table, exp.Unnest, exp.Lateral)):
        function = relation if isinstance(relation, exp.Unnest) else relation.this
        select = relation.parent_select
        if select is None or not isinstance(function, exp.Func) or relation.alias_column_names:
            continue
        name = function.name.lower() if isinstance(function, exp.Anonymous) else ""
        alias = relation.alias or name
        columns = _columns(select, alias, _NAMED.get(name, ()))
        if alias and columns:
            listed = [exp.to_identifier(each) for each in columns]
            quoted = exp.to_identifier(alias)
            relation.set("alias", exp.TableAlias(this=quoted, columns=listed))


def _columns(select: exp.Select, alias: str, named: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns of the function called `alias`; none where nothing tells them.

    The alias alone stands for the value: of a function whose one column has a name of its own, it
    is written as that.
    """
    bare = list(_values(select, alias))
    others = any(
        column.table.lower() == alias.lower() and column.name.lower() != alias.lower()
        for column in select.find_all(exp.Column)
    )
    if named:
        for column in bare if len(named) == 1 else ():
            column.set("this", exp.to_identifier(named[0]))
            column.set("table", exp.to_identifier(alias))
        return named
    return (alias,) if bare and not others else ()


def _values(select: exp.Select, alias: str) -> Iterator[exp.Column]:
    """Yield the columns without a table that are called as the alias is."""
    for column in select.find_all(exp.Column):
        if not column.table and column.name.lower() == alias.lower():
            yield column
