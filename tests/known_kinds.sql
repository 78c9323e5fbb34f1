-- Statements of kinds that were answered wrongly (W, V) or failed (F), in DuckDB's SQL, one a line.

-- W1: grouping sets have a grand total of no rows
SELECT k, count(*) AS c FROM empty_t GROUP BY ROLLUP (k)
SELECT k, s, count(*) AS c, sum(v) AS t FROM empty_t GROUP BY CUBE (k, s)
SELECT k, count(*) AS c FROM nums WHERE id < 0 GROUP BY GROUPING SETS ((k), ())
SELECT n.k, max(d.v) AS m FROM nums AS n JOIN dup AS d ON n.id = d.v AND d.k > 100 GROUP BY ROLLUP (n.k)

-- W2: a correlated LIMIT is one for each outer row, whatever the widths of the keys
SELECT o.id, (SELECT d.v FROM dup AS d WHERE d.k = o.k ORDER BY d.v LIMIT 1) AS a FROM nums AS o
SELECT o.id, (SELECT d.v FROM dup AS d WHERE d.k = o.b ORDER BY d.v DESC LIMIT 1) AS a FROM nums AS o
SELECT o.id, (SELECT d.v FROM dup AS d WHERE d.b = o.k ORDER BY d.v LIMIT 1 OFFSET 1) AS a FROM nums AS o

-- W3: IN as a value is NULL where nobody knows
SELECT id, k IN (SELECT k FROM dup) AS a FROM nums
SELECT id, k NOT IN (SELECT v FROM dup WHERE v IS NOT NULL) AS a, b IN (SELECT k FROM dup) AS c FROM nums
SELECT count(*) AS c FROM nums WHERE b NOT IN (SELECT k FROM dup)

-- W4: LIKE has no escape character of its own
SELECT id FROM nums WHERE s LIKE 'a\%b'
SELECT id FROM nums WHERE s LIKE '%\%'
SELECT id FROM nums WHERE s LIKE 'a\\b' OR s LIKE 'a\b'
SELECT id, s LIKE '%\\' AS a, s NOT LIKE 'a\_b' AS c FROM nums
SELECT id FROM nums WHERE s ILIKE 'A\%b'

-- W5: ILIKE folds letters with accents
SELECT id FROM nums WHERE s ILIKE 'É'
SELECT id FROM nums WHERE s ILIKE 'Ä%'

-- W6: times keep their microseconds
SELECT id FROM nums WHERE ts = TIMESTAMP '2000-02-29 12:30:15.123456'
SELECT id FROM nums WHERE ts >= TIMESTAMP '1969-12-31 23:59:59.5'
SELECT id, TIMESTAMP '2000-02-29 12:30:15.123456' AS a, ts FROM nums

-- W7: a literal beside a REAL is one
SELECT id FROM nums WHERE r = 0.1
SELECT id, r > 3.3 AS a, r IN (0.1, 3.3) AS c FROM nums

-- W8: a semi or anti join comes before the outer join after it
SELECT b.id, x.v FROM nums AS b SEMI JOIN dup AS y ON b.k = y.k RIGHT JOIN dup AS x ON b.id = x.v
SELECT b.id, x.v FROM nums AS b ANTI JOIN dup AS y ON b.k = y.k RIGHT JOIN dup AS x ON b.id = x.v
SELECT b.id, x.v FROM nums AS b SEMI JOIN dup AS y ON b.k = y.k FULL JOIN dup AS x ON b.id = x.v
SELECT b.id, x.v FROM nums AS b ANTI JOIN dup AS y ON b.k = y.k FULL JOIN dup AS x ON b.id = x.v

-- W9: seconds are whole
SELECT id, extract(second FROM ts) AS a, date_part('second', ts) AS c FROM nums
SELECT id FROM nums WHERE extract(second FROM ts) = 59
SELECT date_part('second', ts) AS a, count(*) AS c FROM nums GROUP BY 1

-- W10: weekdays are numbered from Sunday, 0, and have long names
SELECT id, dayofweek(d) AS a FROM nums
SELECT id, monthname(d) AS a, dayname(d) AS c FROM nums

-- W11: casts to whole numbers round halves of doubles to even numbers, of decimals away from zero
SELECT id, CAST(x AS INTEGER) AS a FROM nums WHERE x < 100
SELECT id, CAST(x AS BIGINT) AS a, CAST(x + 1 AS BIGINT) AS c, CAST(p AS INTEGER) AS e FROM nums
SELECT id FROM nums WHERE CAST(x AS BIGINT) = 2

