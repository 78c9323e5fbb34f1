"""The types of a query's values, as DuckDB infers them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.sql.days import Days, DaysOf, days_of_all, days_of_text, moved, unknown_days
from workloads.sql.tree import Node, QueryTree

Family = Literal[
    "whole", "huge", "decimal", "float", "double", "text", "date", "timestamp", "zoned", "truth",
    "interval", "null", "other", "unknown", "any",
]  # fmt: skip
Schema = Mapping[str, Mapping[str, str]]
"""Relation → column → DuckDB's type, all names in lower case."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A value's type. Numbers have at most `digits`, `scale` of them after the point.

    `days` are those between which dates and moments lie, None where it is not known.
    'unknown' is what cannot be told, 'any' the type of a parameter, which takes that of the others.
    """

    family: Family
    digits: int = 0
    scale: int = 0
    days: Days | None = field(default=None, compare=False)


ANY, NULL, UNKNOWN, OTHER = Kind("any"), Kind("null"), Kind("unknown"), Kind("other")
TRUTH, TEXT, DATE, TIMESTAMP = Kind("truth"), Kind("text"), Kind("date"), Kind("timestamp")
INTERVAL, DOUBLE, FLOAT = Kind("interval"), Kind("double"), Kind("float")
INT, BIGINT, HUGE = Kind("whole", 10), Kind("whole", 19), Kind("huge", 39)
NUMBERS = frozenset({"whole", "huge", "decimal", "float", "double"})
_NAMED: Mapping[str, Kind] = {
    **dict.fromkeys(("BOOLEAN", "BOOL", "LOGICAL"), TRUTH),
    **dict.fromkeys(("TINYINT", "INT1", "UTINYINT"), Kind("whole", 3)),
    **dict.fromkeys(("SMALLINT", "INT2", "SHORT", "USMALLINT"), Kind("whole", 5)),
    **dict.fromkeys(("INTEGER", "INT", "INT4", "SIGNED", "UINTEGER", "UINT"), INT),
    **dict.fromkeys(("BIGINT", "INT8", "LONG"), BIGINT),
    "UBIGINT": Kind("whole", 20),
    **dict.fromkeys(("HUGEINT", "UHUGEINT", "INT128", "UINT128"), HUGE),
    **dict.fromkeys(("REAL", "FLOAT", "FLOAT4"), FLOAT),
    **dict.fromkeys(("DOUBLE", "FLOAT8", "DOUBLE PRECISION"), DOUBLE),
    **dict.fromkeys(("VARCHAR", "TEXT", "STRING", "CHAR", "BPCHAR", "NVARCHAR"), TEXT),
    "DATE": DATE,
    **dict.fromkeys(("TIMESTAMP", "DATETIME", "TIMESTAMPNTZ"), TIMESTAMP),
    **dict.fromkeys(("TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE", "TIMESTAMPLTZ"), Kind("zoned")),
    "INTERVAL": INTERVAL,
    "NULL": NULL,
    "UNKNOWN": UNKNOWN,
}
_DECIMAL = (18, 3)


def named(type_: str) -> Kind:
    """Return the kind of a type that DuckDB names so."""
    text = type_.upper().strip()
    head, _, arguments = text.partition("(")
    head = head.strip()
    if head in ("DECIMAL", "NUMERIC", "DEC"):
        numbers = [int(each) for each in arguments.rstrip(")").split(",") if each.strip().isdigit()]
        digits, scale = (*numbers, 0) if len(numbers) == 1 else tuple(numbers) or _DECIMAL
        return Kind("decimal", digits, scale)
    return OTHER if text.endswith("]") else _NAMED.get(head, OTHER)


TypeOf = Callable[[str, str], str | None]


def typed_by(schema: Schema) -> TypeOf:
    """Return what tells the type of a relation's column, None where it is not known."""
    return lambda relation, column: schema.get(relation.lower(), {}).get(column)


def typed_in(catalog: Catalog) -> TypeOf:
    """Return what tells the type of a table's column, None where it is not known."""
    read: dict[str, dict[str, str]] = {}

    def type_of(relation: str, column: str) -> str | None:
        if relation not in read:
            table = catalog.tables.get(catalog.spelled(relation))
            columns = table.columns if table is not None else ()
            read[relation] = {each.name.lower(): each.type for each in columns}
        return read[relation].get(column)

    return type_of


