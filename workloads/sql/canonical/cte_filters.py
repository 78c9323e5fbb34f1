"""Filters of a CTE's readers, asked of the CTE itself: what none of them wants is not computed.

A CTE that is read with ``d_moy = 1`` and again with ``d_moy = 2`` is restricted to both months.
Stores keep a CTE's rows for its readers without looking at their filters, and fragments of it
would be fetched whole.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.sql.blocks.pushdown import is_plain_relation, is_plain_select, is_plain_set
from workloads.sql.features.constructs import may_change
from workloads.sql.trees.predicates import conjuncts, marked_implied
from workloads.sql.trees.tree import QueryTree
from workloads.sql.typing.types import Types, typed_in
from workloads.sql.typing.value_kinds import OTHER, UNKNOWN, Kind

_EXACT, _UNLIKE = ("whole", "decimal"), (OTHER, UNKNOWN)
_MOST_READERS = 12
_MOST_CONJUNCTS = 24
"""A query with more of its own and from its readers gets no others: they would add up with depth,
and those of 400 derived tables in each other be 80,000."""


def filtered_derived_tables(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """Ask each derived table for what its reader wants of it, the outermost first."""
    types = Types(QueryTree(tree), typed_in(catalog))
    for select in list(tree.find_all(exp.Select, bfs=True)):
        joins = select.args.get("joins") or ()
        from_ = select.args.get("from_")
        if from_ is None:
            continue
        for relation in (from_.this, *(join.this for join in joins)):
            if isinstance(relation, exp.Subquery) and relation.alias:
                wanted = _wanted(select, relation.alias, types)
                if wanted and not relation.args["alias"].columns:
                    _restrict(relation.this, relation.this.named_selects, [wanted], types)
    return tree


def filtered_ctes(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """Restrict every CTE of the outermost WITH by the disjunction of its readers' filters."""
    with_ = tree.args.get("with_")
    if with_ is None or with_.args.get("recursive"):
        return tree
    types = Types(QueryTree(tree), typed_in(catalog))
    names = Counter(cte.alias for cte in tree.find_all(exp.CTE))
    # What is asked of a CTE has no query in it, so that nobody reads more of them in the end.
    tables: dict[str, list[exp.Table]] = defaultdict(list)
    for table in tree.find_all(exp.Table):
        if not table.db:
            tables[table.name].append(table)
    # A reader comes after what it reads: its own filters are complete when they are asked for.
    for cte in reversed(with_.expressions):
        if names[cte.alias] == 1 and not cte.args["alias"].columns:
            arms = list(_readers(tables[cte.alias], types))
            if arms and all(arms) and len(arms) <= _MOST_READERS:
                _restrict(cte.this, cte.this.named_selects, arms, types)
    return tree


def _readers(tables: Sequence[exp.Table], types: Types) -> Iterator[list[exp.Expr]]:
    """Yield the conjuncts on a CTE of each of its readers; none where they may not be moved."""
    for table in tables:
        select = table.find_ancestor(exp.Select)
        direct = isinstance(table.parent, (exp.From, exp.Join))
        alias = table.alias_or_name
        yield _wanted(select, alias, types) if select is not None and direct else []


def _wanted(select: exp.Select, alias: str, types: Types) -> list[exp.Expr]:
    """Return the conjuncts on one relation alone that rows of it have to meet to count.

    They are those of WHERE and of inner joins, and for what a LEFT, SEMI or ANTI JOIN compares
    with those of its condition: a row that does not meet that is no partner. Joins of other sides
    look at all rows.
    """
    joins = select.args.get("joins") or ()
    if any(join.side not in ("", "LEFT") or join.method for join in joins):
        return []
    where = select.args.get("where")
    kept = conjuncts(where.this if where else None)
    own = kept
    for join in joins:
        asked = conjuncts(join.args.get("on"))
        if not join.side and join.kind not in ("SEMI", "ANTI"):
            kept += asked
        elif join.this.alias_or_name == alias:
            own = asked
    return [
        part
        for part in dict.fromkeys((*own, *_equated(own, kept, alias, types)))
        if {column.table for column in part.find_all(exp.Column)} == {alias}
        and part.find(exp.Query) is None
        and not may_change(part)
    ]


def _equated(
    own: Sequence[exp.Expr], kept: Sequence[exp.Expr], alias: str, types: Types
) -> Iterator[exp.Expr]:
    """Yield the numbers that columns of `alias` have to be, as other columns equal to them are.

    ``a LEFT JOIN b ON b.x = a.x WHERE a.x = 1`` has partners with 1 alone (q78). Whole and decimal
    numbers are equal in whatever types they are compared. Others, texts and dates need not be: a
    FLOAT of 0.1 is, and the DOUBLE of the same value is not.
    """
    numbers = [
        (column, number)
        for left, right in _equalities(kept)
        for column, number in ((left, right), (right, left))
        if isinstance(number, exp.Literal) and not number.is_string
        if "e" not in number.this.lower()
    ]
    for left, right in _equalities(own):
        for mine, theirs in ((left, right), (right, left)):
            if not isinstance(mine, exp.Column) or mine.table != alias:
                continue
            if not all(types.of(each).family in _EXACT for each in (mine, theirs)):
                continue
            for column, number in numbers:
                if isinstance(column, exp.Column) and column == theirs != mine:
                    yield exp.EQ(this=mine.copy(), expression=number.copy())


