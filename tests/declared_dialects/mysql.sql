-- Statements of MySQL and MariaDB that mean something else, or nothing, to DuckDB: one a line.
SELECT id, n / 2 AS h, n DIV 2 AS w, n % 3 AS r, 7 / 2 AS s, 1 / 3 AS t FROM fact
SELECT id, price / 3 AS a, n / 0 AS b, price / n AS c, ratio / 3 AS e FROM fact
SELECT avg(n) AS a, avg(price) AS b, avg(ratio) AS c, sum(n) AS e, sum(price) / count(*) AS f FROM fact
SELECT flag, avg(DISTINCT n) AS a FROM fact GROUP BY flag
SELECT id, concat(grp, NULL, 'x') AS a, concat_ws(',', grp, NULL, 'x') AS b, ifnull(n, 0) AS c FROM fact
SELECT id FROM fact WHERE concat(grp, '_') LIKE '%\_'
SELECT id FROM fact WHERE grp LIKE 'Z\ z' OR grp = 'a'
SELECT id, dayofweek(d) AS a, weekday(d) AS b, dayofyear(d) AS c, last_day(d) AS e FROM fact
SELECT id, timestampdiff(MONTH, d, DATE '2000-12-25') AS a, timestampdiff(YEAR, DATE '1999-02-28', d) AS b FROM fact
SELECT id, datediff(d, DATE '2000-01-01') AS a, d + INTERVAL 1 MONTH AS b, date_add(d, INTERVAL 3 DAY) AS c FROM fact
SELECT id, date_format(d, '%Y-%m') AS a, year(d) AS b, month(d) AS c, quarter(d) AS e FROM fact
SELECT flag, count(*) AS c FROM fact GROUP BY flag WITH ROLLUP
SELECT id FROM fact WHERE (n, m) = (7, 70) OR (n, m) IN ((3, 33), (0, NULL))
SELECT id FROM fact WHERE NOT (n, m) = (NULL, 70)
SELECT id, n FROM fact ORDER BY n, id LIMIT 2, 3
SELECT id, n FROM fact ORDER BY n DESC, id
SELECT id, substring(grp, -2) AS a, substring(grp, 0) AS f, substring(grp, id - 3, 2) AS g, substr(grp, 2) AS h, left(grp, 1) AS b, instr(grp, 'z') AS c, locate(' ', grp) AS e FROM fact
SELECT id, greatest(n, NULL) AS a, least(n, m) AS b, if(n > 3, 'y', 'n') AS c, n <=> NULL AS e FROM fact
SELECT flag, group_concat(id ORDER BY id SEPARATOR ';') AS a, std(ratio) AS b, variance(ratio) AS c FROM fact GROUP BY flag
SELECT id, truncate(price, 1) AS a, round(price, 1) AS b, mod(n, 3) AS c, log(id) AS e, log2(id) AS f FROM fact
SELECT id FROM fact WHERE n > 2 && m < 100 || id = 9
SELECT id, n ^ 1 AS a, n & 6 AS b, char_length(grp) AS c, upper(grp) AS e FROM fact WHERE n >= 0
SELECT id FROM fact f WHERE EXISTS (SELECT 1 FROM other o WHERE o.k = f.id AND o.v / 2 = 1.5)
SELECT row_number() OVER (ORDER BY n, id) AS r, lag(n) OVER (ORDER BY id) AS l FROM fact
SELECT id, length(grp) AS a, char_length(grp) AS b, length(upper(grp)) AS c FROM fact
SELECT id, week(d) AS a, week(DATE '2021-01-03') AS b, weekofyear(d) AS c FROM fact
SELECT id, round(ratio) AS a, round(price) AS b, round(2.5) AS c, round(2.5e0) AS e FROM fact
SELECT id, 1 / 3 * 3 AS a, n / 2 / 3 AS b, n / 3 + m / 3 AS c, round(n / 3, 2) AS e, concat(n / 2, '') AS f FROM fact
SELECT sum(n / 3) AS a, avg(n / 3) AS b, avg(n) * 3 AS c, truncate(avg(n), 1) AS e, 1.25 / 1.5 AS f FROM fact
SELECT id, (n > 1) + (n < 5) AS a, cast(n > 1 AS char) AS b, concat(flag, '') AS c, -(n > 1) AS e FROM fact
SELECT flag, avg(n > 2) AS a, sum(n > 2) AS b, max(n > 2) AS c, avg(flag) AS e FROM fact GROUP BY flag
SELECT id, cast(grp AS signed) AS a, grp + 1 AS b, cast(concat(n, ' km') AS decimal(5, 1)) AS c FROM fact
SELECT id FROM fact WHERE n > '1.5' AND n <> '7x' OR grp = 0
SELECT id, cast(price AS decimal) AS a, cast(grp AS char(1)) AS b, timestamp '2000-01-01 10:00:00' AS c FROM fact
SELECT id, left(grp, -1) AS a, right(grp, -2) AS b, mid(grp, 2, 1) AS c, substring_index(grp, ' ', 1) AS e, substring_index(grp, ' ', -1) AS f FROM fact
SELECT id, n | 0 AS a, n & 7 AS b, ~n AS c, n ^ 1 AS e, bit_count(n) AS f, cast(n AS unsigned) AS g FROM fact
SELECT bit_and(n) AS a, bit_or(n) AS b, bit_xor(n) AS c FROM fact WHERE id > 100
SELECT id, ascii(grp) AS a, field(grp, 'a', 'b') AS b, strcmp(grp, 'a') AS c FROM fact
SELECT id, sqrt(n) AS a, ln(n) AS b, log(2, n) AS c, log10(n) AS e, acos(n) AS f FROM fact
SELECT id, to_days(d) AS a, microsecond(ts) AS b, extract(microsecond FROM ts) AS c, extract(week FROM d) AS e, week(d, 3) AS f FROM fact
SELECT id, timestampdiff(QUARTER, d, DATE '1999-01-15') AS a, adddate(d, 2) AS b, subdate(d, n) AS c, makedate(2000, id) AS e, from_days(730000 + id) AS f FROM fact
SELECT id, trim(leading 'Z ' FROM grp) AS a, trim(trailing 'z' FROM grp) AS b, trim('ab' FROM concat('ababc', grp)) AS c FROM fact
SELECT id FROM fact WHERE grp REGEXP '^[[:alpha:]]$'
SELECT id, coalesce(d, 'never') AS a, if(n > 2, n, 'few') AS b, ifnull(price, '-') AS c FROM fact
SELECT id FROM fact WHERE grp = BINARY 'a' OR grp COLLATE utf8mb4_bin = 'B'
SELECT 8 AS a, -3 AS b, count(*) AS c FROM fact GROUP BY 1, 2
SELECT id, concat(n) AS a, cast(price AS char) AS b FROM fact
SELECT id, price DIV 1 AS a, -1.5 DIV 1 AS b, ratio DIV 2 AS c, n DIV 0 AS e FROM fact
SELECT n / 3 AS a FROM fact UNION ALL SELECT price AS a FROM fact UNION ALL SELECT sum(fine) FROM fact
SELECT id, flag = 2 AS a, flag = 1 AS b, (n > 3) > '0.5' AS c, flag IN (2, 0) AS e, flag <=> NULL AS f FROM fact
SELECT id, 2147483000 + id * 1000 AS a, id + 2147483647 AS b, -id AS c FROM fact WHERE left(grp, 1) = 0
SELECT (n > 3) + 1 + n / 3 AS a, n / 3 + n / 3 AS b, n + n / 3 AS c FROM fact
SELECT grp, count(*) AS c FROM fact GROUP BY grp WITH ROLLUP HAVING c > 0
SELECT id, week(d, 1) AS a, week(d, 4) AS b, week(d, 5) AS c, yearweek(d) AS e, yearweek(d, 1) AS f, yearweek(DATE '2000-01-01') AS g, yearweek(DATE '2000-01-01', 3) AS h FROM fact
SELECT id, date_format(d, '%D %u %v %x-%v') AS a, date_format(ts, '%W %D, %H:%i') AS b, date_format(DATE '2000-01-11', '%D') AS c FROM fact
SELECT id, concat(d + INTERVAL 1 DAY, '') AS a, cast(d - INTERVAL 1 MONTH AS char) AS b, date_add('2000-01-31', INTERVAL 1 MONTH) AS c, DATE '2000-01-31' - INTERVAL 1 WEEK AS e FROM fact
SELECT id, date_add(d, INTERVAL m * 100000000 DAY) AS a, d + INTERVAL n MONTH AS b, ts - INTERVAL m * 1000000000000 SECOND AS c, subdate(d, INTERVAL n DAY) AS e FROM fact
SELECT id, cast(ratio * 1e20 AS signed) AS a, cast(price * 100000 AS decimal(6, 1)) AS b, cast(ratio AS decimal(4, 1)) AS c, cast(-1e30 AS decimal) AS e FROM fact
SELECT id, fine / 7 AS a, fine / price AS b, (fine / 0.3) / 1.5 AS c, fine * fine / 3 AS e, n / 3 + 0.0000000000 AS f FROM fact
SELECT avg(fine) AS a, sum(fine) / count(*) AS b, sum(fine) / 3 AS c, avg(DISTINCT fine) + 1 AS e FROM fact
SELECT id, avg(fine) OVER (PARTITION BY flag) AS a FROM fact
SELECT group_concat(n / 2 ORDER BY id) AS a, group_concat(DISTINCT n / 3 ORDER BY n / 3) AS b, group_concat(grp ORDER BY 'x', id) AS c FROM fact
SELECT id, coalesce(sum(price), 1.2345) AS a, greatest(sum(price), 0.00001) AS b FROM fact GROUP BY id
SELECT id, concat(ratio) AS a, concat(ratio * 1e15, '') AS b, concat(ratio / 1e6) AS c, concat(ratio / 1e20, '|', ratio * 1e25) AS e, concat(cast(price AS double)) AS f FROM fact
SELECT id, format(price, 1) AS a, format(n, 0) AS b, format(n * 1234567.125, 2) AS c, format(n / 3, 2) AS e, format(0.5, 0) AS f FROM fact
SELECT id, lpad(n, 5, '0') AS a, left(price, 2) AS b, upper(d) AS c, reverse(n) AS e, char_length(price) AS f, locate('7', n) AS g FROM fact WHERE n LIKE '%7%' OR d LIKE '2000-0%'
SELECT id, elt(id, 'a', 'b', 'c') AS a, n << 1 AS b, 1 << 64 AS c, -1 << 63 AS e FROM fact
SELECT n AS x, id FROM fact HAVING x > 3
SELECT id FROM fact WHERE n > ALL (SELECT v FROM other WHERE v < 5) OR n = ANY (SELECT v FROM other)
SELECT count(DISTINCT datediff(d, '2000-01-01'), grp) AS a, count(DISTINCT flag, n) AS b, avg(ifnull(n > 3, FALSE)) AS c FROM fact
SELECT id, year(coalesce(d, '2000-01-01')) AS a, if(n > 3, substring_index(grp, ' ', 1), 'no') AS b, coalesce(from_days(730000 + id), 'never') AS c FROM fact
SELECT id, locate('', 'abc', 3) AS a, locate('', 'abc', 4) AS b, locate('b', grp, 7) AS c, locate('c', 'abcabc', 4) AS e FROM fact
SELECT id, timestampdiff(MONTH, d, DATE '2003-02-28') AS a, timestampdiff(MONTH, DATE '2003-02-28', d) AS b, timestampdiff(YEAR, ts, '2001-02-28 00:00:00') AS c, timestampdiff(QUARTER, DATE '2000-11-30', d) AS e FROM fact
SELECT id, CAST((id + 98765432108) / 2 AS SIGNED) AS a, round((id + 98765432108) / 2) AS b, floor((id - 98765432108) / 2) AS c FROM fact
SELECT id, week(DATE '1970-01-01', 5) AS a, week(DATE '1970-01-01', 1) AS b, week(DATE '1970-01-01', 0) AS c, week(DATE '1970-01-05', 5) AS e FROM fact
SELECT flag, count(*) AS c FROM fact GROUP BY flag ORDER BY NULL, flag
SELECT id, concat('<', rtrim('  a  '), '>') AS a, concat('<', trim('  a '), '>') AS b, ltrim(grp) AS c FROM fact
SELECT id, CAST(replace(grp, 'Z', '') AS SIGNED) AS a, CAST(reverse('x21') AS SIGNED) AS b, CAST(replace('1z2', 'z', '') AS SIGNED) + 1 AS c FROM fact
