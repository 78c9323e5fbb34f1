"""Standard deviations and variances of whole numbers and decimals in MariaDB."""

from sqlglot import exp

from workloads.sql.typing.expression_kinds import Kinds, noted
from workloads.sql.typing.value_kinds import EXACT

_STATISTICS = (exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Variance, exp.VariancePop)


def statistics_of_doubles(tree: exp.Query) -> exp.Query:
    """Take them of doubles: in a derived table what is made of others of them is rounded.

    There MariaDB's DOUBLE has the scale of the numbers plus four digits. Columns know their types.
    """
    of = Kinds(noted)
    for statistic in list(tree.find_all(*_STATISTICS)):
        if of(statistic.this).family in EXACT:
            statistic.set("this", exp.cast(statistic.this, exp.DType.DOUBLE))
    return tree
