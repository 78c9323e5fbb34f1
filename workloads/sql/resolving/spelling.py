"""Names that differ by case alone, which a dialect may tell apart and the advisor does not."""

from sqlglot import Dialect, exp

_RECURSIVE_WITHOUT_WORD = frozenset({"tsql", "oracle", "snowflake", "fabric"})


def distinct_aliases(tree: exp.Query, dialect: str) -> exp.Query:
    """Rename the later of two aliases of a FROM clause that differ by case alone (``"C"``, ``c``).

    Names match in any case from here on. Where the dialect has it so too, they stay the error
    that they are.
    """
    engine = Dialect.get_or_raise(dialect)
    for select in list(tree.find_all(exp.Select)):
        relations = _relations(select)
        lowered = [relation.alias_or_name.lower() for relation in relations]
        if len(set(lowered)) == len(lowered):
            continue
        seen: dict[str, str] = {}
        for relation, name in zip(relations, lowered, strict=True):
            exact = _exact(_identifier(relation), engine)
            if name and seen.setdefault(name, exact) != exact:
                _rename(tree, select, relation, exact, engine)
    return tree


def recursive_ctes(tree: exp.Query, dialect: str) -> exp.Query:
    """Write RECURSIVE where the dialect does without the word: a CTE that reads itself."""
    if dialect in _RECURSIVE_WITHOUT_WORD:
        for cte in tree.find_all(exp.CTE):
            name, with_ = cte.alias.lower(), cte.parent
            reads = (table.name.lower() for table in cte.find_all(exp.Table) if not table.db)
            if isinstance(with_, exp.With) and name in reads:
                with_.set("recursive", True)
    return tree


def _relations(select: exp.Select) -> list[exp.Expr]:
    from_ = select.args.get("from_")
    joins = select.args.get("joins") or ()
    return [*([from_.this] if from_ else []), *(join.this for join in joins)]


def _identifier(relation: exp.Expr) -> exp.Expr | None:
    alias = relation.args.get("alias")
    found: exp.Expr | None = alias.this if alias is not None else relation.this
    return found


def _exact(identifier: exp.Expr | None, engine: Dialect) -> str:
    """Return a name as the dialect compares it."""
    if not isinstance(identifier, exp.Identifier):
        return ""
    return engine.normalize_identifier(identifier.copy()).name


def _rename(
    tree: exp.Query, select: exp.Select, relation: exp.Expr, exact: str, engine: Dialect
) -> None:
    taken = {each.name.lower() for each in tree.find_all(exp.Identifier)}
    base = relation.alias_or_name.lower()
    new = next(name for n in range(2, len(taken) + 3) if (name := f"{base}_{n}") not in taken)
    for column in list(select.find_all(exp.Column)):
        qualifier = column.args.get("table")
        if _exact(qualifier, engine) == exact and not _is_shadowed(column, select, exact, engine):
            column.set("table", exp.to_identifier(new))
    alias = relation.args.get("alias")
    if alias is None:
        relation.set("alias", exp.TableAlias(this=exp.to_identifier(new)))
    else:
        alias.set("this", exp.to_identifier(new))


def _is_shadowed(column: exp.Column, top: exp.Select, exact: str, engine: Dialect) -> bool:
    """Whether a query between `column` and `top` has a relation of that exact name."""
    above = column.parent
    while above is not None and above is not top:
        if isinstance(above, exp.Select) and any(
            _exact(_identifier(relation), engine) == exact for relation in _relations(above)
        ):
            return True
        above = above.parent
    return False
