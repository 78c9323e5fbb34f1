"""UPDATE, DELETE and MERGE: the tables that they write, and the query that finds the rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.sql.resolving.resolve import unknown_column
from workloads.workload import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The tables that a statement writes, and the queries that it needs answered for it.

    `assigned` are the columns that an UPDATE sets, in small letters.
    """

    targets: tuple[exp.Table, ...]
    reads: tuple[exp.Query, ...]
    assigned: frozenset[str] = frozenset()


class RowChanges:
    """Takes the UPDATE, DELETE and MERGE statements of one text apart."""

    def __init__(self, query: Query, catalog: Catalog) -> None:
        self._query = query
        self._tables = {name.lower(): table for name, table in catalog.tables.items()}

    def update(self, tree: exp.Update) -> Change:
        """Return what UPDATE writes and reads: its targets' keys and the new values."""
        from_ = tree.args.get("from_")
        relations = self._relations(tree.this, [from_.this] if from_ else [])
        aliases = _aliases(relations)
        values: list[exp.Expr] = []
        targets: dict[int, exp.Table] = {}
        for assignment in tree.expressions:
            left, right = assignment.this, assignment.args.get("expression")
            for column in left.find_all(exp.Column) if left is not None else ():
                for table in self._owners(column, tree.this, aliases):
                    targets[id(table)] = table
            values += _values(right)
        written = tuple(targets.values()) or tuple(tables_in([tree.this]))
        left = (each.this for each in tree.expressions)
        assigned = (column for each in left if each for column in each.find_all(exp.Column))
        found = self._selected(tree, written, relations, values)
        return replace(found, assigned=frozenset(column.name.lower() for column in assigned))

    def delete(self, tree: exp.Delete) -> Change:
        """Return what DELETE writes and reads: its targets' keys."""
        using = tree.args.get("using") or []
        listed = tree.args.get("tables") or []
        is_list_of_targets = bool(using) and bool(tree.this.args.get("joins"))
        if is_list_of_targets:
            # MySQL's DELETE FROM t1, t2 USING …: the first list only names.
            listed = [tree.this, *(join.this for join in tree.this.args["joins"])]
            relations = _flattened(using)
        else:
            relations = self._relations(tree.this, using)
        aliases = _aliases(relations)
        targets = [aliases.get(table.name.lower(), table) for table in listed or [relations[0][1]]]
        return self._selected(tree, tuple(tables_in(targets)), relations, [])

    def merge(self, tree: exp.Merge) -> Change:
        """Return what MERGE writes and reads: target and source joined."""
        whens = list(tree.args["whens"].expressions)
        sides = {(bool(when.args.get("matched")), bool(when.args.get("source"))) for when in whens}
        side = "LEFT" if (False, False) in sides else ""
        if (False, True) in sides:
            side = "FULL" if side else "RIGHT"
        join = exp.Join(this=tree.this.copy(), side=side or None, on=tree.args["on"].copy())
        values = [value for when in whens for value in _merged(when, tree.args["using"])]
        select = exp.Select(expressions=named([*self._key_columns(tree.this), *values]))
        select.set("from_", exp.From(this=tree.args["using"].copy()))
        select.set("joins", [join])
        read = with_ctes(select, tree.args.get("with_"))
        return Change(targets=tuple(tables_in([tree.this])), reads=(read,))

    def _selected(
        self,
        tree: exp.Update | exp.Delete,
        targets: tuple[exp.Table, ...],
        relations: Sequence[tuple[exp.Join | None, exp.Expr]],
        values: list[exp.Expr],
    ) -> Change:
        """Return the change with the query that finds the rows to change."""
        where = tree.args.get("where")
        looks = [*values, *([where] if where else [])]
        reads_nothing = not any(look.find(exp.Column, exp.Query) for look in looks)
        if reads_nothing and len(relations) == 1:
            return Change(targets=targets, reads=())
        keys = [key for target in targets for key in self._key_columns(target)]
        select = exp.Select(expressions=named([*keys, *values]))
        select.set("from_", exp.From(this=relations[0][1].copy()))
        joins = []
        for join, relation in relations[1:]:
            joins.append(join.copy() if join is not None else exp.Join(this=relation.copy()))
        select.set("joins", joins)
        for key in ("where", "order", "limit"):
            if tree.args.get(key) is not None:
                select.set(key, tree.args[key].copy())
        return Change(targets=targets, reads=(with_ctes(select, tree.args.get("with_")),))

    def _relations(
        self, target: exp.Expr, others: Sequence[exp.Expr]
    ) -> list[tuple[exp.Join | None, exp.Expr]]:
        """Return what is read, in order, each with the join that brings it in."""
        found = _flattened(others)
        if target.name.lower() in _aliases(found):
            # T-SQL's UPDATE x … FROM t AS x: the target only names a relation.
            return found
        return [*_flattened([target]), *found]

    def _owners(
        self, column: exp.Column, target: exp.Expr, aliases: Mapping[str, exp.Table]
    ) -> Iterator[exp.Table]:
        """Yield the tables that an assignment to `column` writes."""
        if column.table:
            table = aliases.get(column.table.lower())
            if table is not None:
                self._refuse_unknown(column, table)
                yield table
            return
        if not target.args.get("joins"):
            for table in tables_in([aliases.get(target.alias_or_name.lower(), target)]):
                self._refuse_unknown(column, table)
                yield table
            return
        name = column.name.lower()
        for table in aliases.values():
            if name in self._columns(table):
                yield table

    def _refuse_unknown(self, column: exp.Column, table: exp.Table) -> None:
        known = self._columns(table)
        if known and column.name.lower() not in known:
            raise unknown_column(column, column.name, known, self._query)

    def _columns(self, table: exp.Table) -> set[str]:
        known = self._tables.get(table.name.lower())
        return {column.name.lower() for column in known.columns} if known else set()

    def _key_columns(self, target: exp.Expr) -> list[exp.Expr]:
        known = self._tables.get(target.name.lower())
        keys = known.primary_key if known else ()
        return [exp.column(key, table=target.alias_or_name) for key in keys]