class Types:
    """Tells the kinds of a query's values; each expression is looked at once."""

    def __init__(self, tree: QueryTree, type_of: TypeOf, days_of: DaysOf = unknown_days) -> None:
        self._tree = tree
        self._type_of = type_of
        self._days_of = days_of
        self._columns: dict[tuple[str, str, str], Kind] = {}
        self._outputs: dict[str, tuple[tuple[str, Kind], ...]] = {}
        self.of = Kinds(self.column)

    def column(self, column: exp.Column) -> Kind:
        """Return the kind of a qualified column, wherever in the query it stands."""
        home = self._tree.home(column)
        if home is None:
            return UNKNOWN
        key = home.name, column.table, column.name.lower()
        if key not in self._columns:
            self._columns[key] = UNKNOWN  # Of a recursive one.
            self._columns[key] = self._in_block(home, column.table, key[2])
        return self._columns[key]

    def _in_block(self, home: Node, alias: str, name: str) -> Kind:
        if alias in home.tables:
            type_ = self._type_of(home.tables[alias], name)
            kind = named(type_) if type_ else UNKNOWN
            is_moment = kind.family in ("date", "timestamp")
            return (
                replace(kind, days=self._days_of(home.tables[alias], name)) if is_moment else kind
            )
        if alias not in home.inputs:
            return UNKNOWN
        relation = home.relations[alias].args.get("alias")
        renamed = (
            [each.name.lower() for each in relation.args.get("columns") or ()] if relation else []
        )
        outputs = self._of_block(home.inputs[alias])
        names = renamed or [output for output, _ in outputs]
        return dict(zip(names, (kind for _, kind in outputs), strict=False)).get(name) or UNKNOWN

    def columns(self, block: str) -> tuple[Kind, ...]:
        """Return the kinds of a block's columns, in order."""
        return tuple(kind for _, kind in self._of_block(block))

    def _of_block(self, block: str) -> tuple[tuple[str, Kind], ...]:
        if block not in self._outputs:
            self._outputs[block] = ()  # Of a recursive one.
            names, kinds = self._selected(self._tree.nodes[block])
            self._outputs[block] = tuple(zip(names, kinds, strict=False))
        return self._outputs[block]

    def _selected(self, node: Node) -> tuple[list[str], list[Kind]]:
        names = [each.alias_or_name.lower() for each in node.expression.selects]
        cte = node.expression.parent
        if isinstance(cte, exp.CTE) and cte.args["alias"].args.get("columns"):
            names = [each.name.lower() for each in cte.args["alias"].args["columns"]]
        if isinstance(node.expression, exp.SetOperation):
            sides = [self.columns(name) for name in self._tree.operands(node.name)]
            return names, [unified(pair) for pair in zip(*sides, strict=False)]
        return names, [self.of(each) for each in node.expression.selects]


ColumnKind = Callable[[exp.Column], Kind]


def noted(column: exp.Column) -> Kind:
    """Return the kind that sqlglot has noted at a column; any, where it noted none."""
    if column.type is None or column.type.is_type(exp.DType.UNKNOWN):
        return ANY
    return named(column.type.sql("duckdb"))


def unified(kinds: Sequence[Kind]) -> Kind:
    """Return the kind that takes values of all `kinds`: of a CASE, a COALESCE, a set operation."""
    known = [each for each in kinds if each.family not in ("null", "any")]
    if not known:
        return kinds[0] if kinds else NULL
    families = {each.family for each in known}
    if families <= {"date", "timestamp"}:
        latest = TIMESTAMP if "timestamp" in families else DATE
        return replace(latest, days=days_of_all([each.days for each in known]))
    if len(families) == 1 and families - {"decimal"}:
        return max(known, key=lambda each: each.digits)
    if families <= {"whole", "huge", "decimal"}:
        scale = max(each.scale for each in known)
        digits = max(each.digits - each.scale for each in known) + scale
        return Kind("decimal", digits, scale) if "decimal" in families else HUGE
    if families <= NUMBERS:
        return DOUBLE if "double" in families else FLOAT
    return UNKNOWN


