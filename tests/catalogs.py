"""Small catalogs for tests."""

from workloads.catalog import Catalog, Column, ColumnStatistics, Table


def table(name: str, rows: int, columns: dict[str, str], key: tuple[str, ...] = ()) -> Table:
    return Table(
        name=name,
        rows=rows,
        fingerprint=f"{name}-{rows}",
        primary_key=key,
        columns=tuple(
            Column(
                name=column,
                type=type_,
                width_bytes=8.0,
                statistics=ColumnStatistics(
                    distinct=rows if column in key else max(1, rows // 10),
                    null_share=0.0,
                    minimum=0.0,
                    maximum=float(rows),
                ),
            )
            for column, type_ in columns.items()
        ),
    )


def shop() -> Catalog:
    """Three tables: customers, their orders, the orders' items."""
    tables = (
        table("customer", 1_000, {"c_id": "BIGINT", "c_name": "VARCHAR"}, ("c_id",)),
        table(
            "orders",
            10_000,
            {"o_id": "BIGINT", "o_customer": "BIGINT", "o_day": "DATE", "o_total": "DECIMAL(9,2)"},
            ("o_id",),
        ),
        table(
            "item",
            50_000,
            {"i_order": "BIGINT", "i_line": "BIGINT", "i_price": "DECIMAL(9,2)"},
            ("i_order", "i_line"),
        ),
    )
    return Catalog(name="shop", tables={each.name: each for each in tables})