def _flattened(relations: Iterable[exp.Expr]) -> list[tuple[exp.Join | None, exp.Expr]]:
    """Return relations and what is joined to them as one list, the joins beside."""
    found: list[tuple[exp.Join | None, exp.Expr]] = []
    for relation in relations:
        alone = relation.copy()
        joins = alone.args.get("joins") or []
        alone.set("joins", None)
        found.append((None, alone))
        found += [(join, join.this) for join in joins]
    return found


def _aliases(relations: Iterable[tuple[exp.Join | None, exp.Expr]]) -> dict[str, exp.Table]:
    return {
        relation.alias_or_name.lower(): relation
        for _, relation in relations
        if isinstance(relation, exp.Table)
    }


def tables_in(nodes: Iterable[exp.Expr]) -> Iterator[exp.Table]:
    """Yield the tables that are named where a statement says what it writes."""
    for node in nodes:
        table = node.this if isinstance(node, exp.Schema) else node
        if isinstance(table, exp.Table) and table.name:
            yield table


def _values(right: exp.Expr | None) -> list[exp.Expr]:
    """Return the new values of one assignment that are read from somewhere."""
    if right is None or right.find(exp.Column, exp.Query) is None:
        return []
    inner = right.unnest()
    if isinstance(inner, exp.Tuple):
        return [value for each in inner.expressions for value in _values(each)]
    if isinstance(inner, exp.Select) and len(inner.selects) > 1:
        # A query of several columns is no value: each column is one of its own.
        return [
            exp.Subquery(this=inner.copy().select(each.copy(), append=False))
            for each in inner.selects
        ]
    if isinstance(inner, exp.Column) and inner.name.upper() == "DEFAULT":
        return []
    return [right.copy()]


def _merged(when: exp.Expr, using: exp.Expr) -> Iterator[exp.Expr]:
    """Yield what one WHEN of a MERGE reads: its condition and the new values."""
    condition = when.args.get("condition")
    if condition is not None:
        yield condition.copy()
    then = when.args.get("then")
    if isinstance(then, exp.Update):
        parts = then.expressions
        where = then.args.get("where")
        if where is not None:
            yield where.this.copy()
    elif isinstance(then, exp.Insert):
        values = then.args.get("expression")
        parts = values.expressions if isinstance(values, exp.Tuple) else [then.this]
    else:
        parts = []
    for part in parts:
        if isinstance(part, exp.EQ):
            yield from _values(part.expression)
        elif isinstance(part, (exp.Star, exp.Var)):
            yield exp.Column(this=exp.Star(), table=exp.to_identifier(using.alias_or_name))
        elif not isinstance(part, exp.Tuple):
            yield from _values(part)


def named(values: Sequence[exp.Expr]) -> list[exp.Expr]:
    """Return output columns with a name each; one constant where there is none."""
    if not values:
        return [exp.alias_(exp.Literal.number(1), "found")]
    return [
        value if value.is_star else exp.alias_(value.unalias(), f"value_{index}")
        for index, value in enumerate(values, start=1)
    ]


def with_ctes(read: exp.Query, with_: exp.Expr | None) -> exp.Query:
    """Put the CTEs of the statement around before those of the query."""
    if with_ is None:
        return read
    own = read.args.get("with_")
    outer = with_.copy()
    if own is not None:
        outer.set("expressions", [*outer.expressions, *(cte.copy() for cte in own.expressions)])
    read.set("with_", outer)
    return read
