"""Constructs of single dialects, rewritten in common SQL after parsing, before names count.

Each rewrite is a function of one node, changed in place; `RULES` is all of them.
"""

from collections.abc import Callable, Mapping
from functools import cache

import duckdb
from sqlglot import exp

from workloads.catalog import Catalog

PSEUDO_COLUMNS = frozenset(
    {"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid", "rowid", "_rowid_", "oid", "ora_rowscn"}
)
"""Names that systems give to where a row lies and who wrote it."""


def plain(tree: exp.Query) -> exp.Query:
    """Return `tree` without what single dialects add and no other understands."""
    for node in list(tree.find_all(*RULES)):
        rule = RULES.get(type(node))
        if rule is not None:
            rule(node)
    return tree


def _select(select: exp.Expr) -> None:
    """Drop hints, settings and formats; PostgreSQL's SELECT without columns gets one."""
    for key in ("hint", "settings", "format", "options"):
        if select.args.get(key):
            select.set(key, None)
    if not select.expressions:
        select.set("expressions", [exp.alias_(exp.Literal.number(1), "_")])


def _table(table: exp.Expr) -> None:
    """Drop hints and the names of partitions."""
    for key in ("hints", "partition"):
        if table.args.get(key):
            table.set(key, None)


def _final(final: exp.Expr) -> None:
    """Drop ClickHouse's FINAL."""
    final.replace(final.this)


def order_by_all(order: exp.Expr) -> None:
    """Write ORDER BY ALL as the numbers of the output columns, which sort as it does.

    With a star this is left to be done once it has been resolved.
    """
    query, terms = order.parent, order.expressions
    if len(terms) != 1 or not _is_all(terms[0].this):
        return
    if not isinstance(query, exp.Query) or isinstance(query, exp.Subquery) or query.is_star:
        return
    numbered = [terms[0].copy() for _ in query.selects]
    for number, term in enumerate(numbered, start=1):
        term.set("this", exp.Literal.number(number))
    order.set("expressions", numbered)


def _is_all(term: exp.Expr) -> bool:
    if isinstance(term, exp.Column):
        return not term.table and term.name.upper() == "ALL" and not term.this.args.get("quoted")
    return isinstance(term, exp.Var) and term.name.upper() == "ALL"


def _with(with_: exp.Expr) -> None:
    """Put the value of ClickHouse's WITH value AS name wherever the name stands."""
    query = with_.parent
    for cte in [cte for cte in with_.expressions if cte.args.get("scalar")]:
        name, value = cte.alias.lower(), cte.this
        cte.pop()
        for column in list(query.find_all(exp.Column)) if query is not None else ():
            if not column.table and column.name.lower() == name:
                column.replace(exp.paren(value.copy()))
    if not with_.expressions:
        with_.pop()


def _join(join: exp.Expr) -> None:
    """Write ClickHouse's ARRAY JOIN as a lateral UNNEST."""
    if join.args.get("kind") != "ARRAY":
        return
    lists = [join.this, *join.expressions]
    names = [exp.to_identifier(each.alias_or_name) for each in lists]
    unnested = exp.Unnest(
        expressions=[each.unalias().copy() for each in lists],
        alias=exp.TableAlias(this=exp.to_identifier(f"_{names[0].name}"), columns=names),
    )
    outer = bool(join.args.get("side"))
    kind = {"kind": None, "on": exp.true()} if outer else {"kind": "CROSS"}
    for key, value in {"this": unnested, "expressions": None, **kind}.items():
        join.set(key, value)


def _quantified(node: exp.Expr) -> None:
    """Make what follows ``x = ANY (…)`` apply to the comparison, as ``::INT`` and ``+ 1`` do.

    sqlglot applies it to what ANY and ALL compare with.
    """
    inside = node.this
    compared = inside
    while isinstance(compared, (exp.Cast, exp.Binary)):
        compared = compared.this
    if compared is not inside and isinstance(compared, (exp.Paren, exp.Subquery)):
        node.replace(inside)
        compared.replace(node)
        node.set("this", compared)
    last = node
    while isinstance(last.parent, (exp.Cast, exp.Binary)) and last.arg_key == "this":
        last = last.parent
    comparison = last.parent
    if last is not node and isinstance(comparison, exp.Binary):
        comparison.replace(last)
        node.replace(exp.Paren(this=comparison))
        comparison.set("expression", node)


def _introducer(introduced: exp.Expr) -> None:
    """Drop the name of the character set before a text of MySQL, where it changes no letter."""
    text = introduced.expression
    unchanged = introduced.name.lower().startswith("_utf8") or text.name.isascii()
    if isinstance(text, exp.Literal) and unchanged:
        introduced.replace(text)


def _charset(type_: exp.Expr) -> None:
    """Drop the character set of a text of MySQL: all are UTF-8 here."""
    if type_.this == exp.DType.CHARACTER_SET and type_.text("kind").lower() != "binary":
        type_.set("this", exp.DType.CHAR)
        type_.set("kind", None)


def _columns(columns: exp.Expr) -> None:
    """Write DuckDB's COLUMNS(*) as the star that it is where nothing is made of its columns."""
    star = columns.this
    is_star = isinstance(star, exp.Star) or (isinstance(star, exp.Column) and star.is_star)
    if is_star and isinstance(columns.parent, exp.Select) and columns.arg_key == "expressions":
        columns.replace(star)


@cache
def _aggregates() -> frozenset[str]:
    with duckdb.connect() as connection:
        rows = connection.execute(
            "SELECT function_name FROM duckdb_functions() WHERE function_type = 'aggregate'"
        ).fetchall()
    return frozenset(str(row[0]).lower() for row in rows)


def _anonymous(call: exp.Expr) -> None:
    """Tell aggregates of DuckDB that sqlglot has no class for from other functions."""
    if call.name.lower() in _aggregates():
        call.replace(exp.AnonymousAggFunc(this=call.this, expressions=call.expressions))


RULES: Mapping[type[exp.Expr], Callable[[exp.Expr], None]] = {
    exp.Select: _select,
    exp.Table: _table,
    exp.Final: _final,
    exp.Order: order_by_all,
    exp.With: _with,
    exp.Join: _join,
    exp.Any: _quantified,
    exp.All: _quantified,
    exp.Anonymous: _anonymous,
    exp.Columns: _columns,
    exp.Introducer: _introducer,
    exp.DataType: _charset,
}


def hide_pseudo_columns(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """Write the places of rows, which no catalog lists, as values that nobody knows."""
    columns = [each for each in tree.find_all(exp.Column) if each.name.lower() in PSEUDO_COLUMNS]
    for column in columns:
        wanted = column.name.lower()
        listed = any(
            each.name.lower() == wanted
            for table in catalog.tables.values()
            for each in table.columns
        )
        aliased = any(each.alias.lower() == wanted for each in tree.find_all(exp.Alias))
        if not (listed or aliased):
            hidden: exp.Expr = exp.Placeholder()
            is_output = isinstance(column.parent, exp.Select) and column.arg_key == "expressions"
            column.replace(exp.alias_(hidden, wanted) if is_output else hidden)
    return tree
