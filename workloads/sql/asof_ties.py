"""ASOF JOIN written as what it means: of the rows that match, the nearest one of those that tie.

Several rows on the right may be equally near. DuckDB takes one of them, whichever order its tables'
rows have.
"""

from sqlglot import exp

_LATER = (exp.GTE, exp.GT)
_EARLIER = (exp.LTE, exp.LT)


def ordered_asof(join: exp.Join, ties: list[exp.Ordered]) -> exp.Join | None:
    """Return an ASOF JOIN as a lateral one whose rows are ordered by `ties` where they tie.

    There is none where the condition does not say which side its columns are of.
    """
    name = join.this.alias_or_name
    condition = join.args.get("on")
    if join.side not in {"", "LEFT"} or join.kind or condition is None or not name:
        return None
    nearest = _nearest(condition, name)
    if nearest is None:
        return None
    rows = exp.select("*").from_(join.this.copy()).where(condition.copy())
    rows = rows.order_by(nearest, *ties).limit(1)
    lateral = exp.Lateral(
        this=exp.Subquery(this=rows),
        alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)),
    )
    return exp.Join(this=lateral, side=join.side or None, on=exp.true())


def _nearest(condition: exp.Expr, name: str) -> exp.Ordered | None:
    """Return the order that puts the nearest row of the table on the right first."""
    found = []
    for term in condition.flatten() if isinstance(condition, exp.And) else [condition]:
        if isinstance(term, (*_LATER, *_EARLIER)):
            for side, turned in ((term.expression, False), (term.this, True)):
                if _is_of(side, name):
                    descending = isinstance(term, _LATER) is not turned
                    found.append(exp.Ordered(this=side.copy(), desc=descending, nulls_first=False))
    return found[0] if len(found) == 1 else None


def _is_of(side: exp.Expr, name: str) -> bool:
    columns = list(side.find_all(exp.Column))
    return bool(columns) and all(each.table.lower() == name.lower() for each in columns)
