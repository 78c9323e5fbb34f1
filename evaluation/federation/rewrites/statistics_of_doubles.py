"""Standard deviations and variances in MariaDB are taken of doubles, as DuckDB's are."""

from sqlglot import exp

_STATISTICS = (exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Variance, exp.VariancePop)


def statistics_of_doubles(tree: exp.Query) -> exp.Query:
    """Cast their arguments: those of other numbers may be rounded in a derived table.

    There MariaDB's DOUBLE has the scale of the numbers plus four digits. Deviations of different
    values are not sent (`statistic`).
    """
    for statistic in list(tree.find_all(*_STATISTICS)):
        if not isinstance(statistic.this, exp.Distinct):
            statistic.set("this", exp.cast(statistic.this, exp.DType.DOUBLE))
    return tree
