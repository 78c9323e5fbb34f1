-- Constructs of many dialects. Before each statement: its dialect, the tables that it reads and,
-- after an arrow, those that it writes.

-- postgres: orders
SELECT DISTINCT ON (o_customer) o_customer, o_total FROM orders ORDER BY o_customer, o_day DESC;

-- postgres: customer
SELECT c_name FROM customer WHERE c_name ILIKE '%x%' AND c_name SIMILAR TO 'a|b' AND c_name ~* 'x';

-- postgres: customer
SELECT doc->'a'->>'b' AS x, doc#>>'{a,b}' FROM customer WHERE doc @> '{"a":1}' AND doc ? 'k';

-- postgres: customer
SELECT tags[1], tags[2:3], array_length(tags,1) FROM customer WHERE 'a' = ANY(tags);

-- postgres: customer
SELECT c_id, t, n FROM customer, unnest(tags) WITH ORDINALITY AS u(t, n);

-- postgres: customer orders
SELECT c.c_id, x.s FROM customer c, LATERAL (SELECT sum(o_total) AS s FROM orders o WHERE o.o_customer = c.c_id) x;

-- postgres: customer orders
SELECT c.c_id, x.s FROM customer c LEFT JOIN LATERAL (SELECT o_total AS s FROM orders o WHERE o.o_customer = c.c_id ORDER BY o_day LIMIT 3) x ON true;

-- postgres: customer
SELECT * FROM (VALUES (1,'a'),(2,'b')) AS v(id, n) JOIN customer ON c_id = v.id;

-- postgres: customer
WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n+1 FROM t WHERE n < 100) SELECT sum(n) FROM t JOIN customer ON c_id=n;

-- postgres: customer orders
WITH RECURSIVE tree AS (SELECT c_id, 1 AS d FROM customer WHERE c_id = 1 UNION SELECT o.o_id, d+1 FROM orders o JOIN tree t ON o.o_customer = t.c_id) SELECT * FROM tree;

-- postgres: customer orders
SELECT c_name, count(*) FILTER (WHERE o_total > 5) FROM customer JOIN orders ON o_customer = c_id GROUP BY GROUPING SETS ((c_name), ());

-- postgres: customer orders
SELECT c_name, sum(o_total) OVER w FROM customer JOIN orders ON o_customer=c_id WINDOW w AS (PARTITION BY c_name ORDER BY o_day ROWS BETWEEN 3 PRECEDING AND CURRENT ROW);

-- postgres: orders
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY o_total) FROM orders;

-- postgres: orders
SELECT o_day + INTERVAL '1 month', date_trunc('month', o_day), extract(epoch from o_day), o_day::text FROM orders WHERE o_day BETWEEN now() - interval '7 days' AND current_date;

-- postgres: customer
SELECT string_agg(c_name, ',' ORDER BY c_id) FROM customer;

-- postgres: customer
SELECT * FROM customer NATURAL JOIN (SELECT c_id, 1 AS one FROM customer) x;

-- postgres: customer orders
SELECT * FROM customer c FULL OUTER JOIN orders o ON c.c_id=o.o_customer WHERE c.c_id IS NULL;

-- postgres: customer
SELECT "customer"."c_id" FROM "public"."customer" WHERE public.customer.c_id = 5;

-- postgres: customer orders
SELECT (SELECT count(*) FROM orders WHERE o_customer = c_id) AS n FROM customer ORDER BY n DESC NULLS LAST OFFSET 3 FETCH FIRST 5 ROWS ONLY;

-- postgres: customer orders
SELECT c_id FROM customer WHERE (c_id, c_name) IN (SELECT o_id, 'x' FROM orders);

-- postgres: customer orders
SELECT c_id FROM customer WHERE c_id = ALL (SELECT o_customer FROM orders) OR c_id > ANY (ARRAY[1,2]);

-- postgres: customer
SELECT row_to_json(c) FROM customer c;

-- postgres: customer
SELECT c FROM customer c;

