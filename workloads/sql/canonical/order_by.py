"""ORDER BY in the form that every store knows."""

from sqlglot import exp

_ALIAS = "_ordered"


def wrap_order_by(tree: exp.Query) -> exp.Query:
    """Compute ORDER BY expressions as hidden columns of an inner query.

    Most stores refuse an expression over an output column there (q36, q70, q86).
    """
    for select in list(tree.find_all(exp.Select)):
        order = select.args.get("order")
        if order is None or select.args.get("distinct"):
            continue
        outputs: dict[str, exp.Expr] = {}
        for projection in select.selects:
            # Of several outputs of one name the first is what ORDER BY means.
            outputs.setdefault(projection.alias_or_name, projection)
        if not all(_is_plain(term.this, outputs) for term in order.expressions):
            _wrap(select, outputs)
    return tree


def _is_plain(term: exp.Expr, outputs: dict[str, exp.Expr]) -> bool:
    if isinstance(term, (exp.Literal, exp.Identifier, exp.Column)):
        return True
    return not any(not c.table and c.name in outputs for c in term.find_all(exp.Column))


def _wrap(select: exp.Select, outputs: dict[str, exp.Expr]) -> None:
    """Replace `select` by SELECT outputs FROM (select, hidden order columns) ORDER BY."""
    names = [projection.alias_or_name for projection in select.selects]
    inner = select.copy()
    order = inner.args["order"].copy()
    for key in ("order", "limit", "offset", "with_"):
        inner.set(key, None)
    inside = _distinguished(inner)
    for index, ordered in enumerate(order.expressions):
        term = ordered.this
        if isinstance(term, exp.Literal) and term.is_int:
            ordered.set("this", exp.column(inside[int(term.this) - 1], table=_ALIAS))
            continue
        if isinstance(term, exp.Column) and not term.table and term.name in outputs:
            ordered.set("this", exp.column(inside[names.index(term.name)], table=_ALIAS))
            continue
        for column in list(term.find_all(exp.Column)):
            if not column.table and column.name in outputs:
                column.replace(exp.paren(outputs[column.name].unalias().copy()))
        hidden = f"_order_{index}"
        inner.select(exp.alias_(term.copy(), hidden), copy=False)
        ordered.set("this", exp.column(hidden, table=_ALIAS))
    columns = zip(inside, names, strict=True)
    outer = exp.select(
        *(exp.alias_(exp.column(name, table=_ALIAS), output) for name, output in columns)
    ).from_(exp.alias_(exp.Subquery(this=inner), _ALIAS, table=True))
    kept = {key: select.args.get(key) for key in ("limit", "offset", "with_")}
    for key in list(select.args):
        select.set(key, None)
    for key, value in {**outer.args, **kept, "order": order}.items():
        select.set(key, value)


def _distinguished(inner: exp.Select) -> list[str]:
    """Return the names of the outputs of `inner`, after those that repeat one were numbered."""
    names: list[str] = []
    for position, projection in enumerate(list(inner.selects)):
        name = projection.alias_or_name
        if name.lower() in (each.lower() for each in names):
            name = f"{name}_{position}"
            projection.replace(exp.alias_(projection.unalias().copy(), name))
        names.append(name)
    return names
