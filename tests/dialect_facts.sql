-- Statements whose answers depend on a system's dialect, in DuckDB's SQL, one a line.

-- Dates and times
SELECT id, CAST(ts AS VARCHAR) AS a FROM fact
SELECT id, d + 5 AS a, d - 5 AS b FROM fact
SELECT id, d + INTERVAL 30 DAY AS a FROM fact
SELECT id FROM fact WHERE d + INTERVAL 30 DAY > DATE '2000-03-10'
SELECT id, d + INTERVAL 1 MONTH AS a, d - INTERVAL 1 YEAR AS b FROM fact
SELECT id FROM fact WHERE d BETWEEN CAST('2000-01-01' AS DATE) AND CAST('2000-01-01' AS DATE) + INTERVAL 60 DAYS
SELECT id, d - DATE '2000-01-01' AS a FROM fact
SELECT id, date_diff('day', DATE '2000-01-01', d) AS a, date_diff('month', DATE '2000-01-31', d) AS b FROM fact
SELECT id, year(d) AS y, month(d) AS m, day(d) AS e, quarter(d) AS q FROM fact
SELECT id, extract(year FROM d) AS y, extract(dow FROM d) AS w, extract(doy FROM d) AS e FROM fact
SELECT id, date_trunc('month', d) AS a, date_trunc('year', d) AS b FROM fact
SELECT id, strftime(d, '%Y-%m') AS a FROM fact
SELECT id, CAST(ts AS DATE) AS a, extract(hour FROM ts) AS h, extract(minute FROM ts) AS m FROM fact
SELECT id, ts + INTERVAL 90 MINUTE AS a FROM fact
SELECT id, ts FROM fact WHERE ts > TIMESTAMP '2000-02-01 00:00:00'
SELECT id, ts FROM fact WHERE ts > DATE '2000-02-01'
SELECT id, date_trunc('hour', ts) AS a FROM fact
SELECT id, make_date(2000, 1, id) AS a FROM fact
SELECT id, last_day(d) AS a FROM fact
SELECT id, dayname(d) AS a, monthname(d) AS b FROM fact
SELECT id, epoch(ts) AS a FROM fact
SELECT id FROM fact WHERE d = '2000-01-31'
SELECT id, d > ts AS c FROM fact
SELECT id FROM fact WHERE ts = TIMESTAMP '1999-12-31 12:34:56.789'
SELECT id, TIMESTAMP '2000-02-29 12:30:15.123456' AS a FROM fact
SELECT id, extract(second FROM ts + INTERVAL 1 SECOND) AS a, second(ts) AS b FROM fact
SELECT id, dayofweek(d) AS a, extract(isodow FROM d) AS b, extract(isoyear FROM d) AS c, extract(week FROM d) AS e FROM fact

-- Grouping sets
SELECT flag, grp, count(*) AS c FROM fact GROUP BY ROLLUP (flag, grp)
SELECT flag, grp, grouping(flag) + grouping(grp) AS g, count(*) AS c FROM fact GROUP BY ROLLUP (flag, grp)
SELECT flag, n, sum(price) AS c FROM fact GROUP BY GROUPING SETS ((flag), (n), ())
SELECT flag, n, sum(price) AS c FROM fact GROUP BY CUBE (flag, n)
SELECT flag, n, count(*) AS c, sum(n) AS s, grouping(flag) AS g FROM fact WHERE id < 0 GROUP BY ROLLUP (flag, n)
SELECT flag, n, count(*) AS c, sum(CASE WHEN n IS NULL THEN 1 ELSE 0 END) AS s FROM fact WHERE id < 0 GROUP BY CUBE (flag, n)
SELECT flag, count(DISTINCT n) AS c, avg(price) AS s FROM fact WHERE id < 0 GROUP BY GROUPING SETS ((flag), ())
SELECT flag, count(*) AS c FROM fact WHERE id < 0 GROUP BY GROUPING SETS ((flag), (n))
SELECT flag, count(*) FILTER (WHERE n > 3) AS c, sum(CASE WHEN n IS NULL THEN 1 ELSE 0 END) AS s FROM fact GROUP BY ROLLUP (flag)
SELECT flag, count(*) AS c FROM fact GROUP BY ROLLUP (flag) HAVING count(*) > 3
SELECT flag, count(*) AS c FROM fact GROUP BY ROLLUP (flag) HAVING grouping(flag) = 1
SELECT flag, n, count(*) AS c FROM fact WHERE id < 0 GROUP BY ROLLUP (flag, n), ROLLUP (flag)
SELECT flag, n, count(*) AS c FROM fact WHERE id < 0 GROUP BY CUBE (flag), ROLLUP (n)
SELECT coalesce(grp, 'none') AS g, count(*) AS c, rank() OVER (ORDER BY count(*) DESC, coalesce(grp, 'none')) AS r FROM fact GROUP BY ROLLUP (coalesce(grp, 'none'))
SELECT name, flag, count(*) AS c FROM fact JOIN other ON id = k AND v > 100 GROUP BY ROLLUP (name, flag)

