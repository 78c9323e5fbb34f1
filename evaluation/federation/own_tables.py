"""Tables that a store has by itself, in the SQL that it gets: under their own names."""

from sqlglot import exp

from evaluation.federation.store_dialect import StoreDialect
from workloads.catalog import Table

_MARKS = {"mysql": "`"}


def with_own_tables(tree: exp.Query, target: StoreDialect) -> exp.Query:
    """Read the store's own tables, which `spell_names` has named as copies, where they are.

    A table with values that copies have in another form is read as a derived table that gives them
    in that form: text by code point, whatever the column's collation is. Servers merge such a
    derived table with the query around it, so that indexes of the other columns are used.
    """
    if not target.own:
        return tree
    for relation in list(tree.find_all(exp.Table)):
        table = target.own.get(relation.name) if relation.db == target.namespace else None
        if table is None:
            continue
        relation.set("this", exp.to_identifier(table.own_name, quoted=True))
        relation.set("db", exp.to_identifier(table.schema, quoted=True))
        if any(column.read_as for column in table.columns):
            relation.replace(_derived(relation, table, target))
    return tree


def _derived(relation: exp.Table, table: Table, target: StoreDialect) -> exp.Subquery:
    alias = relation.args.get("alias")
    named = relation.copy()
    named.set("alias", None)
    read = exp.select(*(_value(each.name, each.read_as, target) for each in table.columns))
    return exp.Subquery(this=read.from_(named), alias=alias.copy() if alias else None)


def _value(name: str, read_as: str, target: StoreDialect) -> exp.Expr:
    if not read_as:
        return exp.column(name, quoted=True)
    mark = _MARKS.get(target.dialect, '"')
    column = mark + name.replace(mark, 2 * mark) + mark
    # Written as it stands: it is the server's own SQL, and says no more than a value.
    value = exp.Var(this=read_as.replace("{}", column))
    return exp.alias_(value, exp.to_identifier(name, quoted=True), copy=False)
