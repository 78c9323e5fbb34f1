"""The arguments of functions: of which types and forms they are alike in every system."""

from collections.abc import Callable, Iterator

from sqlglot import exp

from workloads.sql.typing.expression_kinds import Of
from workloads.sql.typing.value_kinds import NUMBERS, Kind

Check = Callable[[exp.Expr, Of], Iterator[str]]
COMPUTED = NUMBERS - {"float"}
_PLAIN = frozenset({"this", "big_int", "safe"})


def argument(node: exp.Expr) -> exp.Expr:
    """Return what an aggregate is of, without DISTINCT."""
    inner: exp.Expr = node.this
    values: list[exp.Expr] = inner.expressions if isinstance(inner, exp.Distinct) else []
    return values[0] if len(values) == 1 else inner


def taking(families: frozenset[str], *features: str, others: str = "mixed_types") -> Check:
    """Return a check of functions of one argument, with the features that they are anyway."""

    def check(node: exp.Expr, of: Of) -> Iterator[str]:
        yield from features
        if any(value for key, value in node.args.items() if key not in _PLAIN):
            yield "function"
        else:
            yield from other_than(families, of(argument(node)), others)

    return check


def other_than(families: frozenset[str], kind: Kind, others: str = "mixed_types") -> Iterator[str]:
    """Yield why a value of a kind is not taken where those of some families are."""
    if kind.family in ("any", "null") or kind.family in families:
        return
    if kind.family in ("unknown", "other"):
        yield "unknown_type"
    elif kind.family == "float":
        yield "single_float"
    elif kind.family == "zoned":
        yield "time_zone"
    else:
        yield others


def is_count(node: object, most: int = 10**6) -> bool:
    """Whether a node is a whole number written out, of at most so much."""
    if not isinstance(node, exp.Literal) or node.is_string or not str(node.this).isdigit():
        return False
    return int(node.this) <= most


def nothing(_node: exp.Expr, _of: Of) -> Iterator[str]:
    """Yield no feature: the construct means the same everywhere."""
    return iter(())


def feature(name: str) -> Check:
    """Return a check of constructs that are always the same feature."""

    def check(_node: exp.Expr, _of: Of) -> Iterator[str]:
        yield name

    return check
