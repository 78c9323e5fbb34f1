"""Reads inside statements that write, each as a query that can be placed."""

import re
from dataclasses import replace

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.sql.parsing.door import door, error_at
from workloads.sql.parsing.parse import statement
from workloads.sql.resolving.resolve import unknown_column
from workloads.sql.resolving.views import cte_of
from workloads.sql.row_changes import Change, RowChanges, named, tables_in, with_ctes
from workloads.workload import Query

_CHANGES = (exp.Insert, exp.Update, exp.Delete, exp.Merge)

_MODIFIERS = re.compile(
    r"\s*(?:INSERT|REPLACE|UPDATE|DELETE)(?P<blank>(?:\s+(?:LOW_PRIORITY|DELAYED|HIGH_PRIORITY|QUICK"
    r"|IGNORE(?!\s+(?:INTO|SET)\b))\b)+|\s+TOP\s*\(\s*[\w@?.]+\s*\)(?:\s+PERCENT\b)?)",
    re.IGNORECASE,
)
_CURRENT = re.compile(r"\bWHERE\s+CURRENT\s+OF\s+\w+", re.IGNORECASE)
_OVERRIDING = re.compile(
    r"\A(?P<before>\s*INSERT\s[^'();]*(?:\([^'();]*\))?\s*)OVERRIDING\s+(?:SYSTEM|USER)\s+VALUE\b",
    re.IGNORECASE,
)
_REPLACE = re.compile(r"(?P<before>(?:\s|/\*.*?\*/)*)REPLACE\b", re.IGNORECASE | re.DOTALL)


def change(query: Query, catalog: Catalog, dialect: str) -> Change:
    """Parse a statement that writes, and take it apart.

    The query of UPDATE, DELETE and MERGE gives the target's primary key and the new values.

    Raises:
        SqlError: The text does not parse, or does not say what it writes.
    """
    tree = statement(_plain(query), dialect)
    with door(query):
        return _Reading(query, catalog).of(tree)


def writes_within(tree: exp.Expr) -> bool:
    """Whether a WITH of the statement holds one that writes."""
    return any(isinstance(cte.this, _CHANGES) for cte in tree.find_all(exp.CTE))


def _plain(query: Query) -> Query:
    """Return `query` in words that sqlglot reads, every character in its place."""
    text = query.sql
    found = _MODIFIERS.match(text)
    if found is not None:
        start, end = found.span("blank")
        text = text[:start] + " " * (end - start) + text[end:]
    text = _CURRENT.sub(lambda part: " " * len(part[0]), text)
    text = _OVERRIDING.sub(lambda part: part["before"].ljust(len(part[0])), text)
    replaces = _REPLACE.match(text)
    if replaces is not None:
        text = f"{replaces['before']}INSERT {text[replaces.end() :]}"
    return replace(query, sql=text)