-- postgres: customer
SELECT count(DISTINCT c.*) FROM customer c;

-- postgres: customer
SELECT c_id FROM customer FOR UPDATE SKIP LOCKED;

-- postgres: customer
SELECT c_id FROM ONLY customer TABLESAMPLE SYSTEM (10);

-- postgres: customer
SELECT x.* FROM customer c, jsonb_to_recordset(c.doc) AS x(a int, b text);

-- postgres: customer
SELECT * FROM generate_series(1,10) g JOIN customer ON c_id = g;

-- postgres: orders
SELECT g.d FROM generate_series('2020-01-01'::date, now(), '1 day') AS g(d) LEFT JOIN orders ON o_day = g.d;

-- postgres: customer item orders
SELECT c_id FROM customer EXCEPT ALL SELECT o_customer FROM orders INTERSECT SELECT i_order FROM item;

-- postgres: customer
SELECT coalesce(c_name, 'x') COLLATE "C" FROM customer WHERE c_name IS DISTINCT FROM 'y' AND c_id::int % 2 = 0;

-- postgres: customer
SELECT c_id AS "Weird Name", 'it''s', E'\n', $$dollar$$, U&'x' FROM customer;

-- postgres: customer
SELECT c_id FROM customer WHERE c_name LIKE ANY (ARRAY['a%','b%']);

-- postgres: customer orders
SELECT c_id FROM customer c WHERE EXISTS (SELECT FROM orders WHERE o_customer = c.c_id);

-- postgres: customer
SELECT CASE WHEN c_id > 3 THEN 'a' ELSE 'b' END AS bucket, count(*) FROM customer GROUP BY bucket HAVING count(*) > 1 ORDER BY 2;

-- postgres: customer item orders
SELECT c1.c_name FROM (customer c1 JOIN orders o1 ON c1.c_id = o1.o_customer) JOIN item ON i_order = o1.o_id;

-- postgres: customer
SELECT * FROM customer CROSS JOIN LATERAL jsonb_array_elements(doc) AS e(v) WHERE e.v->>'x' = '1';

-- postgres: pgbench_accounts -> pgbench_accounts
UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2;

-- postgres: pgbench_accounts
SELECT abalance FROM pgbench_accounts WHERE aid = $1;

-- postgres: pgbench_tellers -> pgbench_tellers
UPDATE pgbench_tellers SET tbalance = tbalance + $1 WHERE tid = $2;

-- postgres: orders -> customer
INSERT INTO customer (c_id, c_name) SELECT o_id, 'x' FROM orders ON CONFLICT (c_id) DO UPDATE SET c_name = EXCLUDED.c_name RETURNING c_id;

-- postgres: customer item orders
SELECT MIN(chn.c_name) AS character, MIN(t.o_total) AS movie FROM customer AS chn, item AS ci, orders AS t WHERE ci.i_line NOT LIKE '%x%' AND t.o_id = ci.i_order AND chn.c_id = t.o_customer;

-- postgres: customer
SELECT count(*) FROM customer WHERE c_day >= date '2020-01-01' + interval '1' year;

-- postgres: customer orders
SELECT array(SELECT o_id FROM orders WHERE o_customer = c_id) FROM customer;

-- postgres: customer
SELECT c_id, (doc).a FROM customer;

-- postgres: customer
SELECT xmlelement(name foo, c_name) FROM customer;

-- postgres: customer
SELECT c_id FROM customer WHERE c_day AT TIME ZONE 'UTC' > now() AND (c_day, c_day) OVERLAPS (now(), now());

-- postgres: customer orders -> customer
MERGE INTO customer c USING (SELECT o_customer, count(*) AS n FROM orders GROUP BY 1) s ON c.c_id = s.o_customer WHEN MATCHED AND s.n > 3 THEN UPDATE SET c_name = 'x' || s.n WHEN NOT MATCHED THEN DO NOTHING;

