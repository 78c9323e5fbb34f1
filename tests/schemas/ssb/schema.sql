-- The tables of the Star Schema Benchmark, as Spark's SQL makes them; its 13 queries are in the
-- jar of Spark's tests (tests/corpora.py).

-- rows: 6_001_215
CREATE TABLE lineorder (
  lo_orderkey INT, lo_linenumber INT, lo_custkey INT, lo_partkey INT, lo_suppkey INT, lo_orderdate INT,
  lo_orderpriority STRING, lo_shippriority STRING, lo_quantity INT, lo_extendedprice INT, lo_ordertotalprice INT,
  lo_discount INT, lo_revenue INT, lo_supplycost INT, lo_tax INT, lo_commitdate INT, lo_shipmode STRING
) USING parquet PARTITIONED BY (lo_orderdate) TBLPROPERTIES ('parquet.compression' = 'SNAPPY');
-- rows: 2_556
CREATE TABLE `date` (
  d_datekey INT COMMENT 'of the form yyyymmdd', d_date STRING, d_dayofweek STRING, d_month STRING, d_year INT, d_yearmonthnum INT,
  d_yearmonth STRING, d_daynuminweek INT, d_daynuminmonth INT, d_daynuminyear INT, d_monthnuminyear INT, d_weeknuminyear INT,
  d_sellingseason STRING, d_lastdayinweekfl STRING, d_lastdayinmonthfl STRING, d_holidayfl STRING, d_weekdayfl STRING
) USING parquet;
-- rows: 200_000
CREATE TABLE part (
  p_partkey INT, p_name STRING, p_mfgr STRING, p_category STRING, p_brand1 STRING, p_color STRING, p_type STRING, p_size INT,
  p_container STRING
) USING parquet;
-- rows: 2_000
CREATE TABLE supplier (
  s_suppkey INT, s_name STRING, s_address STRING, s_city STRING, s_nation STRING, s_region STRING, s_phone STRING
) USING parquet CLUSTERED BY (s_suppkey) INTO 4 BUCKETS;
-- rows: 30_000
CREATE TABLE customer (
  c_custkey INT, c_name STRING, c_address STRING, c_city STRING, c_nation STRING, c_region STRING, c_phone STRING,
  c_mktsegment STRING
) USING parquet OPTIONS (path 'customer');