-- W12: positions in text from the end, and zero
SELECT id, left(s, -1) AS a FROM nums
SELECT id, substr(s, 0, 2) AS a, substr(s, -1, 1) AS c, right(s, -1) AS e FROM nums

-- W13: quotients by zero are infinities
SELECT id, x / 0 AS a FROM nums
SELECT id, f / 0 AS a, k / f AS c FROM nums

-- W14: rows of values are equal where both have NULL
SELECT id FROM nums WHERE (k, s) = (k, s)
SELECT id FROM nums WHERE (k, sm) NOT IN (SELECT k, v FROM dup WHERE k IS NOT NULL AND v IS NOT NULL)
SELECT id FROM nums WHERE (k, sm) NOT IN (SELECT k, v FROM dup WHERE v > 5)

-- W15: a correlated OFFSET is one for each outer row
SELECT o.id FROM nums AS o WHERE EXISTS (SELECT 1 FROM dup AS d WHERE d.k = o.k OFFSET 2)
SELECT o.id FROM nums AS o WHERE EXISTS (SELECT 1 FROM dup AS d WHERE d.k = o.b OFFSET 1)
SELECT count(*) AS c FROM nums AS o WHERE EXISTS (SELECT 1 FROM dup AS d WHERE d.k = o.k OFFSET 5)

-- W16: special letters have one case, one length and are no blanks
SELECT id, upper('ß') AS a, upper(s) AS c, lower(s) AS e FROM nums
SELECT id, reverse('a' || chr(769) || s) AS a FROM nums
SELECT id, trim(chr(160) || s) AS a, length(trim(s || chr(160))) AS c FROM nums
SELECT id FROM nums WHERE upper(s) = upper('ß') OR lower(s) = 'é'

-- W17: days that the Julian calendar skips
SELECT id, d FROM nums WHERE d = DATE '1582-10-10'
SELECT id, d FROM nums WHERE d <= DATE '1582-10-15' AND d > DATE '1582-10-04'
SELECT id, ts, d FROM nums WHERE d IN (SELECT max(d) FROM nums WHERE d < DATE '1582-10-14')
SELECT min(d) AS a, max(d) AS c, min(ts) AS e FROM nums

-- W18: sums of more than 38 digits
SELECT sum(huge) AS a FROM nums WHERE id < 12
SELECT k, sum(huge) AS a FROM nums WHERE id < 12 GROUP BY k

-- V1: the order is kept
SELECT year, month, count FROM years ORDER BY year, month, count
SELECT id, s FROM nums ORDER BY s DESC NULLS FIRST, id

-- V2: whole numbers, decimals and REAL keep every digit
SELECT id, b, r, fine, huge FROM nums
SELECT id, CAST(f AS FLOAT) AS a, fine * 2 AS c FROM nums WHERE f = 16777216

-- V3: truth values and times keep their types
SELECT id, k > 1 AS a, d, CAST(d AS TIMESTAMP) AS c, flag FROM nums

-- F1: texts that look like parameters
SELECT id FROM nums WHERE s LIKE '%s'
SELECT id FROM nums WHERE g = '%s'
SELECT id FROM nums WHERE s <> '{a}'
SELECT id, g IN ('?', '%(a)s', ':a') AS a FROM nums

-- F2: distinct values over a window
SELECT id, count(DISTINCT sm) OVER (PARTITION BY k) AS a FROM nums
SELECT id, sum(DISTINCT sm) OVER (ORDER BY id) AS a FROM nums

-- F3: full joins by other conditions than equality
SELECT a.id, b.v FROM nums AS a FULL JOIN dup AS b ON a.k IS NOT DISTINCT FROM b.k
SELECT a.id, b.v FROM nums AS a FULL JOIN dup AS b ON a.k < b.k

-- F4: comparisons with all or any rows of a subquery
SELECT id FROM nums WHERE k > ALL (SELECT v FROM dup WHERE v < 3)
SELECT id FROM nums WHERE k <> ANY (SELECT k FROM dup)
SELECT o.id FROM nums AS o WHERE o.sm = ANY (SELECT d.v FROM dup AS d WHERE d.k = o.k)

-- F5: parts of ISO dates
SELECT id, extract(isodow FROM d) AS a FROM nums
SELECT id, extract(isoyear FROM d) AS a, extract(week FROM d) AS c FROM nums

-- F6: functions in the condition of an outer join
SELECT n.id, t.v FROM nums AS n LEFT JOIN dup AS t ON n.k = t.k AND starts_with(t.s, 'a')

-- F7: expressions in HAVING
SELECT k // 2 AS a, count(*) AS c FROM nums GROUP BY k // 2 HAVING k // 2 > 0