class Kinds:
    """Tells the kinds of expressions, where `column` tells those of columns; each is told once."""

    def __init__(self, column: ColumnKind) -> None:
        self._column = column
        self._told: dict[int, tuple[exp.Expr, Kind]] = {}

    def __call__(self, node: exp.Expr) -> Kind:
        """Return the kind of an expression's value."""
        found = self._told.get(id(node))
        if found is None:
            # The node is kept, so that its id is nobody else's.
            found = self._told[id(node)] = node, self._of(node)
        return found[1]

    def _of(self, node: exp.Expr) -> Kind:
        if isinstance(node, exp.Column):
            return self._column(node)
        if isinstance(node, exp.Cast):
            return _cast(node, self)
        rule = _RULES.get(type(node))
        return rule(node, self) if rule else UNKNOWN


Of = Callable[[exp.Expr], Kind]


def _cast(node: exp.Cast, of: Of) -> Kind:
    kind = named(node.to.sql("duckdb"))
    if kind.family not in ("date", "timestamp"):
        return kind
    inner = node.this.unnest()
    text = isinstance(inner, exp.Literal) and inner.is_string
    return replace(kind, days=days_of_text(inner.name) if text else of(inner).days)


def _literal(node: exp.Expr, _: Of) -> Kind:
    if node.is_string:
        return TEXT
    text = str(node.this)
    if "e" in text.lower():
        return DOUBLE
    whole, point, fraction = text.partition(".")
    digits = len(whole.lstrip("0"))
    if point:
        # Zeros at the end are digits that no product needs.
        scale = len(fraction.rstrip("0"))
        return Kind("decimal", digits + scale, scale)
    return Kind("whole" if int(text) < 2**63 else "huge", max(digits, 1))


def _inner(node: exp.Expr, of: Of) -> Kind:
    return of(node.this) if isinstance(node.this, exp.Expr) else UNKNOWN


def _sum_of_two(node: exp.Expr, of: Of) -> Kind:
    left, right = of(node.this), of(node.expression)
    families = {left.family, right.family}
    if families <= NUMBERS | {"any", "null"}:
        found = unified((left, right))
        more = found.family == "decimal"
        return Kind(found.family, found.digits + more, found.scale)
    if "interval" in families and families & {"date", "timestamp"}:
        days = moved(left.days, node.expression, back=isinstance(node, exp.Sub))
        return replace(TIMESTAMP, days=days)
    if families == {"date"} and isinstance(node, exp.Sub):
        return BIGINT
    if families == {"timestamp"} and isinstance(node, exp.Sub):
        return INTERVAL
    if families == {"date", "whole"}:
        return replace(DATE, days=moved(left.days, node.expression, back=isinstance(node, exp.Sub)))
    return UNKNOWN


def _product(node: exp.Expr, of: Of) -> Kind:
    left, right = of(node.this), of(node.expression)
    found = unified((left, right))
    if found.family == "decimal":
        return Kind("decimal", left.digits + right.digits, left.scale + right.scale)
    return found if found.family in NUMBERS else UNKNOWN


def _total(node: exp.Expr, of: Of) -> Kind:
    value = _inner(node, of)
    if value.family in ("whole", "huge", "truth"):
        return HUGE
    if value.family == "decimal":
        return Kind("decimal", value.digits + 10, value.scale)
    return DOUBLE if value.family in ("float", "double") else value


def _branches(node: exp.Expr, of: Of) -> Kind:
    return unified([of(each) for each in branches(node)])


def branches(node: exp.Expr) -> list[exp.Expr]:
    """Return the expressions of which one is the value of a CASE, an IF or a COALESCE."""
    if isinstance(node, exp.Case):
        found = [each.args["true"] for each in node.args["ifs"]]
        return [*found, *([node.args["default"]] if node.args.get("default") else [])]
    if isinstance(node, exp.If):
        return [each for key in ("true", "false") if (each := node.args.get(key)) is not None]
    return [node.this, *node.expressions]


def _whole_part(node: exp.Expr, of: Of) -> Kind:
    value = _inner(node, of)
    if value.family == "decimal":
        return Kind("decimal", value.digits, 0)
    return value if value.family in ("float", "double", "any") else DOUBLE


def _rounded(node: exp.Expr, of: Of) -> Kind:
    value = _inner(node, of)
    digits = node.args.get("decimals")
    if value.family == "decimal":
        kept = int(digits.name) if isinstance(digits, exp.Literal) and not digits.is_string else 0
        return Kind("decimal", value.digits, min(kept, value.scale))
    return value