-- Joins and subqueries
SELECT id, k FROM fact FULL JOIN other ON n IS NOT DISTINCT FROM v
SELECT id, k FROM fact FULL JOIN other ON n < v
SELECT f.id, p.k FROM fact AS f SEMI JOIN other AS o ON f.id = o.k RIGHT JOIN other AS p ON f.n = p.v
SELECT f.id, p.k FROM fact AS f ANTI JOIN other AS o ON f.id = o.k FULL JOIN other AS p ON f.id = p.k
SELECT id FROM fact LEFT JOIN other ON id = k AND starts_with(name, 'a')
SELECT id, n IN (SELECT v FROM other) AS a FROM fact
SELECT id, n NOT IN (SELECT v FROM other) AS a FROM fact
SELECT id FROM fact WHERE id > 5 OR n IN (SELECT v FROM other)
SELECT id FROM fact WHERE id > 5 OR NOT (n IN (SELECT v FROM other))
SELECT id, EXISTS (SELECT 1 FROM other WHERE v = n) AS a FROM fact
SELECT id FROM fact WHERE n > ALL (SELECT v FROM other WHERE v IS NOT NULL)
SELECT id FROM fact WHERE n <> ANY (SELECT v FROM other)
SELECT id FROM fact WHERE n = ANY (SELECT v FROM other WHERE k < id)
SELECT id, (SELECT v FROM other WHERE k = m ORDER BY v LIMIT 1) AS a FROM fact
SELECT id FROM fact WHERE EXISTS (SELECT 1 FROM other WHERE k = n OFFSET 5)
SELECT id, (SELECT count(*) FROM other WHERE v < n) AS a FROM fact
SELECT id, (SELECT count(*) FROM other WHERE v = n) AS a FROM fact
SELECT id FROM fact AS a WHERE EXISTS (SELECT 1 FROM other AS o WHERE o.k > a.n AND EXISTS (SELECT 1 FROM other AS p WHERE p.v < o.v AND p.k > a.id))
SELECT id FROM fact WHERE (n, grp) = (n, grp)
SELECT id FROM fact WHERE (n, grp) NOT IN (SELECT v, name FROM other)
SELECT n // 2 AS a FROM fact GROUP BY n // 2 HAVING n // 2 > 0
SELECT n, sum(m) AS s FROM fact GROUP BY n HAVING n > 0
SELECT id FROM fact WHERE n IN (SELECT v FROM other ORDER BY v LIMIT 2)
SELECT id, k FROM fact FULL JOIN other ON id = k
SELECT id, k FROM fact LEFT JOIN other ON id = k AND v > 1
SELECT id, k FROM fact RIGHT JOIN other ON id = k
SELECT id, name FROM fact JOIN other ON grp = name
SELECT id FROM fact WHERE n NOT IN (SELECT v FROM other)
SELECT id FROM fact WHERE id NOT IN (SELECT k FROM other)
SELECT id FROM fact WHERE n IN (SELECT v FROM other)
SELECT id FROM fact WHERE EXISTS (SELECT 1 FROM other WHERE k = id)
SELECT id FROM fact WHERE NOT EXISTS (SELECT 1 FROM other WHERE v = n)
SELECT id, (SELECT max(v) FROM other WHERE k = id) AS m FROM fact
SELECT id FROM fact WHERE price > (SELECT avg(v) FROM other)
SELECT id, e.v FROM fact, LATERAL (SELECT v FROM other WHERE k = id) AS e