-- F8: the first row of each key
SELECT DISTINCT ON (k) k, id FROM nums ORDER BY k, id
SELECT DISTINCT ON (k) id, k, s FROM nums ORDER BY k DESC, id DESC

-- F9: correlation over two levels
SELECT a.id FROM nums AS a WHERE EXISTS (SELECT 1 FROM dup AS d WHERE d.k = a.k AND EXISTS (SELECT 1 FROM years AS y WHERE y.month = d.v AND y.month > a.sm))
SELECT a.id FROM nums AS a WHERE NOT EXISTS (SELECT 1 FROM dup AS d WHERE EXISTS (SELECT 1 FROM years AS y WHERE y.month = d.k AND d.v = a.k))

-- F10: a set operation with NULL
SELECT k FROM nums UNION SELECT NULL
SELECT p, d FROM nums UNION ALL SELECT NULL, NULL
SELECT id FROM nums EXCEPT SELECT NULL

-- F11: recursion over whole numbers
WITH RECURSIVE r(i, s) AS (SELECT k, 0 FROM nums WHERE k > 0 UNION ALL SELECT i + 1, s + i FROM r WHERE i < 12) SELECT * FROM r

-- F12: what stores and Spark do not have
SELECT id, first_value(k IGNORE NULLS) OVER (ORDER BY id DESC) AS a FROM nums
SELECT id FROM nums WHERE s SIMILAR TO 'a.*'
SELECT id FROM nums WHERE s GLOB 'a*'
SELECT id FROM nums WHERE EXISTS (SELECT v FROM dup OFFSET 5)

-- F13: rows of values of other widths
SELECT id FROM nums WHERE (k, s) = (b, s)
SELECT id, (k, s) = (id, s) AS a FROM nums
SELECT n.id FROM nums AS n JOIN dup AS d ON (n.k, n.s) = (d.b, d.s)

-- F14: text beside a whole number
SELECT id FROM nums WHERE t = k
SELECT n.id, d.v FROM nums AS n JOIN dup AS d ON n.t = d.k WHERE n.id < 12
SELECT id FROM (SELECT id, s FROM nums WHERE id % 21 = 19) AS q WHERE s = 12
SELECT id, CASE WHEN s = '12' THEN s = k END AS a FROM nums

-- F15: days after 9999
SELECT id, d + 1 AS a FROM nums WHERE d = DATE '9999-12-31'
SELECT id, DATE '9999-12-31' + 1 AS a FROM nums WHERE id < 3

-- stars: a star over a relation in which names are repeated
WITH c AS (SELECT * FROM dup AS a LEFT JOIN dup AS b ON a.k = b.v) SELECT * FROM c JOIN years ON c.k = month

-- subscripts: they count as DuckDB counts, whatever is subscripted
SELECT id, s[1] AS a, (s || 'xy')[2] AS c, map {1: s}[1] AS e, [k, id][1] AS g, s[-1] AS h FROM nums
SELECT map {1: s}[1] AS a, (lower(s))[1] AS c, count(*) AS n FROM nums GROUP BY ALL

-- NULL beside a type: what a store hands out as NULL has the type of what it is united with
SELECT flag FROM nums UNION ALL SELECT NULL FROM dup
SELECT s, flag FROM nums UNION BY NAME SELECT s FROM dup

-- columns of columns: what is made of each column of a star is called as DuckDB calls it
SELECT min(COLUMNS(*)) FROM dup
SELECT COLUMNS('[kv]') FROM dup

-- aggregates of DuckDB alone: they are groups' as others are
SELECT * FROM (SELECT k, product(v) AS p, mad(v) AS m FROM dup GROUP BY ALL) q WHERE q.p > 0 AND q.m >= 0

-- subqueries as values: they are cast without the names that they are given
SELECT coalesce(k, 1) AS o2, (SELECT max(TRY_CAST(d.s AS DECIMAL(10,2))) FROM dup AS d WHERE d.k >= n.k) AS "O4" FROM nums AS n

-- ORDER BY ALL: it means all columns of a star and of a set operation too
FROM dup ORDER BY ALL DESC LIMIT 5
SELECT k FROM dup UNION ALL SELECT k FROM nums ORDER BY ALL NULLS FIRST

-- days cut off within days: they are days
SELECT id, date_trunc('day', d) AS a, date_trunc('hour', d) AS c, date_trunc('week', d) AS e FROM nums

-- kept CTEs: a system without the words for it keeps them as it likes
WITH a AS NOT MATERIALIZED (SELECT k, v FROM dup), c AS MATERIALIZED (SELECT max(v) AS v FROM a) SELECT k FROM a JOIN c USING (v)

