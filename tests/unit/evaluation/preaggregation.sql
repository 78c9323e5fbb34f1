-- Each block: a query over the shop with `orders` pre-aggregated; what the store is told; what the engine is told.

-- sums and counts of a fact
SELECT c_name, sum(o_total) AS s, count(*) AS n
FROM orders JOIN customer ON o_customer = c_id WHERE o_id > 3 GROUP BY c_name;

SELECT "orders"."o_customer" AS "orders__o_customer",
  CAST(SUM("orders"."o_total") AS DECIMAL(38, 2)) AS "partial_0",
  CAST(COUNT(*) AS BIGINT) AS "partial_1"
FROM "main"."orders" AS "orders"
WHERE "orders"."o_id" > 3 GROUP BY "orders"."o_customer";

SELECT `fragment_1`.`customer__c_name` AS `c_name`,
  SUM(`fragment_0`.`partial_0`) AS `s`,
  CAST(COALESCE(SUM(`fragment_0`.`partial_1`), 0) AS BIGINT) AS `n`
FROM `fragment_0` CROSS JOIN `fragment_1`
WHERE `fragment_0`.`orders__o_customer` = `fragment_1`.`customer__c_id`
GROUP BY `fragment_1`.`customer__c_name`;

-- an average is a sum and a count, also in HAVING
SELECT avg(o_total) AS a, max(o_day) AS h
FROM orders JOIN customer ON o_customer = c_id AND c_name > 'a' HAVING avg(o_total) > 1;

SELECT "orders"."o_customer" AS "orders__o_customer",
  CAST(SUM("orders"."o_total") AS DECIMAL(38, 2)) AS "partial_0",
  CAST(COUNT("orders"."o_total") AS BIGINT) AS "partial_1",
  MAX("orders"."o_day") AS "partial_2"
FROM "main"."orders" AS "orders" GROUP BY "orders"."o_customer";

SELECT (CAST(SUM(`fragment_0`.`partial_0`) * 100 AS DOUBLE) / NULLIF(SUM(`fragment_0`.`partial_1`) * 100, 0)) AS `a`,
  MAX(`fragment_0`.`partial_2`) AS `h`
FROM `fragment_0` CROSS JOIN `fragment_1`
WHERE `fragment_0`.`orders__o_customer` = `fragment_1`.`customer__c_id`
HAVING (CAST(SUM(`fragment_0`.`partial_0`) * 100 AS DOUBLE) / NULLIF(SUM(`fragment_0`.`partial_1`) * 100, 0)) > 1;

-- one group, which is none where there are no rows
SELECT c_id, sum(o_id) AS s FROM customer, orders GROUP BY c_id;

SELECT CAST(SUM("orders"."o_id") AS DECIMAL(38, 0)) AS "partial_0"
FROM "main"."orders" AS "orders" HAVING COUNT(*) > 0;

SELECT `fragment_1`.`customer__c_id` AS `c_id`, SUM(`fragment_0`.`partial_0`) AS `s`
FROM `fragment_1` CROSS JOIN `fragment_0` GROUP BY `fragment_1`.`customer__c_id`;

-- an average over a window of sums is a DOUBLE, as DuckDB's is
SELECT c_name, avg(sum(o_total)) OVER (PARTITION BY c_name) AS a
FROM orders JOIN customer ON o_customer = c_id GROUP BY c_name, c_id;

SELECT "orders"."o_customer" AS "orders__o_customer",
  CAST(SUM("orders"."o_total") AS DECIMAL(38, 2)) AS "partial_0"
FROM "main"."orders" AS "orders" GROUP BY "orders"."o_customer";

SELECT `fragment_1`.`customer__c_name` AS `c_name`,
  (CAST(SUM(SUM(`fragment_0`.`partial_0`)) OVER (PARTITION BY `fragment_1`.`customer__c_name`) * 100 AS DOUBLE) / NULLIF(COUNT(SUM(`fragment_0`.`partial_0`)) OVER (PARTITION BY `fragment_1`.`customer__c_name`) * 100, 0)) AS `a`
FROM `fragment_0` CROSS JOIN `fragment_1`
WHERE `fragment_0`.`orders__o_customer` = `fragment_1`.`customer__c_id`
GROUP BY `fragment_1`.`customer__c_name`, `fragment_1`.`customer__c_id`;

-- greatest numbers of 64 bits are added up with more
SELECT c_name, avg(max(o_id)) OVER () AS a
FROM orders JOIN customer ON o_customer = c_id GROUP BY c_name;

SELECT "orders"."o_customer" AS "orders__o_customer",
  CAST(MAX("orders"."o_id") AS BIGINT) AS "partial_0"
FROM "main"."orders" AS "orders" GROUP BY "orders"."o_customer";

SELECT `fragment_1`.`customer__c_name` AS `c_name`,
  (CAST(SUM(CAST(MAX(`fragment_0`.`partial_0`) AS DECIMAL(20, 0))) OVER () AS DOUBLE) / NULLIF(COUNT(MAX(`fragment_0`.`partial_0`)) OVER (), 0)) AS `a`
FROM `fragment_0` CROSS JOIN `fragment_1`
WHERE `fragment_0`.`orders__o_customer` = `fragment_1`.`customer__c_id`
GROUP BY `fragment_1`.`customer__c_name`;