-- postgres: customer orders -> customer
DELETE FROM customer WHERE c_id IN (SELECT o_customer FROM orders GROUP BY 1 HAVING count(*) > 3);

-- postgres: customer orders -> customer
DELETE FROM customer c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.o_customer = c.c_id);

-- postgres: customer orders -> customer
UPDATE customer SET c_name = sub.n FROM (SELECT o_customer, max(o_total)::text AS n FROM orders GROUP BY 1) sub WHERE c_id = sub.o_customer;

-- postgres: customer orders -> customer
UPDATE customer c SET (c_name, c_day) = (SELECT 'x', max(o_day) FROM orders WHERE o_customer = c.c_id);

-- postgres: orders
SELECT rank() OVER (PARTITION BY o_customer ORDER BY sum(o_total) DESC) FROM orders GROUP BY o_customer, o_day;

-- postgres: customer
SELECT c_id FROM customer WHERE c_name = :'name' AND c_id = :id;

-- postgres: customer orders
SELECT to_char(o_day, 'YYYY'), position('a' in c_name), substring(c_name from 1 for 2), trim(both 'x' from c_name), overlay(c_name placing 'x' from 1) FROM customer, orders;

-- postgres: customer
SELECT c_id FROM customer WHERE c_id = ANY ($1::bigint[]) LIMIT $2 OFFSET $3;

-- postgres: customer
SELECT c_id FROM customer WHERE to_tsvector('english', c_name) @@ plainto_tsquery('english', $1);

-- postgres: customer
SELECT c_id, ts_rank(to_tsvector(c_name), query) AS rank FROM customer, to_tsquery('a & b') query WHERE query @@ to_tsvector(c_name);

-- postgres: customer
SELECT tag, count(*) FROM customer, unnest(tags) AS tag GROUP BY tag;

-- postgres: customer
SELECT c_id FROM generate_series(1, 9) AS n LEFT JOIN customer ON c_id = n WHERE NOT EXISTS (SELECT 1 WHERE n > 5);

-- postgres: customer
SELECT e ->> 'x', e.value -> 'y' FROM customer c, jsonb_array_elements(c.doc) e;

-- postgres: customer
SELECT key, value FROM customer, LATERAL jsonb_each_text(doc) WHERE key LIKE 'a%';

-- postgres: orders
SELECT o_id FROM orders o, customers_of(1) AS r WHERE r = o.o_customer FOR NO KEY UPDATE OF o NOWAIT;

-- postgres: orders -> customer
INSERT INTO customer (c_id, c_name) OVERRIDING SYSTEM VALUE SELECT o_id, 'OVERRIDING USER VALUE' FROM orders;

-- postgres: customer orders -> customer
UPDATE customer SET c_name = 'x' WHERE c_id IN (SELECT o.o_customer FROM orders o ORDER BY o_id LIMIT 1 FOR UPDATE OF o SKIP LOCKED);

-- postgres: orders
CREATE TEMPORARY TABLE kept ON COMMIT PRESERVE ROWS AS SELECT o_id FROM orders;

-- mysql: customer
SELECT `c_id` FROM `customer` WHERE `c_name` = "x" LIMIT 5, 10;

-- mysql: customer
SELECT c_id FROM shop.customer USE INDEX (a) WHERE c_name REGEXP '^a' AND c_id <=> 3;

-- mysql: customer orders
SELECT SQL_CALC_FOUND_ROWS c_id FROM customer STRAIGHT_JOIN orders ON c_id=o_customer;

-- mysql: customer
SELECT GROUP_CONCAT(DISTINCT c_name ORDER BY c_id SEPARATOR ',') FROM customer;

-- mysql: customer
SELECT IF(c_id>3,'a','b'), IFNULL(c_name,''), DATE_ADD(c_day, INTERVAL 1 DAY), DATE_FORMAT(c_day,'%Y') FROM customer;

-- mysql: customer
SELECT c_id FROM customer WHERE c_day > NOW() - INTERVAL 1 DAY FOR UPDATE;

