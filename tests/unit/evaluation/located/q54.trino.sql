WITH "my_customers" AS (
  SELECT DISTINCT
    "customer"."c_customer_sk" AS "c_customer_sk",
    "customer"."c_current_addr_sk" AS "c_current_addr_sk"
  FROM (
    SELECT
      "catalog_sales"."cs_sold_date_sk" AS "sold_date_sk",
      "catalog_sales"."cs_bill_customer_sk" AS "customer_sk",
      "catalog_sales"."cs_item_sk" AS "item_sk"
    FROM "duck"."ns"."catalog_sales" AS "catalog_sales"
    UNION ALL
    SELECT
      "web_sales"."ws_sold_date_sk" AS "sold_date_sk",
      "web_sales"."ws_bill_customer_sk" AS "customer_sk",
      "web_sales"."ws_item_sk" AS "item_sk"
    FROM "maria"."ns"."web_sales" AS "web_sales"
  ) AS "cs_or_ws_sales"
  CROSS JOIN "pg"."ns"."item" AS "item"
  CROSS JOIN "maria"."ns"."date_dim" AS "date_dim"
  CROSS JOIN "maria"."ns"."customer" AS "customer"
  WHERE
    "cs_or_ws_sales"."sold_date_sk" = "date_dim"."d_date_sk"
    AND "cs_or_ws_sales"."item_sk" = "item"."i_item_sk"
    AND "item"."i_category" = 'Women'
    AND "item"."i_class" = 'maternity'
    AND "customer"."c_customer_sk" = "cs_or_ws_sales"."customer_sk"
    AND "date_dim"."d_moy" = 12
    AND "date_dim"."d_year" = 1998
), "my_revenue" AS (
  SELECT
    "my_customers"."c_customer_sk" AS "c_customer_sk",
    SUM("store_sales"."ss_ext_sales_price") AS "revenue"
  FROM "my_customers" AS "my_customers"
  CROSS JOIN "pg"."ns"."store_sales" AS "store_sales"
  CROSS JOIN "pg"."ns"."customer_address" AS "customer_address"
  CROSS JOIN "duck"."ns"."store" AS "store"
  CROSS JOIN "maria"."ns"."date_dim" AS "date_dim"
  CROSS JOIN (
    SELECT DISTINCT
      "date_dim"."d_month_seq" + 1 AS "_col_0"
    FROM "maria"."ns"."date_dim" AS "date_dim"
    WHERE
      "date_dim"."d_year" = 1998 AND "date_dim"."d_moy" = 12
  ) AS "_u_0"
  CROSS JOIN (
    SELECT DISTINCT
      "date_dim"."d_month_seq" + 3 AS "_col_0"
    FROM "maria"."ns"."date_dim" AS "date_dim"
    WHERE
      "date_dim"."d_year" = 1998 AND "date_dim"."d_moy" = 12
  ) AS "_u_1"
  WHERE
    "my_customers"."c_current_addr_sk" = "customer_address"."ca_address_sk"
    AND "customer_address"."ca_county" = "store"."s_county"
    AND "customer_address"."ca_state" = "store"."s_state"
    AND "store_sales"."ss_sold_date_sk" = "date_dim"."d_date_sk"
    AND "my_customers"."c_customer_sk" = "store_sales"."ss_customer_sk"
    AND "date_dim"."d_month_seq" BETWEEN "_u_0"."_col_0" AND "_u_1"."_col_0"
  GROUP BY
    "my_customers"."c_customer_sk"
), "segments" AS (
  SELECT
    CAST(ROUND(CAST((
      "my_revenue"."revenue"
    ) AS DOUBLE) / 50) AS INTEGER) AS "segment"
  FROM "my_revenue" AS "my_revenue"
)
SELECT
  "segments"."segment" AS "SEGMENT",
  COUNT(*) AS "num_customers",
  "segments"."segment" * 50 AS "segment_base"
FROM "segments" AS "segments"
GROUP BY
  "segments"."segment"
ORDER BY
  1 NULLS FIRST,
  2 NULLS FIRST,
  3
LIMIT 100
