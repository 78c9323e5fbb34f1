"""The same question in other words: rewordings of a statement that must not change its footprint.

Each takes DuckDB SQL and a source of chance and returns DuckDB SQL. They share no code with
`workloads.sql`.
"""

import random
from collections.abc import Iterator

import sqlglot
from sqlglot import TokenType, exp, tokenize

_KEPT = {TokenType.STRING, TokenType.IDENTIFIER, TokenType.NUMBER}
_GAPS = [" ", "\n", "\n\t ", " /* ; select 'x' */ ", " -- from nowhere\n"]


def reformat(sql: str, chance: random.Random) -> str:
    """Change white space, comments, and the case of keywords and names."""
    parts = []
    end = 0
    for token in tokenize(sql, dialect="duckdb"):
        gap, text = sql[end : token.start], sql[token.start : token.end + 1]
        end = token.end + 1
        parts.append(chance.choice(_GAPS) if gap else "")
        parts.append(
            text if token.token_type in _KEPT else chance.choice([str.upper, str.lower])(text)
        )
    return "".join(parts)


def rename_aliases(sql: str, chance: random.Random) -> str:
    """Give every relation of every FROM clause another alias."""
    tree = _parsed(sql)
    numbers = iter(chance.sample(range(10_000), 2_000))
    renames: list[tuple[exp.Expr, str]] = []
    new_of: dict[tuple[int, str], str] = {}
    for select in tree.find_all(exp.Select):
        for relation in _relations(select):
            new = f"r{next(numbers)}"
            renames.append((relation, new))
            new_of[id(select), relation.alias_or_name.lower()] = new
    for column in tree.find_all(exp.Column):
        above = column.parent
        while column.table and above is not None:
            new = new_of.get((id(above), column.table.lower()))
            if new is not None:
                column.set("table", exp.to_identifier(new))
                break
            above = above.parent
    for relation, new in renames:
        alias = relation.args.get("alias")
        if alias is None:
            relation.set("alias", exp.TableAlias(this=exp.to_identifier(new)))
        else:
            alias.set("this", exp.to_identifier(new))
    return tree.sql("duckdb", comments=False)


def reorder_predicates(sql: str, chance: random.Random) -> str:
    """Shuffle the operands of every AND and OR, and swap the sides of every comparison."""
    tree = _parsed(sql)
    for node in list(tree.find_all(exp.And, exp.Or)):
        if isinstance(node.parent, type(node)):
            continue
        operands = list(node.flatten(unnest=False))
        chance.shuffle(operands)
        combined = operands[0]
        for operand in operands[1:]:
            combined = type(node)(this=combined, expression=operand)
        node.replace(combined)
    flipped = {exp.GT: exp.LT, exp.LT: exp.GT, exp.GTE: exp.LTE, exp.LTE: exp.GTE, exp.EQ: exp.EQ}
    for node in list(tree.find_all(*flipped)):
        if chance.random() < 0.5 and not isinstance(node.right, (exp.Any, exp.All)):
            node.replace(flipped[type(node)](this=node.right, expression=node.left))
    return tree.sql("duckdb")


def reorder_joins(sql: str, chance: random.Random) -> str:
    """Write inner joins as a list with their conditions in WHERE, in another order."""
    tree = _parsed(sql)
    for select in list(tree.find_all(exp.Select)):
        joins = select.args.get("joins") or []
        if not joins or any(j.side or j.kind not in ("", "INNER", "CROSS") for j in joins):
            continue
        if any(join.args.get("using") or join.method for join in joins):
            continue
        relations = _relations(select)
        conditions = [join.args["on"] for join in joins if join.args.get("on")]
        chance.shuffle(relations)
        select.set("from_", exp.From(this=relations[0]))
        select.set("joins", [exp.Join(this=relation) for relation in relations[1:]])
        if conditions:
            select.where(*conditions, copy=False)
    return tree.sql("duckdb")


def inline_ctes(sql: str, chance: random.Random) -> str:
    """Put the query of every CTE where it is read."""
    tree = _parsed(sql)
    while True:
        with_ = next((w for w in tree.find_all(exp.With) if w.expressions), None)
        if with_ is None:
            return tree.sql("duckdb")
        cte = with_.expressions[0]
        cte.pop()
        if not with_.expressions:
            with_.pop()
        for table in list(tree.find_all(exp.Table)):
            if table.name.lower() == cte.alias.lower() and not table.db:
                alias = cte.args["alias"].copy()
                alias.set("this", exp.to_identifier(table.alias_or_name))
                joins = table.args.get("joins")
                table.replace(exp.Subquery(this=cte.this.copy(), alias=alias, joins=joins))


def extract_ctes(sql: str, chance: random.Random) -> str:
    """Put every derived table outside of CTEs into a CTE of its own."""
    tree = _parsed(sql)
    with_ = tree.args.get("with_") or exp.With(expressions=[])
    derived = [
        each
        for each in tree.find_all(exp.Subquery)
        if each.alias
        and isinstance(each.parent, (exp.From, exp.Join))
        and isinstance(each.this, exp.Query)
        and each.find_ancestor(exp.CTE) is None
    ]
    for number, subquery in enumerate(reversed(derived)):
        name = f"extracted_{number}"
        columns = subquery.args["alias"].columns
        alias = exp.TableAlias(this=exp.to_identifier(name), columns=columns)
        reading = exp.alias_(exp.to_table(name), subquery.alias, table=True)
        subquery.replace(reading)
        with_.append("expressions", exp.CTE(this=subquery.this, alias=alias))
    if derived:
        tree.set("with_", with_)
    return tree.sql("duckdb")


def _parsed(sql: str) -> exp.Query:
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    assert isinstance(tree, exp.Query)
    return tree


def _relations(select: exp.Select) -> list[exp.Expr]:
    return list(_each_relation(select))


def _each_relation(select: exp.Select) -> Iterator[exp.Expr]:
    from_ = select.args.get("from_")
    if from_ is not None:
        yield from_.this
    for join in select.args.get("joins") or ():
        yield join.this