-- mysql: customer
SELECT c_name, COUNT(*) FROM customer GROUP BY c_name WITH ROLLUP;

-- mysql: orders -> customer
REPLACE LOW_PRIORITY INTO customer SELECT o_id, 'x', NULL, NULL, NULL FROM orders;

-- mysql: customer orders -> customer orders
UPDATE customer c JOIN orders o ON c.c_id = o.o_customer SET c.c_name = 'x', o.o_total = 0 WHERE o.o_day < '2020-01-01';

-- mysql: customer orders -> customer
UPDATE customer, orders SET c_name = 'x' WHERE c_id = o_customer;

-- mysql: customer orders -> customer orders
DELETE c, o FROM customer c INNER JOIN orders o ON c.c_id = o.o_customer WHERE o.o_total < 0;

-- mysql: customer -> customer
DELETE FROM customer WHERE c_id = 5 ORDER BY c_name LIMIT 1;

-- mysql: customer orders -> customer
DELETE FROM c USING customer c JOIN orders o ON c.c_id=o.o_customer;

-- mysql: sbtest1
SELECT c FROM sbtest1 WHERE id=?;

-- mysql: sbtest1
SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c;

-- mysql: sbtest1
SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN 5 AND 104;

-- mysql: sbtest1 -> sbtest1
UPDATE sbtest1 SET k=k+1 WHERE id=50;

-- mysql: customer
SELECT c_id FROM customer WHERE c_id = @x;

-- mysql: customer
SELECT `c_id` FROM `customer` WHERE `c_id` IN (...);

-- mysql: customer
SELECT doc->'$.a', doc->>'$.b', JSON_EXTRACT(doc, '$.c') FROM customer;

-- mysql: customer
SELECT c_id FROM customer WHERE MATCH(c_name) AGAINST ('x' IN BOOLEAN MODE);

-- mysql: customer
SELECT CONCAT(c_name, _utf8mb4' ', _latin1'x'), CAST(c_id AS CHAR(4) CHARSET utf8mb4), CONVERT(c_name USING latin1) FROM customer WHERE c_name = _utf8mb4'Zoë';

-- mysql: customer orders
SELECT c.c_id FROM customer AS c JOIN orders AS o ON o.o_customer = c.c_id FOR UPDATE OF c, o SKIP LOCKED;

-- mysql: customer item orders
SELECT * FROM customer c LEFT JOIN (orders o JOIN item i ON i.i_order=o.o_id) ON o.o_customer=c.c_id;

-- mysql: customer
SELECT 1 FROM dual WHERE EXISTS (SELECT 1 FROM customer);

-- mysql: customer -> customer
INSERT INTO customer (c_id) SELECT 5 FROM dual WHERE NOT EXISTS (SELECT 1 FROM customer WHERE c_id = 5);

-- mysql: customer
SELECT c_id FROM customer PARTITION (p0);

-- mysql: customer
SELECT c_id FROM customer WHERE c_id DIV 2 = 1 AND c_id MOD 2 = 0 AND c_name LIKE BINARY 'x' AND NOT c_id XOR 1;

-- mysql: customer
SELECT * FROM customer # trailing comment;

-- mysql: customer
SELECT c_id FROM customer LOCK IN SHARE MODE;

-- mysql: customer
WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i, c_name FROM n JOIN customer ON c_id = i;

-- mysql: customer
SELECT c_id, ROW_NUMBER() OVER (ORDER BY c_id) rn FROM customer;

-- mysql: customer
SELECT /*+ BKA(customer) */ c_id FROM customer FORCE INDEX FOR JOIN (x);

-- mysql: customer
SELECT c_id INTO @x FROM customer LIMIT 1;

-- tsql: customer
SELECT TOP 10 [c_id], [c_name] FROM [dbo].[customer] WITH (NOLOCK) ORDER BY c_id;

-- tsql: customer orders
SELECT c.c_id, x.o_total FROM customer c CROSS APPLY (SELECT TOP 1 o_total FROM orders o WHERE o.o_customer = c.c_id ORDER BY o_day) x;