-- Numbers
SELECT id, ln(abs(n) + 1) AS a, log(abs(n) + 1) AS b, log10(abs(n) + 1) AS c, log2(abs(n) + 1) AS d FROM fact
SELECT id, n / 2 AS h, n // 2 AS w, n % 3 AS r FROM fact
SELECT id, price / 3 AS t, price * fine AS p, price + 1 AS q FROM fact
SELECT sum(price) AS s, avg(price) AS a, sum(n) AS i, avg(n) AS b, sum(price * 2) / count(*) AS c FROM fact
SELECT id, round(price, 1) AS a, round(ratio, 1) AS b, round(fine, 2) AS c, round(ratio) AS d, round(price) AS e FROM fact
SELECT id, CAST(price AS INTEGER) AS a, CAST(fine AS BIGINT) AS b FROM fact
SELECT id FROM fact WHERE CAST(price AS INTEGER) = 3
SELECT stddev_samp(n) AS a, var_samp(price) AS b, stddev(ratio) AS c, stddev_pop(n) AS d, var_pop(n) AS e FROM fact
SELECT stddev_samp(n) / avg(n) AS a FROM fact WHERE id = 1
SELECT d.flag, d.a / 3 AS a, d.b, d.c FROM (SELECT flag, stddev_samp(n) * 3 AS a, var_samp(floor(price)) * 1.5 AS b, stddev_pop(fine) * 2 AS c FROM fact GROUP BY flag) AS d WHERE d.a > 0.1
SELECT flag, stddev_samp(DISTINCT m // 10) AS a FROM fact GROUP BY flag
SELECT d.id, d.a * 2 AS a, d.b FROM (SELECT id, stddev_samp(n) OVER (PARTITION BY flag) AS a, avg(n) OVER (PARTITION BY flag) AS b FROM fact) AS d
SELECT d.a * 3 AS a, d.b FROM (SELECT flag, avg(n) AS a, avg(ratio) / 7 AS b FROM fact GROUP BY flag) AS d
SELECT median(n) AS m FROM fact
SELECT quantile_cont(n, 0.5) AS m FROM fact
SELECT corr(n, m) AS c FROM fact
SELECT id, greatest(n, m) AS a, least(n, 0) AS b, greatest(n, 3, m) AS c FROM fact
SELECT id, abs(n) AS a, floor(price) AS b, ceil(price) AS c, sign(n) AS s FROM fact
SELECT id, mod(n, 3) AS a, n % -3 AS b, fine % 1 AS c FROM fact
SELECT id, price / NULLIF(n, 0) AS a FROM fact
SELECT id, m / n AS a FROM fact WHERE n <> 0
SELECT id, ratio / n AS a FROM fact
SELECT id, CASE WHEN n > 3 THEN 'hi' WHEN n IS NULL THEN NULL ELSE 'lo' END AS c FROM fact
SELECT id, CASE WHEN n > 3 THEN n ELSE price END AS c FROM fact
SELECT id FROM fact WHERE (n, m) IN ((7, 70), (3, 33))
SELECT id, CAST('12' AS INTEGER) + n AS a FROM fact
SELECT id, CAST(price AS DOUBLE) AS a, CAST(n AS DECIMAL(10,3)) AS b, CAST(ratio AS DECIMAL(12,1)) AS c FROM fact
SELECT id FROM fact WHERE CAST(ratio AS DECIMAL(12,0)) = 3
SELECT id FROM fact WHERE round(fine, 0) = 4
SELECT price, sum(n) AS s FROM fact GROUP BY price HAVING sum(n) / 2 > 1.5
SELECT id FROM fact WHERE n / 2 = 3.5
SELECT id, if(n > 3, 'y', 'n') AS a FROM fact
SELECT id, price::VARCHAR AS a FROM fact
SELECT id, n & 1 AS a, n | 8 AS b, n << 1 AS c, xor(n, 3) AS e FROM fact WHERE n >= 0
SELECT arg_max(id, n) AS a FROM fact
SELECT count(*) AS c, sum(DISTINCT n) AS s, avg(DISTINCT n) AS a FROM fact
SELECT trunc(price) AS a, trunc(ratio) AS b, id FROM fact
SELECT id, price - 0.5 AS a, price * 1.1 AS b, 1.0 / 3 AS c FROM fact
SELECT id FROM fact WHERE price > 1.1 * fine
SELECT id, exp(ratio / 1e10) AS b FROM fact
SELECT id, ratio / NULLIF(n, 0) AS a FROM fact
SELECT id, n // NULLIF(id - 1, 0) AS a, n % (id - 2) AS b FROM fact
SELECT id FROM fact WHERE CAST(ratio AS REAL) = 0.1
SELECT id, CAST(ratio AS BIGINT) AS a, CAST(ratio * 3 AS BIGINT) AS b FROM fact
SELECT id, round(ratio * 1.07, 2) AS a FROM fact
SELECT sum(m) AS a, sum(m * 1000) AS b FROM fact
SELECT id, m / (n - 7) AS a, ratio / (id - 1) AS b FROM fact

-- Order and limits
SELECT id, grp FROM fact ORDER BY grp, id LIMIT 9
SELECT id, grp FROM fact ORDER BY grp DESC, id LIMIT 9
SELECT id, n FROM fact ORDER BY n LIMIT 9
SELECT id, n FROM fact ORDER BY n DESC LIMIT 3
SELECT id, n FROM fact ORDER BY n NULLS FIRST, id LIMIT 3
SELECT id, n FROM fact ORDER BY n DESC NULLS FIRST, id LIMIT 3
SELECT string_agg(grp, ',' ORDER BY id) AS s FROM fact
SELECT id FROM fact ORDER BY id LIMIT 3 OFFSET 2
SELECT first(id ORDER BY id) AS a FROM fact

-- Set operations
SELECT n FROM fact UNION SELECT NULL
SELECT n, grp FROM fact UNION ALL SELECT NULL, NULL
WITH RECURSIVE r(i, s) AS (SELECT n, 0 FROM fact WHERE n > 0 UNION ALL SELECT i + 1, s + i FROM r WHERE i < 12) SELECT * FROM r
SELECT grp FROM fact INTERSECT SELECT name FROM other
SELECT grp FROM fact EXCEPT SELECT name FROM other
SELECT n FROM fact INTERSECT ALL SELECT v FROM other
SELECT n FROM fact EXCEPT ALL SELECT v FROM other
SELECT n FROM fact UNION SELECT v FROM other
SELECT n FROM fact UNION ALL SELECT v FROM other ORDER BY 1 LIMIT 4

-- Text
SELECT id FROM fact WHERE grp || '\b' LIKE 'a\b'
SELECT id FROM fact WHERE grp || '\%' LIKE '%\%'
SELECT id FROM fact WHERE grp LIKE 'a!%' ESCAPE '!'
SELECT id FROM fact WHERE grp ILIKE 'Ä'
SELECT id FROM fact WHERE grp GLOB 'a*'
SELECT id, left(grp, -1) AS a, substr(grp, 0, 2) AS b, left(grp, n) AS c FROM fact
SELECT id, trim(grp || chr(160)) AS a FROM fact
SELECT id, substr(grp, 1, 1) AS a, substring(grp, 2) AS b, left(grp, 1) AS c, right(grp, 1) AS d FROM fact
SELECT id, replace(grp, 'a', 'xx') AS a, strpos(grp, 'z') AS b, reverse(grp) AS c, lpad(grp, 3, '*') AS d FROM fact
SELECT id FROM fact WHERE starts_with(grp, 'a')
SELECT id FROM fact WHERE grp = 'a'
SELECT id FROM fact WHERE grp LIKE 'A%' OR grp LIKE 'z%'
SELECT id FROM fact WHERE grp ILIKE 'a%'
SELECT lower(grp) AS l, upper(grp) AS u, count(*) AS c FROM fact GROUP BY lower(grp), upper(grp)
SELECT grp, count(*) AS c FROM fact GROUP BY grp
SELECT count(DISTINCT grp) AS c, min(grp) AS a, max(grp) AS b FROM fact
SELECT id, grp || 'x' AS s, concat(grp, '-', n) AS t FROM fact
SELECT id, concat_ws('-', grp, 'q', NULL) AS t FROM fact
SELECT id, n || '-' AS s, '(' || CAST(price AS VARCHAR) || ')' AS t FROM fact
SELECT id, CAST(ratio AS VARCHAR) AS a FROM fact
SELECT id, substr(grp, -1, 1) AS a FROM fact
SELECT id, length(grp) AS l, trim(grp) AS t, ltrim(grp) AS u, rtrim(grp) || '|' AS v FROM fact
SELECT id, position('z' IN grp) AS b, instr(grp, 'z') AS c FROM fact
SELECT id FROM fact WHERE grp > 'B'
SELECT id, coalesce(grp, 'none') AS a, nullif(n, 7) AS b, ifnull(n, 0) AS c FROM fact
SELECT id FROM fact WHERE regexp_matches(grp, '^[aA]')
SELECT id FROM fact WHERE grp SIMILAR TO '[aA].*'
SELECT id, regexp_replace(grp, '[aA]', 'q') AS r FROM fact
SELECT id FROM fact WHERE grp LIKE 'Z_z'
SELECT id FROM fact WHERE grp LIKE '%'
SELECT id FROM fact WHERE contains(grp, 'z')
SELECT id, CAST(grp AS VARCHAR(1)) AS a FROM fact
SELECT id, TRY_CAST(grp AS INTEGER) AS a FROM fact
SELECT id, md5(grp) AS a FROM fact
SELECT id, ascii(grp) AS a, chr(65) AS b FROM fact
SELECT id, split_part(grp, ' ', 1) AS a FROM fact
SELECT id, repeat(grp, 2) AS a FROM fact
SELECT id FROM fact WHERE grp IN ('a', 'B', NULL)

-- Truth values
SELECT id, CAST(d AS VARCHAR) AS a, CAST(flag AS VARCHAR) AS b, CAST(n AS VARCHAR) AS c FROM fact
SELECT id, flag, NOT flag AS f FROM fact
SELECT id FROM fact WHERE flag
SELECT id FROM fact WHERE NOT flag
SELECT id FROM fact WHERE flag IS NOT TRUE
SELECT id FROM fact WHERE flag = true
SELECT id, n > 3 AS b FROM fact
SELECT flag, count(*) AS c, count(*) FILTER (WHERE n > 3) AS f, sum(CASE WHEN flag THEN 1 ELSE 0 END) AS s FROM fact GROUP BY flag
SELECT bool_and(flag) AS a, bool_or(flag) AS b FROM fact
SELECT sum(CAST(flag AS INTEGER)) AS s FROM fact
SELECT sum(CASE WHEN n > 3 THEN price END) AS s, max(flag) AS x FROM fact
SELECT a.id FROM fact AS a WHERE a.n IS DISTINCT FROM 7
SELECT count(DISTINCT (n, flag)) AS c FROM fact
SELECT flag, any_value(1) AS x FROM fact GROUP BY flag
SELECT DISTINCT flag, n > 3 AS b FROM fact
SELECT DISTINCT ON (flag) flag, id FROM fact ORDER BY flag, id

-- Windows
SELECT id, rank() OVER (ORDER BY n) AS r FROM fact
SELECT id, rank() OVER (ORDER BY n DESC) AS r FROM fact
SELECT id, rank() OVER (ORDER BY n NULLS FIRST) AS r FROM fact
SELECT id, row_number() OVER (PARTITION BY flag ORDER BY id) AS r, sum(price) OVER (PARTITION BY flag) AS s FROM fact
SELECT id, sum(n) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s, avg(price) OVER () AS a FROM fact
SELECT id, lag(n) OVER (ORDER BY id) AS l, lead(n, 2) OVER (ORDER BY id) AS k, first_value(grp) OVER (ORDER BY id) AS f FROM fact
SELECT id, ntile(3) OVER (ORDER BY id) AS l, percent_rank() OVER (ORDER BY id) AS k, cume_dist() OVER (ORDER BY id) AS f FROM fact
SELECT id, last_value(n) OVER (ORDER BY id RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS l FROM fact
SELECT sum(sum(price)) OVER (PARTITION BY flag) AS t, flag, n FROM fact GROUP BY flag, n
SELECT id, n FROM fact QUALIFY row_number() OVER (PARTITION BY flag ORDER BY id) = 1
SELECT id, count(DISTINCT n) OVER (PARTITION BY flag) AS a FROM fact
SELECT id, first_value(n IGNORE NULLS) OVER (ORDER BY id) AS a FROM fact
SELECT id, sum(n) OVER (ORDER BY id RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) AS a FROM fact
SELECT id, min(grp) OVER (PARTITION BY flag) AS a FROM fact