class _Reading:
    """Takes the statements of one text apart."""

    def __init__(self, query: Query, catalog: Catalog) -> None:
        self._query = query
        self._tables = {name.lower(): table for name, table in catalog.tables.items()}
        self._rows = RowChanges(query, catalog)

    def of(self, tree: exp.Expr) -> Change:
        """Return what `tree` writes and reads."""
        targets: list[exp.Table] = []
        reads: list[exp.Query] = []
        for cte in [cte for cte in tree.find_all(exp.CTE) if isinstance(cte.this, _CHANGES)]:
            inner = self._change(cte.this)
            targets += inner.targets
            answer = self._returned(cte.this, inner)
            is_read = any(cte_of(table) is cte for table in tree.find_all(exp.Table))
            with_ = cte.parent
            if is_read:
                cte.set("this", answer)
                continue
            cte.pop()
            if isinstance(with_, exp.With) and not with_.expressions:
                with_.pop()
            reads += inner.reads
        if isinstance(tree, exp.Query):
            return Change(targets=tuple(targets), reads=(tree, *reads))
        outer = self._change(tree)
        return replace(outer, targets=(*outer.targets, *targets), reads=(*outer.reads, *reads))

    def _change(self, tree: exp.Expr) -> Change:
        if isinstance(tree, exp.TruncateTable):
            tables = tree.expressions or [tree.this]
            return Change(targets=tuple(tables_in(tables)), reads=())
        found: Change | None = None
        match tree:
            case exp.Insert():
                found = self._insert(tree)
            case exp.Update():
                found = self._rows.update(tree)
            case exp.Delete():
                found = self._rows.delete(tree)
            case exp.Merge():
                found = self._rows.merge(tree)
            case exp.Copy():
                found = self._copy(tree)
            case exp.MultitableInserts():
                found = self._several_inserts(tree)
        if found is None:
            raise self._refused(f"{tree.key.upper()} is not understood as a statement that writes")
        return replace(found, targets=self._through_ctes(tree, found.targets))

    def _through_ctes(
        self, tree: exp.Expr, targets: tuple[exp.Table, ...]
    ) -> tuple[exp.Table, ...]:
        """Return the tables behind targets that are CTEs, as T-SQL has them."""
        with_ = tree.args.get("with_")
        ctes = {cte.alias.lower(): cte for cte in with_.expressions} if with_ else {}
        found: list[exp.Table] = []
        for target in targets:
            cte = ctes.pop(target.name.lower(), None) if not target.db else None
            from_ = cte.this.args.get("from_") if cte is not None else None
            if from_ is None:
                found.append(target)
            else:
                found += self._through_ctes(tree, tuple(tables_in([from_.this])))
        return tuple(found)

    def _insert(self, tree: exp.Insert) -> Change:
        source = tree.args.get("expression") or tree.args.get("source")
        reads: list[exp.Query] = []
        if isinstance(source, exp.Table):
            reads = [exp.select("*").from_(source.copy())]
        elif isinstance(source, exp.Values):
            reads = _selects_within(source)
        elif isinstance(source, (exp.Query, exp.Subquery)):
            inner = source.unnest()
            reads = [inner.copy()] if isinstance(inner, exp.Query) else []
        self._refuse_unknown_columns(tree.this)
        return Change(
            targets=tuple(tables_in([tree.this])),
            reads=tuple(with_ctes(read, tree.args.get("with_")) for read in reads),
        )

    def _several_inserts(self, tree: exp.MultitableInserts) -> Change:
        inserts = list(tree.find_all(exp.Insert))
        source = tree.args["source"]
        if isinstance(source, exp.Query) and not isinstance(source, exp.Subquery):
            reads: list[exp.Query] = [source.copy()]
        else:
            selects = [insert.expression for insert in inserts]
            reads = [
                select.copy().from_(source.copy())
                for select in selects
                if isinstance(select, exp.Select)
            ]
        targets = tuple(tables_in(insert.this for insert in inserts))
        return Change(targets=targets, reads=tuple(reads))

    def _copy(self, tree: exp.Copy) -> Change:
        source = tree.this
        if tree.args.get("kind"):
            return Change(targets=tuple(tables_in([source])), reads=())
        inner = source.unnest() if isinstance(source, exp.Subquery) else source
        if isinstance(inner, exp.Query):
            return Change(targets=(), reads=(inner.copy(),))
        columns = source.expressions if isinstance(source, exp.Schema) else []
        tables = list(tables_in([source]))
        names: list[exp.Expr] = [exp.column(column.name) for column in columns] or [exp.Star()]
        return Change(
            targets=(), reads=tuple(exp.select(*names).from_(table.copy()) for table in tables)
        )

    def _returned(self, tree: exp.Expr, inner: Change) -> exp.Query:
        """Return the rows that RETURNING of a statement in a WITH hands to its readers."""
        returning = tree.args.get("returning")
        outputs = [each.copy() for each in returning.expressions] if returning else []
        target = inner.targets[0] if inner.targets else None
        if target is None:
            raise self._refused("it does not say which table it writes")
        if not isinstance(tree, exp.Insert):
            read = inner.reads[0] if inner.reads else exp.select("*").from_(target.copy())
            if outputs:
                read.set("expressions", outputs)
            return read
        return self._inserted(tree, target, inner, outputs)

    def _inserted(
        self, tree: exp.Insert, target: exp.Table, inner: Change, outputs: list[exp.Expr]
    ) -> exp.Query:
        """Return the rows that are inserted, as the table has them: what is not given is NULL."""
        listed = tree.this.expressions if isinstance(tree.this, exp.Schema) else []
        table = self._tables.get(target.name.lower())
        columns = [column.name for column in table.columns] if table else []
        source = tree.args.get("expression")
        width = len(_outputs_of(source)) or len(listed) or len(columns)
        given = ([column.name.lower() for column in listed] or [c.lower() for c in columns])[:width]
        if isinstance(source, exp.Values):
            rows: exp.Expr = source.copy()
        else:
            rows = exp.Subquery(this=inner.reads[0] if inner.reads else exp.select("1"))
        names = [exp.to_identifier(name) for name in given]
        rows.set("alias", exp.TableAlias(this=exp.to_identifier("_inserted"), columns=names))
        whole: list[exp.Expr] = [
            exp.alias_(exp.column(name) if name.lower() in given else exp.null(), name)
            for name in columns
        ]
        select = exp.Select(expressions=whole or [exp.Star()])
        select.set("from_", exp.From(this=rows))
        if not outputs:
            return select
        derived = exp.alias_(exp.Subquery(this=select), target.alias_or_name, table=True)
        return exp.select(*outputs).from_(derived)

    def _refuse_unknown_columns(self, target: exp.Expr) -> None:
        table = self._tables.get(target.this.name.lower()) if target.this else None
        if table is None or not isinstance(target, exp.Schema):
            return
        known = {column.name.lower() for column in table.columns}
        for column in target.expressions:
            if column.name and column.name.lower() not in known:
                raise unknown_column(column, column.name, known, self._query)

    def _refused(self, reason: str) -> SqlError:
        return error_at(self._query, 0, reason)


def _outputs_of(source: exp.Expr | None) -> list[exp.Expr]:
    if isinstance(source, exp.Values):
        first = source.expressions[0] if source.expressions else None
        return list(first.expressions) if isinstance(first, exp.Tuple) else []
    if isinstance(source, exp.Query) and not source.is_star:
        return list(source.selects)
    return []


def _selects_within(values: exp.Expr) -> list[exp.Query]:
    """Return one query that answers all subqueries in a list of VALUES."""
    outermost = (exp.Subquery, exp.Exists)
    found = [
        node
        for node in values.walk(prune=lambda node: isinstance(node, outermost))
        if isinstance(node, outermost)
    ]
    return [exp.Select(expressions=named([node.copy() for node in found]))] if found else []