-- tsql: customer orders
SELECT c.c_id, x.o_total FROM customer c OUTER APPLY (SELECT TOP 1 o_total FROM orders o WHERE o.o_customer = c.c_id) AS x;

-- tsql: customer
SELECT c_id FROM customer WHERE c_day > DATEADD(day, -7, GETDATE()) AND ISNULL(c_name,'') <> '';

-- tsql: customer
SELECT c_id FROM customer ORDER BY c_id OFFSET 10 ROWS FETCH NEXT 5 ROWS ONLY;

-- tsql: customer
SELECT CONVERT(varchar(10), c_day, 120), LEN(c_name), IIF(c_id > 1, 'a', 'b') FROM customer OPTION (RECOMPILE);

-- tsql: customer -> customer
WITH c AS (SELECT c_id, ROW_NUMBER() OVER (PARTITION BY c_name ORDER BY c_id) AS rn FROM customer) DELETE FROM c WHERE rn > 1;

-- tsql: customer orders -> customer
UPDATE c SET c.c_name = 'x' FROM customer c INNER JOIN orders o ON o.o_customer = c.c_id WHERE o.o_total > 5;

-- tsql: customer orders -> customer
DELETE c FROM customer c JOIN orders o ON o.o_customer = c.c_id;

-- tsql: customer -> customer
UPDATE TOP (10) customer SET c_name = 'x' WHERE c_id > 5;

-- tsql: customer orders -> customer
MERGE customer AS t USING orders AS s ON t.c_id = s.o_customer WHEN MATCHED THEN UPDATE SET t.c_name = 'x' WHEN NOT MATCHED BY TARGET THEN INSERT (c_id) VALUES (s.o_customer) WHEN NOT MATCHED BY SOURCE THEN DELETE OUTPUT $action;

-- tsql: customer
SELECT * INTO #t FROM customer WHERE c_id > 5;

-- tsql: customer
SELECT @x = MAX(c_id) FROM customer;

-- tsql: customer
SELECT c_id FROM customer WHERE c_id = @x;

-- tsql: customer
SELECT STRING_AGG(c_name, ',') WITHIN GROUP (ORDER BY c_name) FROM customer;

-- tsql: customer orders
SELECT * FROM customer c INNER HASH JOIN orders o ON c.c_id=o.o_customer;

-- tsql: customer
SELECT c_id FROM customer FOR XML PATH('');

-- oracle: customer orders
SELECT c.c_id, o.o_total FROM customer c, orders o WHERE c.c_id = o.o_customer(+) AND o.o_total(+) > 5;

-- oracle: customer
SELECT c_id FROM customer WHERE ROWNUM <= 10;

-- oracle: customer
SELECT NVL(c_name,'x'), DECODE(c_id,1,'a','b'), TO_DATE('2020-01-01','YYYY-MM-DD'), SYSDATE - 7 FROM customer;

-- oracle: customer
SELECT c_id, LEVEL FROM customer START WITH c_id = 1 CONNECT BY PRIOR c_id = c_id + 1;

-- oracle: customer orders
SELECT c_id FROM customer MINUS SELECT o_customer FROM orders;

-- oracle: customer
SELECT LISTAGG(c_name, ',') WITHIN GROUP (ORDER BY c_name) FROM customer;

-- oracle: customer
SELECT /*+ FULL(c) */ c_id FROM customer c WHERE c_id = :1;

-- oracle: orders -> customer
INSERT INTO customer (c_id) SELECT o_id FROM orders;

-- oracle: customer
SELECT c_id FROM customer c WHERE c_day >= TRUNC(SYSDATE, 'MM') AND c_name LIKE :b1 ESCAPE '\';

-- oracle: customer
SELECT * FROM (SELECT a.*, ROWNUM rn FROM (SELECT c_id FROM customer ORDER BY c_id) a WHERE ROWNUM <= 20) WHERE rn > 10;