def _equalities(parts: Sequence[exp.Expr]) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    for part in parts:
        if isinstance(part, exp.EQ):
            yield part.left.unnest(), part.right.unnest()


def _restrict(
    query: exp.Expr,
    names: Sequence[str],
    arms: Sequence[Sequence[exp.Expr]],
    types: Types,
) -> None:
    """Add the disjunction of `arms`, conjunctions over output `names`, to all its SELECTs."""
    while isinstance(query, exp.Subquery) and is_plain_relation(query):
        query = query.this
    if isinstance(query, exp.SetOperation):
        if is_plain_set(query) and not query.args.get("by_name"):
            names = _of_one_kind(query, names, types)
            _restrict(query.left, names, arms, types)
            _restrict(query.right, names, arms, types)
        return
    if not isinstance(query, exp.Select) or not _may_be_restricted(query):
        return
    columns = dict(zip(names, _movable(query), strict=False))
    written = [_rewritten(arm, columns) for arm in arms]
    wanted = [arm for arm in written if arm is not None]
    if not wanted or not all(wanted):
        return
    arms_left = list(dict.fromkeys(exp.and_(*arm, copy=False) for arm in wanted))
    if len(arms_left) > 1:
        arms_left = [exp.paren(exp.or_(*arms_left, copy=False), copy=False)]
    where = query.args.get("where")
    known = conjuncts(where.this if where else None)
    new = [part for part in conjuncts(arms_left[0]) if part not in known]
    few = new[: max(0, _MOST_CONJUNCTS - len(known))]
    query.where(*map(marked_implied, few), copy=False)


def _of_one_kind(query: exp.SetOperation, names: Sequence[str], types: Types) -> list[str]:
    """Return the names of a set operation's columns, "" where its operands have several kinds.

    Their values become those of another type, by which they are compared then.
    """
    kinds = _kinds(query, types)
    return ["" if kind in _UNLIKE else name for name, kind in zip(names, kinds, strict=False)]


def _kinds(query: exp.Expr, types: Types) -> list[Kind]:
    """Return the kinds of a query's columns; UNKNOWN where its operands have several."""
    query = query.unnest() if isinstance(query, exp.Subquery) else query
    if isinstance(query, exp.SetOperation):
        sides = zip(_kinds(query.left, types), _kinds(query.right, types), strict=False)
        # Whole numbers of several widths are the same numbers.
        return [
            one if one == other or one.family == other.family == "whole" else UNKNOWN
            for one, other in sides
        ]
    selects = query.selects if isinstance(query, exp.Select) else []
    return [types.of(each.unalias()) for each in selects]


def _may_be_restricted(select: exp.Select) -> bool:
    """Whether no row's values depend on which others there are, groups apart."""
    cut = select.args.get("qualify") or select.args.get("windows")
    return is_plain_select(select) and not cut and select.find(exp.Window) is None


def _movable(select: exp.Select) -> list[exp.Expr | None]:
    """Return what each output column is computed from before groups are made; None if after."""
    group = select.args.get("group")
    values = [projection.unalias() for projection in select.selects]
    movable = [not value.find(exp.Query) and not may_change(value) for value in values]
    if group is None and not select.args.get("having"):
        aggregated = any(value.find(exp.AggFunc) for value in values)
        return [
            value if is_movable and not aggregated else None
            for value, is_movable in zip(values, movable, strict=True)
        ]
    sets = group is None or group.find(exp.Rollup, exp.Cube, exp.GroupingSets)
    plain = group is not None and not sets and not group.args.get("totals")
    keys = list(group.expressions) if group is not None and plain else []
    return [
        value if is_movable and (isinstance(value, exp.Literal) or value in keys) else None
        for value, is_movable in zip(values, movable, strict=True)
    ]


def _rewritten(
    arm: Sequence[exp.Expr], columns: Mapping[str, exp.Expr | None]
) -> list[exp.Expr] | None:
    """Return a reader's conjuncts over what columns are computed from; None where none can hold.

    What cannot be asked here is left out; the reader asks it anyway.
    """
    found = []
    for part in arm:
        if any(columns.get(column.name) is None for column in part.find_all(exp.Column)):
            continue
        asked = part.copy()
        if isinstance(asked, exp.Column):
            continue
        for column in list(asked.find_all(exp.Column)):
            value = columns[column.name]
            if value is not None:
                column.replace(value.copy() if _is_closed(value) else exp.paren(value.copy()))
        holds = _constant(asked)
        if holds is False:
            return None
        if holds is None and asked.find(exp.Column):
            found.append(asked)
    return found


def _is_closed(value: exp.Expr) -> bool:
    """Whether a value means the same beside any operator, without parentheses."""
    is_loose = isinstance(value, (exp.Binary, exp.Connector, exp.Unary, exp.Case))
    is_function = isinstance(value, exp.Func) and not is_loose
    return is_function or isinstance(value, (exp.Column, exp.Literal, exp.Paren))


def _constant(part: exp.Expr) -> bool | None:
    """Return whether two equal or different texts are compared; None for anything else."""
    node = part.unnest()
    if not isinstance(node, exp.EQ):
        return None
    left, right = node.left.unnest(), node.right.unnest()
    if not (isinstance(left, exp.Literal) and isinstance(right, exp.Literal)):
        return None
    # Trailing spaces and case are compared as each store does: only plain differences are known.
    if left.is_string and right.is_string:
        texts = left.this.strip().lower(), right.this.strip().lower()
        return None if texts[0] == texts[1] and left != right else left == right
    return None
