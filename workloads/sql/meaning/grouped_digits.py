"""Numbers with commas between thousands."""

from sqlglot import exp

from workloads.sql.meaning.number_kinds import places
from workloads.sql.meaning.replacing import UnlikeError, inner_first, put, whole_number


def grouped_digits(tree: exp.Query) -> exp.Query:
    """Round what FORMAT writes half up: DuckDB rounds to even digits, and takes no whole number."""
    for node in inner_first(tree, exp.NumberToStr):
        count = whole_number(node.args.get("format"))
        if count is None or places(node.this) is None or node.args.get("culture"):
            reason = "FORMAT is known of exact numbers and written places: cast to a DECIMAL"
            raise UnlikeError(node, reason)
        rounded = exp.func("ROUND", node.this.copy(), exp.Literal.number(count))
        number = exp.cast(rounded, "DOUBLE")
        pattern = exp.Literal.string("{:,." + str(count) + "f}")
        put(node, exp.Anonymous(this="FORMAT", expressions=[pattern, number]))
    return tree