-- oracle: customer orders -> customer
MERGE INTO customer c USING orders o ON (c.c_id = o.o_customer) WHEN MATCHED THEN UPDATE SET c.c_name = 'x' WHEN NOT MATCHED THEN INSERT (c_id) VALUES (o.o_customer);

-- oracle: customer
SELECT c_id FROM customer FETCH FIRST 10 ROWS WITH TIES;

-- snowflake: customer orders
SELECT c_id, o_total FROM customer JOIN orders ON c_id=o_customer QUALIFY ROW_NUMBER() OVER (PARTITION BY c_id ORDER BY o_day DESC) = 1;

-- snowflake: customer
SELECT DATEADD(day, -7, CURRENT_DATE()), DATEDIFF('day', c_day, CURRENT_DATE), c_id::varchar, IFF(c_id>1,'a','b') FROM customer;

-- snowflake: customer
SELECT doc:a.b::string, f.value FROM customer, LATERAL FLATTEN(input => doc:items) f;

-- snowflake: customer
SELECT * EXCLUDE (c_name) FROM customer;

-- snowflake: customer
SELECT * FROM customer SAMPLE (10);

-- snowflake: customer
SELECT c_id FROM db.schema.customer WHERE c_name ILIKE ANY ('a%', 'b%');

-- snowflake: customer
SELECT c_name, COUNT_IF(c_id > 3) FROM customer GROUP BY ALL ORDER BY ALL;

-- snowflake: customer
CREATE OR REPLACE TRANSIENT TABLE tmp AS SELECT c_id FROM customer;

-- snowflake: customer
SELECT TOP 5 c_id FROM customer;

-- snowflake: customer
SELECT c_id FROM customer AT (OFFSET => -60);

-- bigquery: hits
SELECT COUNT(*) FROM `project.dataset.hits`;

-- bigquery: hits
SELECT RegionID, COUNT(DISTINCT UserID) AS u FROM hits GROUP BY RegionID ORDER BY u DESC LIMIT 10;

-- bigquery: hits
SELECT * EXCEPT (Title), COUNT(*) OVER () FROM hits;

-- bigquery: customer
SELECT c_id, t FROM customer, UNNEST(tags) AS t WITH OFFSET AS o;

-- bigquery: customer
SELECT AS STRUCT c_id FROM customer;

-- bigquery: customer
SELECT DATE_SUB(CURRENT_DATE(), INTERVAL 1 DAY), SAFE_DIVIDE(c_id, 2), FORMAT_DATE('%Y', c_day) FROM customer;

-- bigquery: customer
SELECT ARRAY_AGG(c_name ORDER BY c_id LIMIT 3)[OFFSET(0)] FROM customer;

-- bigquery: customer
SELECT c_id FROM customer WHERE c_id IN UNNEST([1,2,3]);

-- bigquery: customer
SELECT c_id, FROM customer;

-- bigquery: customer
SELECT APPROX_QUANTILES(c_id, 100)[OFFSET(50)] FROM customer WHERE _PARTITIONTIME > TIMESTAMP('2020-01-01');

-- bigquery: customer
SELECT c_id FROM customer FOR SYSTEM_TIME AS OF TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR);

-- clickhouse: hits
SELECT URL, COUNT(*) AS c FROM hits WHERE URL <> '' GROUP BY URL ORDER BY c DESC LIMIT 10;

-- clickhouse: hits
SELECT SearchPhrase, uniq(UserID) FROM hits PREWHERE AdvEngineID <> 0 GROUP BY SearchPhrase WITH TOTALS LIMIT 5 BY SearchPhrase;

-- clickhouse: hits
SELECT toStartOfMinute(EventTime) AS m, count() FROM hits FINAL SAMPLE 0.1 WHERE EventDate >= toDate('2013-07-14') GROUP BY m SETTINGS max_threads = 8;

