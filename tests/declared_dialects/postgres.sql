-- Statements of PostgreSQL that mean something else, or nothing, to DuckDB: one a line.
SELECT id, n / 2 AS h, -7 / 2 AS s, n % 3 AS r, n / 2 * 2 AS w FROM fact
SELECT id, price / 2 AS h, ratio / 2 AS q FROM fact
SELECT id, round(ratio) AS a, round(price) AS b, round(price, 1) AS c, round(2.5) AS d, round(0.5::double precision) AS e, round(price * 0.5) AS f, round(ratio * 1.0) AS g FROM fact
SELECT id, ratio::int AS a, price::int AS b, CAST(fine AS bigint) AS c FROM fact WHERE id <> 6
SELECT id FROM fact WHERE grp || '_' LIKE '%\_'
SELECT id FROM fact WHERE grp LIKE 'Z\ z' OR grp ILIKE 'A%'
SELECT id, substring(grp, -1, 3) AS a, substring(grp, 0) AS b, substring(grp, CAST(id - 3 AS int), 4) AS c FROM fact
SELECT id, substring(grp FROM 2 FOR 1) AS a, left(grp, -1) AS b, right(grp, -1) AS c FROM fact
SELECT id, extract(second FROM ts) AS a, extract(minute FROM ts) AS b, date_part('second', ts) AS c FROM fact
SELECT id, extract(dow FROM d) AS a, extract(isodow FROM d) AS b, extract(week FROM d) AS c, extract(doy FROM d) AS e FROM fact
SELECT id, d + 1 AS a, d - DATE '2000-01-01' AS b, d + interval '1 month' AS c FROM fact
SELECT id, date_trunc('month', ts) AS a, to_char(ts, 'YYYY-MM') AS b FROM fact
SELECT id FROM fact WHERE (n, m) = (7, 70)
SELECT id FROM fact WHERE NOT (n, m) = (NULL, 70)
SELECT id FROM fact WHERE (n, m) IN ((7, 70), (3, NULL))
SELECT id, n FROM fact ORDER BY n DESC, id LIMIT 4
SELECT id, n FROM fact ORDER BY n NULLS FIRST, id DESC
SELECT avg(n) AS a, sum(n) AS b, count(*) FILTER (WHERE n > 2) AS c, string_agg(grp, ',' ORDER BY id) AS e FROM fact
SELECT flag, bool_and(n > 0) AS a, bool_or(n > 0) AS b FROM fact GROUP BY flag
SELECT id, greatest(n, NULL, 3) AS a, least(n, m) AS b, concat(grp, NULL, n) AS c, coalesce(n, 0) AS e FROM fact
SELECT id, position('z' in grp) AS a, strpos(grp, ' ') AS b, char_length(grp) AS c, trim(grp) AS e FROM fact
SELECT DISTINCT ON (flag) flag, id FROM fact ORDER BY flag, id DESC
SELECT id FROM fact WHERE n IS DISTINCT FROM 7 AND grp ~ '^[a-z]'
SELECT id, power(n, 2) AS a, mod(m, 7) AS b, trunc(price, 1) AS c, ceil(price) AS e, abs(n) AS f FROM fact
SELECT flag, grp, count(*) AS c FROM fact GROUP BY ROLLUP (flag, grp)
SELECT k, v FROM other EXCEPT SELECT id, n FROM fact
SELECT id FROM fact f WHERE EXISTS (SELECT 1 FROM other o WHERE o.k = f.id AND o.v / 2 = 1)
SELECT row_number() OVER (ORDER BY n, id) AS r, lag(n) OVER (ORDER BY id) AS l FROM fact
SELECT CASE WHEN n / 2 = 3 THEN 'three' ELSE 'other' END AS c, count(*) AS k FROM fact GROUP BY 1
SELECT sum(m) / 2 AS a, sum(n) / 2 AS b, round(avg(n)) AS c, round(avg(price)) AS e, round(avg(ratio)) AS f FROM fact WHERE id <> 6
SELECT id, extract(year FROM d) / 4 AS a, extract(month FROM d) / 5 AS b FROM fact
SELECT id, (n / 2.0)::int AS a, CAST(n / 4.0 AS bigint) AS b, CAST(ratio / 2 AS int) AS c FROM fact WHERE id <> 6
SELECT CAST(avg(n) AS int) AS a, avg(m)::bigint AS b, CAST(avg(ratio) AS int) AS c FROM fact WHERE id IN (1, 7, 10, 3)
SELECT id, extract(month FROM d)::int / 5 AS a, round(2.5e0) AS b, 1e0 / 3 AS c FROM fact
SELECT id, price::numeric AS a, fine::numeric * 2 AS b, n::numeric / 3 AS c, ratio::numeric AS e, '1.2345'::numeric AS f FROM fact
SELECT id, CAST(grp AS varchar(1)) AS a, grp::varchar(2) || '.' AS b FROM fact
SELECT id, extract(milliseconds FROM ts) AS a, date_part('milliseconds', ts) AS b FROM fact
SELECT flag, every(n > 0) AS a, corr(price, 1) AS b, regr_slope(ratio, 2) AS c FROM fact GROUP BY flag
SELECT id, octet_length(grp) AS a, overlay(grp placing 'Q' from 2) AS b, cardinality(string_to_array(grp, ' ')) AS c FROM fact
SELECT flag, array_to_string(array_agg(n ORDER BY id), ',') AS a, array_to_string(array_agg(NULLIF(n, n)), ',') AS b FROM fact GROUP BY flag
SELECT id FROM fact WHERE grp COLLATE "C" < 'b' OR grp ~ '^[[:digit:]]'
SELECT 7 AS a, count(*) AS c FROM fact GROUP BY 1
SELECT id, substring(substring(grp, 0, 3), -1, 3) AS a, sum(m)::text || grp AS b FROM fact GROUP BY id, grp
SELECT id FROM fact WHERE ratio = ANY (ARRAY[0.5, 2.50, NULL]) OR ratio <> ALL (ARRAY[0.1, -2.50, 0.5])
SELECT id FROM fact WHERE grp SIMILAR TO '(a|Z)%' OR grp SIMILAR TO '_' AND grp NOT SIMILAR TO '[a-b]'
SELECT id, concat(grp, flag, n > 3) AS a, concat_ws('-', flag, grp) AS b, flag::text AS c, sign(n) / 2.0 AS e FROM fact
SELECT id, to_char(d, 'FMDD Month YYYY') AS a, to_char(d, 'Dy MON Q WW W D ID') AS b, to_char(ts, 'HH12:MI:SS.MS pm') AS c, to_char(d, 'IYYY-IW "day" DDD') AS e, to_char(ts, 'yyyymmddhh24miss') AS f, to_char(d, 'DAY') AS g FROM fact
SELECT id, ratio::text AS a, concat(ratio * 1e5, ratio / 1e6) AS b, (ratio * 1e7)::real::text || n::real AS c, ratio * 1e25 || '' AS e, n::numeric::text AS f FROM fact
SELECT 'NaN'::double precision::text AS a, CAST('-Infinity' AS float)::text AS b, '-0'::float8 || 'x' AS c, 1e15::float8::text AS e, 123456789.125e7::float8::text AS f FROM fact
SELECT id, substring(grp FROM '[a-z]') AS a, substring(grp, '(.) .') AS b FROM fact
SELECT id FROM fact WHERE n = ANY ('{7, 3,NULL}') OR grp = ANY ('{a,b}'::text[]) OR m <> ALL ('{33,71}')
SELECT id, n << 2 AS a, (ts::date - d) / 7 AS b, (d - DATE '2000-01-01') / 7 * 2 AS c, u - 5 AS e, u / 3 AS f FROM fact
SELECT flag, string_agg(grp, ',' ORDER BY 'x', id) AS a FROM fact GROUP BY flag
SELECT id, coalesce(sum(price), 1.2345) AS a, greatest(sum(price), 0.00001) AS b FROM fact GROUP BY id
SELECT id FROM fact WHERE CAST(m AS numeric(38, 0)) * 1e18 > fine * 2 OR CAST(id AS numeric(38, 0)) IN (2.5, 5)
SELECT id, sum(sign(price)) OVER () / 2 AS a, sign(n) / 2 AS b, (sign(n)::int + 3) / 2 AS c FROM fact
SELECT id FROM fact WHERE (n, m) < (7, NULL) OR (n, id) >= (7, 9)
SELECT flag, sum(n / 2) AS a, max(n / 2) / 2 AS b FROM fact GROUP BY flag
SELECT id, format('%s (%s): %s%%', grp, n, price) AS a, format('%s', flag) || format('100%%') AS b, format('%s|%s|%s', n > 3, d, ratio) AS c FROM fact
SELECT id, ts >= timestamp '2000-01-31 12:34' AS a, '2000-01-31 12:34+00'::timestamptz < timestamptz '2000-01-31T12:34Z' AS b FROM fact
SELECT id, octet_length(grp) / 4 AS a, (bit_length(grp) + 1) / 16 AS b, '<' || rtrim('  a  ') || '>' AS c, trim(grp) AS e FROM fact
SELECT max(cardinality(string_to_array(grp, ' '))) / 7 AS a, min(cardinality(string_to_array('a b c', ' '))) / 2 AS b FROM fact
SELECT grp, sum(length(grp)) / 2 AS a, sum(gcd(id, 6)) / 4 AS b, max(lcm(id, 2)) / 4 AS c, sum(id + length(grp)) / 3 AS d, sum(sum(id)) OVER () / 2 AS e FROM fact GROUP BY grp