-- decimals of over 38 digits together: DuckDB gives them the scale of the widest
SELECT id FROM nums WHERE CAST(0.4 AS DECIMAL(4,2)) IN (SELECT CAST(k - 1 AS DECIMAL(38,0)) FROM dup WHERE k IS NOT NULL)
SELECT k, greatest(CAST(k AS DECIMAL(38,0)), 1.25) AS a, coalesce(CAST(max(v) AS DECIMAL(38,1)), 0.0049) AS c FROM dup GROUP BY k
SELECT CAST(k AS DECIMAL(38,1)) AS a FROM dup UNION SELECT CAST(0.44 AS DECIMAL(4,2)) FROM nums

-- constants in grouping sets: DuckDB's HAVING has NULL for them in a total
SELECT DATE '2000-01-01' AS c0, k AS c1, GROUPING(k) AS c2 FROM nums GROUP BY ROLLUP (DATE '2000-01-01', k) HAVING DATE '2000-01-01' < DATE '2001-02-28'
SELECT 'a' AS a, k, count(*) AS n FROM nums GROUP BY CUBE ('a', k) HAVING 'a' IS NULL

-- DISTINCT constants: MariaDB skips none of them
SELECT k FROM dup UNION ALL SELECT a FROM (SELECT DISTINCT 99 AS a FROM nums ORDER BY 1 LIMIT 5 OFFSET 1) q
SELECT k FROM dup WHERE 1 NOT IN (SELECT a FROM (SELECT DISTINCT 1 AS a FROM nums LIMIT 5 OFFSET 1) q)

-- columns of one name: a block hands out each under a name of its own
SELECT q.v, q.flag FROM (SELECT * FROM nums AS n JOIN dup AS d ON n.id = d.v) AS q WHERE q.v IN (SELECT v FROM dup)
SELECT q.p FROM (SELECT * FROM dup AS d RIGHT JOIN nums AS n ON n.id = d.v AND d.k = 2 UNION SELECT * FROM dup AS d JOIN nums AS n ON n.k = d.k) AS q JOIN nums AS o ON q.v = o.id

-- constants alone as keys: they are cast where they would be places
SELECT max(k) AS a FROM nums GROUP BY 'x', -2.5, NULL, true
SELECT 'a' AS a, count(*) AS n, d.k FROM dup AS d GROUP BY 1, d.k, 'b'

-- averages of exact numbers: they are divided from exact sums, and 0.1, 0.2 and -0.3 have 0
SELECT avg(v.a) AS a, count(*) AS c FROM nums, (VALUES (0.1), (0.2), (-0.3)) AS v(a)
SELECT k, avg(p) AS a, avg(b) AS c, avg(DISTINCT sm) AS e FROM nums GROUP BY k
SELECT id FROM nums WHERE id / 10 = (SELECT avg(v.a) FROM dup, (VALUES (0.1), (0.2), (0.3)) AS v(a))
SELECT k, avg(CASE WHEN id < 9 THEN 9007199254740993 ELSE -9007199254740992 END) OVER (PARTITION BY id % 18) AS a FROM nums
SELECT n.k, avg(d.b) FILTER (WHERE d.v > 1) AS a, avg(n.p) AS c FROM nums AS n JOIN dup AS d ON n.k = d.k GROUP BY n.k

-- rounded decimals that are computed or written out: sqlglot takes them for DOUBLE, of which halves are rounded otherwise
SELECT q.id, round(q.a) AS a, CAST(q.a AS INTEGER) AS c FROM (SELECT id, round(p, 1) AS a FROM nums WHERE p < 100) AS q
SELECT q.id, round(q.a) AS a, CAST(q.a AS BIGINT) AS c FROM (SELECT id, CASE WHEN p < 3 THEN p ELSE 0.5 END AS a FROM nums) AS q
WITH c AS (SELECT d.k, coalesce(n.p, 4.5) AS a FROM dup AS d JOIN nums AS n ON d.v = n.id) SELECT k, round(a) AS a, CAST(a AS INTEGER) AS c FROM c WHERE a < 100

-- keys in a parenthesis: they are grouped by one by one
SELECT k, s, count(*) AS c FROM dup GROUP BY (k, s)
SELECT n.k, d.s, sum(d.v) AS a FROM nums AS n JOIN dup AS d ON n.k = d.k GROUP BY (n.k, d.s)

-- quotients by a negative zero: they are infinities of the other sign
SELECT id, 1 / (f * -1) AS a, k / (x * -1) AS c FROM nums
SELECT n.id, d.v / (n.f * -1) AS a FROM nums AS n JOIN dup AS d ON n.k = d.k