-- clickhouse: hits
SELECT argMax(URL, EventTime), quantile(0.9)(ResolutionWidth), groupArray(10)(UserID) FROM hits;

-- clickhouse: customer
SELECT c_id, t FROM customer ARRAY JOIN tags AS t;

-- clickhouse: customer orders
SELECT * FROM customer ANY LEFT JOIN orders ON c_id = o_customer;

-- clickhouse: customer orders
SELECT * FROM customer GLOBAL ASOF JOIN orders ON c_id = o_customer AND c_day >= o_day;

-- clickhouse: customer orders
SELECT c_id FROM customer WHERE c_id IN (SELECT o_customer FROM orders) FORMAT JSON;

-- clickhouse: customer
WITH 5 AS x SELECT c_id + x FROM customer;

-- clickhouse: hits -> hits
INSERT INTO hits SELECT * FROM hits WHERE URL = {u:String};

-- duckdb: customer
FROM customer;

-- duckdb: customer
FROM customer SELECT c_id WHERE c_id > 5;

-- duckdb: customer
SELECT COLUMNS('c_.*') FROM customer;

-- duckdb: customer
SELECT * EXCLUDE (c_name) REPLACE (c_id + 1 AS c_id) FROM customer;

-- duckdb: customer
SELECT c_id FROM customer USING SAMPLE 10%;

-- duckdb: customer
SELECT c_name, sum(c_id) FROM customer GROUP BY ALL ORDER BY ALL;

-- duckdb: customer orders
SELECT c_id, o_id FROM customer ASOF JOIN orders ON c_id = o_customer AND c_day >= o_day;

-- duckdb: customer orders
SELECT c_id, o_id FROM customer POSITIONAL JOIN orders;

-- duckdb: customer orders
SELECT c_id FROM customer SEMI JOIN orders ON c_id = o_customer;

-- duckdb: customer orders
SELECT c_id FROM customer ANTI JOIN orders ON c_id = o_customer;

-- duckdb: customer
SELECT list_transform(tags, x -> x || 'a'), {'a': c_id}, [c_id], tags[1], struct_pack(a := 1) FROM customer;

-- duckdb: customer
SELECT unnest(tags) FROM customer;

-- duckdb: customer
SELECT c_id FROM customer WHERE c_name GLOB 'a*' QUALIFY row_number() OVER () < 5;

-- duckdb: customer
SELECT c_id AS a, a + 1 AS b FROM customer WHERE a > 3;

-- duckdb: customer orders
SELECT * FROM customer c JOIN orders o ON c.c_id = o.o_customer AND o.o_total > ?;

-- duckdb: customer
SELECT arg_max(c_name, c_id), any_value(c_name), first(c_name) FROM customer;

-- duckdb: customer orders
SELECT c_id FROM customer UNION BY NAME SELECT o_id AS c_id FROM orders;

-- duckdb: customer
SELECT * FROM range(10) r JOIN customer ON c_id = r.range;

-- duckdb: orders -> customer
INSERT INTO customer BY NAME SELECT o_id AS c_id FROM orders;

-- duckdb: orders -> customer
INSERT OR REPLACE INTO customer SELECT o_id, 'x', NULL, NULL, NULL FROM orders;

-- duckdb: customer
COPY (SELECT * FROM customer) TO 'x.parquet' (FORMAT parquet);

-- duckdb: customer
SELECT (doc).x FROM customer;

-- spark: customer orders
SELECT /*+ BROADCAST(c) */ c_id FROM customer c JOIN orders ON c_id = o_customer;

-- spark: customer
SELECT c_id, t FROM customer LATERAL VIEW explode(tags) x AS t;

-- spark: customer
SELECT c_id, p, t FROM customer LATERAL VIEW OUTER posexplode(tags) x AS p, t;

-- spark: customer orders
SELECT c_id FROM customer LEFT SEMI JOIN orders ON c_id = o_customer;

-- spark: customer orders
SELECT c_id FROM customer LEFT ANTI JOIN orders ON c_id = o_customer;