def _of_distinct(node: exp.Expr, of: Of) -> Kind:
    (value, *others) = node.expressions or [None]
    return OTHER if others or value is None else of(value)


def _query(node: exp.Expr, of: Of) -> Kind:
    inner = node.unnest()
    selects = inner.selects if isinstance(inner, exp.Query) else []
    return of(selects[0]) if len(selects) == 1 else UNKNOWN


def _always(kind: Kind) -> Callable[[exp.Expr, Of], Kind]:
    return lambda _node, _of: kind


def _first_known(node: exp.Expr, of: Of) -> Kind:
    found = _inner(node, of)
    return found if found.family != "null" else of(node.expression)


_RULES: Mapping[type[exp.Expr], Callable[[exp.Expr, Of], Kind]] = {
    exp.Literal: _literal,
    **dict.fromkeys(
        (
            exp.Alias, exp.Paren, exp.Neg, exp.Abs, exp.Min, exp.Max, exp.Filter, exp.Window,
            exp.FirstValue, exp.LastValue, exp.Lag, exp.Lead, exp.Order, exp.AnyValue, exp.Ordered,
        ),
        _inner,
    ),
    **dict.fromkeys((exp.Add, exp.Sub), _sum_of_two),
    **dict.fromkeys((exp.Mul, exp.Mod), _product),
    exp.IntDiv: lambda node, of: unified(
        (of(node.this), of(node.expression))
    ),
    **dict.fromkeys((exp.Case, exp.If, exp.Coalesce, exp.Greatest, exp.Least), _branches),
    exp.Nullif: _first_known,
    **dict.fromkeys((exp.Ceil, exp.Floor, exp.Trunc), _whole_part),
    exp.Round: _rounded,
    exp.Distinct: _of_distinct,
    exp.Sum: _total,
    **dict.fromkeys((exp.Subquery, exp.Select, exp.Union, exp.Intersect, exp.Except), _query),
    **dict.fromkeys((exp.Null,), _always(NULL)),
    **dict.fromkeys((exp.Placeholder, exp.Parameter), _always(ANY)),
    **dict.fromkeys(
        (
            exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ,
            exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.Exists,
            exp.Boolean, exp.LogicalAnd, exp.LogicalOr, exp.StartsWith, exp.Contains,
            exp.RegexpLike, exp.SimilarTo, exp.EndsWith,
        ),
        _always(TRUTH),
    ),
    **dict.fromkeys(
        (
            exp.Lower, exp.Upper, exp.Substring, exp.Left, exp.Right, exp.Trim, exp.Replace,
            exp.Concat, exp.ConcatWs, exp.DPipe, exp.Pad, exp.Reverse, exp.Repeat, exp.MD5,
            exp.GroupConcat, exp.TimeToStr, exp.SplitPart, exp.RegexpReplace, exp.Dayname,
            exp.Monthname, exp.Chr,
        ),
        _always(TEXT),
    ),
    **dict.fromkeys(
        (
            exp.Count, exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile, exp.Length, exp.Year,
            exp.Month, exp.Day, exp.Quarter, exp.DayOfWeek, exp.DayOfYear, exp.DayOfWeekIso,
            exp.Week, exp.WeekOfYear, exp.Extract, exp.DateDiff, exp.StrPosition, exp.Grouping,
            exp.Hour, exp.Minute, exp.Second,
        ),
        _always(BIGINT),
    ),
    exp.Sign: _always(Kind("whole", 3)),
    **dict.fromkeys(
        (
            exp.Div, exp.Avg, exp.Sqrt, exp.Exp, exp.Ln, exp.Log, exp.Pow, exp.Stddev,
            exp.StddevSamp, exp.StddevPop, exp.Variance, exp.VariancePop, exp.PercentRank,
            exp.CumeDist, exp.Corr, exp.CovarPop, exp.CovarSamp,
        ),
        _always(DOUBLE),
    ),
    **dict.fromkeys((exp.CurrentDate, exp.Date, exp.TsOrDsToDate, exp.LastDay), _always(DATE)),
    **dict.fromkeys((exp.TimestampTrunc, exp.DateTrunc), _always(TIMESTAMP)),
    exp.Interval: _always(INTERVAL),
    **dict.fromkeys((exp.CurrentTimestamp,), _always(Kind("zoned"))),
}  # fmt: skip
