"""TPC-DS as DuckDB generates it."""

from workloads.benchmarks.benchmark import Benchmark
from workloads.benchmarks.generator import TPCDS as GENERATOR
from workloads.catalog import ForeignKey

TPCDS = Benchmark(
    generator=GENERATOR,
    last_query=99,
    keys={
        "call_center": ("cc_call_center_sk",), "catalog_page": ("cp_catalog_page_sk",),
        "catalog_returns": ("cr_item_sk", "cr_order_number"),
        "catalog_sales": ("cs_item_sk", "cs_order_number"),
        "customer": ("c_customer_sk",), "customer_address": ("ca_address_sk",),
        "customer_demographics": ("cd_demo_sk",), "date_dim": ("d_date_sk",),
        "household_demographics": ("hd_demo_sk",), "income_band": ("ib_income_band_sk",),
        "inventory": ("inv_date_sk", "inv_item_sk", "inv_warehouse_sk"),
        "item": ("i_item_sk",), "promotion": ("p_promo_sk",), "reason": ("r_reason_sk",),
        "ship_mode": ("sm_ship_mode_sk",), "store": ("s_store_sk",),
        "store_returns": ("sr_item_sk", "sr_ticket_number"),
        "store_sales": ("ss_item_sk", "ss_ticket_number"),
        "time_dim": ("t_time_sk",), "warehouse": ("w_warehouse_sk",),
        "web_page": ("wp_web_page_sk",), "web_returns": ("wr_item_sk", "wr_order_number"),
        "web_sales": ("ws_item_sk", "ws_order_number"), "web_site": ("web_site_sk",),
    },
    references={
        "_date_sk": ("date_dim", "d_date_sk"), "_time_sk": ("time_dim", "t_time_sk"),
        "_item_sk": ("item", "i_item_sk"), "_customer_sk": ("customer", "c_customer_sk"),
        "_cdemo_sk": ("customer_demographics", "cd_demo_sk"),
        "_hdemo_sk": ("household_demographics", "hd_demo_sk"),
        "_addr_sk": ("customer_address", "ca_address_sk"),
        "_band_sk": ("income_band", "ib_income_band_sk"), "_store_sk": ("store", "s_store_sk"),
        "_promo_sk": ("promotion", "p_promo_sk"), "_reason_sk": ("reason", "r_reason_sk"),
        "_center_sk": ("call_center", "cc_call_center_sk"),
        "_catalog_page_sk": ("catalog_page", "cp_catalog_page_sk"),
        "_web_page_sk": ("web_page", "wp_web_page_sk"), "_site_sk": ("web_site", "web_site_sk"),
        "_mode_sk": ("ship_mode", "sm_ship_mode_sk"),
        "_warehouse_sk": ("warehouse", "w_warehouse_sk"),
    },
    composite_keys={
        f"{channel}_returns": ForeignKey(
            columns=(f"{returns}_item_sk", f"{returns}_{number}"),
            table=f"{channel}_sales",
            references=(f"{sales}_item_sk", f"{sales}_{number}"),
        )
        for channel, returns, sales, number in (
            ("store", "sr", "ss", "ticket_number"),
            ("catalog", "cr", "cs", "order_number"),
            ("web", "wr", "ws", "order_number"),
        )
    },
    former_names={"customer": {"c_last_review_date": "c_last_review_date_sk"}},
    rows={
        "call_center": 6, "catalog_page": 11_718, "catalog_returns": 144_067,
        "catalog_sales": 1_441_548, "customer": 100_000, "customer_address": 50_000,
        "customer_demographics": 1_920_800, "date_dim": 73_049, "household_demographics": 7_200,
        "income_band": 20, "inventory": 11_745_000, "item": 18_000, "promotion": 300, "reason": 35,
        "ship_mode": 20, "store": 12, "store_returns": 287_514, "store_sales": 2_880_404,
        "time_dim": 86_400, "warehouse": 5, "web_page": 60, "web_returns": 71_763,
        "web_sales": 719_384, "web_site": 30,
    },
    known_deviations={"store_returns": 287_867, "web_returns": 71_654},
    disk_bytes=1_400_000_000,
)  # fmt: skip
"""Keys and rows at scale factor 1 as in the TPC-DS specification 3.2.0 (section 2, table 3-2)."""

queries = TPCDS.queries
generate = TPCDS.generate