-- spark: customer
SELECT c_id FROM customer WHERE c_name RLIKE 'a' DISTRIBUTE BY c_id SORT BY c_id;

-- spark: customer
SELECT c_id FROM default.customer TABLESAMPLE (10 PERCENT);

-- spark: orders -> customer
INSERT OVERWRITE TABLE customer SELECT o_id, 'x', NULL, NULL, NULL FROM orders;

-- spark: orders -> customer
INSERT INTO customer PARTITION (c_day = '2020-01-01') SELECT o_id, 'x' FROM orders;

-- spark: customer
CREATE TABLE t USING parquet AS SELECT c_id FROM customer;

-- spark: customer
SELECT transform(tags, x -> upper(x)), named_struct('a', c_id), map('k', c_id)['k'] FROM customer;

-- spark: customer
SELECT stack(2, c_id, c_name) FROM customer;

-- spark: customer
SELECT * FROM VALUES (1, 'a'), (2, 'b') AS v(id, n) JOIN customer ON c_id = id;

-- spark: customer
SELECT from_json(doc, 'a INT').a FROM customer;

-- spark: customer orders -> customer
MERGE INTO customer t USING orders s ON t.c_id = s.o_customer WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- spark: customer -> item orders
FROM customer INSERT INTO orders SELECT c_id, c_id, c_day, 0 INSERT INTO item SELECT c_id, 1, 2;

-- spark: customer
SELECT c_id FROM customer GROUP BY c_id, c_name WITH CUBE;

-- spark: customer
SELECT date_add(c_day, 7), c_day - INTERVAL 7 DAYS FROM customer;

-- spark: customer
SELECT * FROM customer CLUSTER BY c_id;

-- spark: customer
SELECT c_id, c_id + 1 AS x, x * 2 AS y FROM customer;

-- spark: customer
SELECT c_name FROM customer WHERE c_id = '${hiveconf:x}' AND c_id = ${x};

-- redshift: customer
SELECT DATEADD(day, 7, c_day), GETDATE(), c_id::int, NVL(c_name, '') FROM customer;

-- redshift: customer
SELECT LISTAGG(c_name, ',') WITHIN GROUP (ORDER BY c_name) OVER (PARTITION BY c_id) FROM customer;

-- redshift: customer
SELECT APPROXIMATE COUNT(DISTINCT c_id) FROM customer;

-- redshift: customer
SELECT TOP 10 c_id FROM customer;

-- redshift: customer orders
SELECT c_id, MEDIAN(o_total) FROM customer JOIN orders ON c_id=o_customer GROUP BY 1 QUALIFY ROW_NUMBER() OVER (ORDER BY 1) = 1;

-- trino: customer
SELECT c_id, t FROM customer CROSS JOIN UNNEST(tags) AS u(t);

-- trino: customer
SELECT approx_distinct(c_id), try_cast(c_name AS bigint), date_add('day', 1, c_day) FROM hive.default.customer;

-- trino: customer
SELECT c_id FROM customer WHERE c_day >= current_date - INTERVAL '7' DAY;

-- trino: customer
SELECT c_name, count(*) FROM customer GROUP BY ROLLUP (c_name);

-- trino: customer
SELECT element_at(tags, 1), json_extract_scalar(doc, '$.a') FROM customer;

-- trino: customer
SELECT c_id FROM customer TABLESAMPLE BERNOULLI (10);

-- trino: customer
SELECT max_by(c_name, c_id) FILTER (WHERE c_id > 3) FROM customer;

-- trino: customer
SELECT c_id FROM customer WHERE c_id = ? OFFSET ? LIMIT ?;

-- sqlite: customer
SELECT c_id FROM customer WHERE c_name GLOB 'a*' AND rowid = 5;

-- sqlite: orders -> customer
REPLACE INTO customer (c_id) SELECT o_id FROM orders;

-- sqlite: customer
SELECT c_id FROM customer WHERE c_id = @a AND c_name = $b LIMIT 5;