-- numbers with an exponent: they are doubles, and round and add as such
SELECT id, CAST(k * 0.5e0 AS INTEGER) AS a, k * 1e-1 = 0.3 AS c FROM nums
SELECT n.id, d.v FROM nums AS n JOIN dup AS d ON n.k = d.k WHERE n.k * 0.1e0 > 0.3 AND d.v * 1e-1 + 0.2e0 <> 0.3

-- added days: to dates that are computed, and days that are whole quotients
SELECT q.id, q.x + 5 AS a, q.x - q.y AS c, (q.x + 1) - 2 AS e FROM (SELECT id, coalesce(d, DATE '2000-01-01') AS x, CAST(ts AS DATE) AS y FROM nums WHERE id % 11 <> 1) AS q
SELECT q.k, q.x + q.k // 2 AS a, q.x - q.k % 3 AS c FROM (SELECT n.k, min(n.d) AS x FROM nums AS n JOIN dup AS d ON n.k = d.k GROUP BY n.k) AS q

-- the greatest truth value: of computed ones too
SELECT max(coalesce(flag, false)) AS a, min(CASE WHEN id > 3 THEN flag ELSE true END) AS c FROM nums
SELECT q.k, max(q.f) AS a, min(q.g) AS c FROM (SELECT k, id IN (1, 2) AS f, coalesce(flag, id > 3) AS g FROM nums) AS q GROUP BY q.k

-- typed texts: what is written out has a type for every function
SELECT id, lag('é') OVER (ORDER BY id) AS a, first_value('x') OVER (PARTITION BY k ORDER BY id) AS c FROM nums

-- long decimals: they keep their digits when they are rounded
SELECT id, round(fine, 2) AS a, round(fine * 10, 1) AS c FROM nums
SELECT n.id, round(n.fine + d.v, 3) AS a FROM nums AS n JOIN dup AS d ON n.k = d.k

-- decimals as text: those that are computed have one scale, also where they are columns further on
SELECT q.x || '' AS a, CAST(q.x AS VARCHAR) AS c FROM (SELECT coalesce(p, 1.125) AS x FROM nums UNION ALL SELECT v * 0.5 FROM dup) AS q
WITH c AS (SELECT d.k, CASE WHEN n.id > 3 THEN n.p ELSE 0.0625 END AS x FROM nums AS n JOIN dup AS d ON n.k = d.k) SELECT k, CAST(x AS VARCHAR) AS a FROM c

-- sums beside decimals of more places: a sum has 38 digits, so that DuckDB cuts the others
SELECT k, coalesce(sum(p) FILTER (WHERE id < 0), 1.2345) * 100 AS a FROM nums GROUP BY k

-- zeros of both signs as keys: they are one value where rows are joined, grouped, made distinct or looked for
SELECT f * (1 - id % 4) AS a, count(*) AS c FROM nums WHERE f = 0 OR k = 1 GROUP BY f * (1 - id % 4)
SELECT DISTINCT abs(q.x) AS a, count(DISTINCT q.x) OVER () AS c FROM (SELECT DISTINCT f * (1 - id % 4) AS x FROM nums) AS q
SELECT count(DISTINCT f * (1 - id % 4)) AS a, sum(DISTINCT f * (1 - id % 4)) AS c FROM nums
SELECT n.id, m.id AS i FROM nums AS n JOIN nums AS m ON n.f * (1 - n.id % 4) = m.f * (1 - m.id % 3)
SELECT q.id, r.id AS i FROM (SELECT id, f * (1 - id % 4) AS x FROM nums) AS q JOIN (SELECT id, f * (1 - id % 3) AS x FROM nums) AS r USING (x)
SELECT id, f * (1 - id % 4) IN (SELECT f * (1 - id % 3) FROM nums WHERE f IS NOT NULL AND id > 5) AS a FROM nums
SELECT count(*) AS c FROM (SELECT f * (1 - id % 4) AS x FROM nums UNION SELECT x * -1 FROM nums) AS q
SELECT count(*) AS c FROM (SELECT f * (1 - id % 4) AS x FROM nums INTERSECT SELECT f * -1 FROM nums) AS q

-- no keys: GROUP BY () is one group of all rows, and nothing beside other keys
SELECT max(d.v) AS a, count(*) AS c FROM nums AS n JOIN dup AS d ON n.k = d.k GROUP BY ()
SELECT n.k, max(d.v) AS a FROM nums AS n JOIN dup AS d ON n.k = d.k GROUP BY n.k, ()
