"""``CREATE RECURSIVE VIEW``, which sqlglot does not read: a view of a query with WITH RECURSIVE."""

import re

from sqlglot import exp

from workloads.sql.parsing.kinds import first_word

_RECURSIVE = re.compile(
    r"(?P<before>CREATE\s+(?:OR\s+REPLACE\s+)?(?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY)\s+)*)RECURSIVE"
    r"(?=\s+VIEW\b)",
    re.IGNORECASE,
)
_WORD = re.compile(r"\bRECURSIVE\s+VIEW\b", re.IGNORECASE)


def without_recursive(text: str) -> str:
    """Return a text with a blank for each letter of RECURSIVE, if it defines such a view."""
    if not _WORD.search(text):
        return text
    start = first_word(text)[1]
    plain = _RECURSIVE.match(text, start)
    if plain is None:
        return text
    blank = " " * len("RECURSIVE")
    return f"{text[:start]}{plain['before']}{blank}{text[plain.end() :]}"


def make_recursive(tree: exp.Expr) -> None:
    """Let the query of a view read itself by the view's name, as PostgreSQL has it."""
    query, target = tree.args.get("expression"), tree.this
    if not isinstance(tree, exp.Create) or not isinstance(query, exp.Query):
        return
    columns = target.expressions if isinstance(target, exp.Schema) else []
    table = target.this if isinstance(target, exp.Schema) else target
    names = [exp.to_identifier(column.name, quoted=True) for column in columns]
    name = exp.to_identifier(table.name, quoted=True)
    outputs: list[exp.Expr] = [exp.column(each.copy()) for each in names] or [exp.Star()]
    select = exp.select(*outputs).from_(exp.Table(this=name.copy()))
    alias = exp.TableAlias(this=name, columns=names)
    cte = exp.CTE(this=query.unnest().copy(), alias=alias)
    select.set("with_", exp.With(expressions=[cte], recursive=True))
    tree.set("expression", select)
