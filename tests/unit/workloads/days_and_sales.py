"""A catalog that fits two lines: 100 days, 10 items, 1,000 sales; and estimates over it."""

from tests.footprints import block, footprint
from workloads.catalog import Catalog, Column, ColumnStatistics, Table
from workloads.estimation.cardinality import Estimator
from workloads.footprint import Output, OutputColumn


def column(name, distinct, low=None, high=None, *, nulls=0.0):
    known = ColumnStatistics(distinct=distinct, null_share=nulls, minimum=low, maximum=high)
    return Column(name=name, type="INTEGER", width_bytes=4, statistics=known)


def table(name, rows, key, *columns):
    return Table(name=name, rows=rows, fingerprint="f", primary_key=key, columns=columns)


CATALOG = Catalog(
    name="shop",
    tables={
        "day": table(
            "day",
            100,
            ("id",),
            column("id", 100, 1, 100),
            column("week", 20, 1, 20),
            column("weekday", 5, 1, 5),
        ),
        "item": table(
            "item", 10, ("id",), column("id", 10, 1, 10), column("color", 5), column("brand", 5)
        ),
        "sales": table(
            "sales",
            1_000,
            ("item", "ticket"),
            column("item", 10, 1, 10),
            column("ticket", 500, 1, 500),
            column("day", 100, 1, 100),
            column("late_day", 10, 91, 100),
            column("maybe_day", 100, 1, 100, nulls=0.5),
        ),
        "returns": table(
            "returns",
            100,
            ("item", "ticket"),
            column("item", 10, 1, 10),
            column("ticket", 90, 1, 500),
        ),
    },
)


def handing_on(*refs, name=None, **more):
    """The output that hands on these columns, under their own names if not called otherwise."""
    columns = tuple(
        OutputColumn(name=name or column, origin=(alias, column), reads=((alias, column),))
        for alias, column in (ref.split(".") for ref in refs)
    )
    return Output(columns=columns, width_bytes=8.0 * len(columns), **more)


def rows(*sources, aliases=None, backoff=False, **more):
    estimator = Estimator(CATALOG, footprint(block(*sources, **more)), backoff=backoff)
    return estimator.rows_of_sources("b0", aliases or [s.alias for s in sources])


def result(*blocks):
    return Estimator(CATALOG, footprint(*blocks)).rows_of_block("b0")
