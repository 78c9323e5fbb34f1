-- Each statement and its canonical form give the same answer (test_rewrites.py).

-- Joins

SELECT c_name, i_line FROM (customer JOIN orders ON c_id = o_customer) JOIN item ON i_order = o_id;

SELECT * FROM customer LEFT JOIN (orders JOIN item ON i_order = o_id) ON c_id = o_customer;

SELECT c_id, count(i_line) FROM customer LEFT JOIN (orders LEFT JOIN item ON i_order = o_id AND
    i_price > 2) ON c_id = o_customer AND o_total > 3 GROUP BY c_id;

SELECT * FROM customer RIGHT JOIN (orders CROSS JOIN (SELECT 1 AS one)) ON c_id = o_customer;

SELECT c_name FROM customer LEFT JOIN (orders JOIN item ON i_order = o_id) ON c_id = o_customer
    WHERE EXISTS (SELECT 1 FROM item n WHERE n.i_order = orders.o_id);

SELECT * FROM customer, (orders JOIN item ON i_order = o_id) WHERE c_id = o_customer;

SELECT * FROM customer JOIN (orders JOIN (item JOIN (SELECT 3 AS k) t ON i_line > k) ON i_order =
    o_id) ON c_id = o_customer;

SELECT * FROM customer JOIN (orders FULL JOIN item ON i_order = o_id) ON c_id = o_customer;

SELECT c_id, a.c_name FROM customer a NATURAL JOIN customer b;

SELECT c_id FROM customer a FULL JOIN (SELECT o_customer AS c_id FROM orders) b USING (c_id);

SELECT * FROM (SELECT c_id FROM customer WHERE c_id < 3) a FULL JOIN (SELECT o_customer AS c_id
    FROM orders WHERE o_customer > 1) b USING (c_id) LEFT JOIN (SELECT c_id, c_name FROM customer)
    c USING (c_id);

SELECT c_id, n FROM (SELECT c_id FROM customer WHERE c_id < 3) a RIGHT JOIN (SELECT DISTINCT
    o_customer AS c_id FROM orders) b USING (c_id) JOIN (SELECT c_id, c_name AS n FROM customer) c
    USING (c_id);

SELECT count(*) FROM customer SEMI JOIN orders ON c_id = o_customer;

SELECT c_id FROM customer ANTI JOIN orders ON c_id = o_customer;

SELECT c_name, m FROM customer c, LATERAL (SELECT max(o_total) AS m FROM orders o WHERE
    o.o_customer = c.c_id) x WHERE c_id IN (SELECT i_line FROM item);

SELECT c_id, m FROM customer c LEFT JOIN LATERAL (SELECT o_total AS m FROM orders o WHERE
    o.o_customer = c.c_id ORDER BY o_id LIMIT 1) x ON TRUE;

SELECT x, c_name FROM customer, unnest([c_id, 2]) AS t(x) WHERE c_id IN (SELECT o_id FROM orders);

SELECT v.a, c_name FROM (VALUES (1, 2), (3, 4)) AS v(a, b) JOIN customer ON v.a = c_id;

SELECT c_id, i FROM (SELECT c_id FROM customer WHERE c_id < 4), range(c_id) AS t(i) WHERE i > 0;

SELECT i, c_name FROM range(5) t(i) LEFT JOIN customer ON i = c_id;

SELECT a.c_id FROM customer a JOIN customer b ON a.c_name = b.c_name AND a.c_id < b.c_id;

-- CTEs, set operations, groups, windows

WITH c(a, b) AS (SELECT c_id, c_name FROM customer) SELECT b, count(*) FROM c JOIN orders ON a =
    o_customer GROUP BY 1 ORDER BY 2 DESC, 1;

WITH u(k) AS (SELECT c_id FROM customer UNION ALL SELECT o_customer FROM orders) SELECT k, i_line
    FROM u JOIN item ON i_order = k;

WITH RECURSIVE r(n) AS (SELECT c_id FROM customer WHERE c_id < 2 UNION ALL SELECT n + 1 FROM r
    JOIN orders ON o_id = n WHERE n < 5) SELECT n, count(*) FROM r GROUP BY n;

WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 4) SELECT c_id FROM
    customer;

SELECT k FROM (SELECT c_id FROM customer INTERSECT SELECT o_customer FROM orders) AS u(k);

SELECT c_id FROM customer EXCEPT SELECT o_customer FROM orders WHERE o_total > 4;

SELECT c_id, c_name FROM customer UNION ALL BY NAME SELECT o_id AS c_id, o_day FROM orders;

SELECT c_name, o_total FROM customer JOIN orders ON c_id = o_customer QUALIFY row_number() OVER
    (PARTITION BY c_name ORDER BY o_total, o_id) = 1;

SELECT o_id, sum(o_total) OVER w FROM orders WINDOW w AS (PARTITION BY o_customer ORDER BY o_id);

SELECT t.*, 1 FROM customer t;

SELECT c_name, c_id % 2 AS odd, count(*) FROM customer GROUP BY ALL;

SELECT count(*), max(c_id) FROM customer GROUP BY ALL;

SELECT 1 AS one, upper('a') AS a, count(*) AS n, product(c_id) AS p FROM customer WHERE c_id > 99
    GROUP BY ALL;

SELECT 1 AS one FROM customer GROUP BY ALL;

SELECT c_id % 2 AS odd, (SELECT max(o_id) FROM orders WHERE o_customer = c_id % 2) AS o, 7 AS seven,
    mad(c_id) AS m, sum(count(*)) OVER () AS n FROM customer GROUP BY ALL;

SELECT c_id, n FROM customer, LATERAL (SELECT c_id AS k, count(*) AS n FROM orders WHERE o_customer
    > c_id GROUP BY ALL) o;

SELECT c_name AS n, count(*) AS k FROM customer, orders WHERE c_id = o_customer GROUP BY c_name
    ORDER BY CASE WHEN k > 1 THEN n END, k, n LIMIT 3;

SELECT o_customer, count(*) FROM orders GROUP BY ROLLUP (o_customer) HAVING count(*) > (SELECT
    avg(i_price) FROM item);

SELECT c_name FROM customer, orders WHERE (c_id = o_customer AND o_total > 5) OR (c_id =
    o_customer AND o_total < 2 AND c_name = 'n1');

-- Subqueries: NULLs, no rows, one row, many rows

SELECT count(*), 1 + (SELECT max(i_price) FROM item) FROM orders WHERE o_id > 100;

SELECT count(*) FROM orders WHERE o_id > 100 HAVING count(*) < (SELECT avg(i_price) FROM item);

SELECT c_id, (SELECT o_total FROM orders WHERE o_id = -1) FROM customer;

SELECT c_id FROM customer WHERE c_id > 100 OR (SELECT o_id FROM orders WHERE o_id = -1) IS NULL;

SELECT c_id FROM customer WHERE coalesce((SELECT o_id FROM orders WHERE o_id = -1), 3) = c_id;

SELECT c_id FROM customer WHERE EXISTS ((SELECT o_id FROM orders WHERE o_total > 3));

SELECT c_id FROM customer WHERE EXISTS (SELECT 1 FROM orders WHERE c_id = 3);

SELECT c_id FROM customer WHERE NOT (c_name = 'n1' OR c_id IN (SELECT o_customer FROM orders));

SELECT c_id, c_id IN (SELECT o_customer FROM orders) FROM customer;

SELECT c_id FROM customer WHERE (c_id IN (SELECT o_customer FROM orders)) IS NULL;

SELECT c_id FROM customer WHERE c_id IN (SELECT o_customer FROM orders ORDER BY o_day);

SELECT c_id FROM customer WHERE c_id IN (SELECT o_id FROM orders ORDER BY o_id DESC LIMIT 15);

SELECT c_id FROM customer WHERE c_id IN (SELECT row_number() OVER (ORDER BY o_id) FROM orders);

SELECT c_id FROM customer WHERE c_name IN (SELECT 'n1' FROM orders);

SELECT c_id FROM customer WHERE (c_id, c_name) IN (SELECT o_customer, 'n' || o_customer FROM
    orders);

SELECT o_customer FROM orders GROUP BY o_customer HAVING max(o_id) IN (SELECT i_line FROM item);

SELECT c_id FROM customer c WHERE c_id < (SELECT o_total FROM orders o WHERE o.o_id = c.c_id);

SELECT c_id, (SELECT count(*) FROM orders o WHERE o.o_customer = c.c_id) FROM customer c;

SELECT c_id FROM customer c WHERE 0 = (SELECT count(*) FROM orders o WHERE o.o_customer = c.c_id);

SELECT c_id FROM customer c WHERE (SELECT sum(o_total) FROM orders o WHERE o.o_customer = c.c_id)
    IS NULL;

SELECT c_id FROM customer c WHERE c_id IN (SELECT o_customer FROM orders o WHERE o.o_id = c.c_id);

SELECT c_id FROM customer c WHERE c_id = ANY (SELECT o_id FROM orders o WHERE o.o_customer = c_id);

SELECT c_id FROM customer WHERE c_id <> ALL (SELECT o_customer FROM orders);

SELECT c_id FROM customer WHERE c_id <> ALL (SELECT o_id FROM orders WHERE o_id > 3);

SELECT c_id FROM customer WHERE NOT c_id = ANY (SELECT o_customer FROM orders);

SELECT c_id FROM customer WHERE c_id > ALL (SELECT o_customer FROM orders WHERE o_id < 3);

SELECT c_id FROM customer c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.o_customer = c.c_id
    AND NOT EXISTS (SELECT 1 FROM item WHERE i_order = o.o_id));

SELECT c_id FROM customer c WHERE EXISTS (SELECT count(*) FROM orders o WHERE o.o_customer = c_id);

SELECT sum(CASE WHEN EXISTS (SELECT 1 FROM orders o WHERE o.o_customer = c.c_id) THEN 1 END) FROM
    customer c;

SELECT c_name, count(*) FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.o_customer =
    c.c_id) OR c_id NOT IN (SELECT i_order FROM item WHERE i_order < 4) GROUP BY 1;

SELECT c_id FROM customer JOIN orders ON c_id = o_customer AND o_id IN (SELECT i_line FROM item);

SELECT c_id FROM customer RIGHT JOIN orders ON c_id = o_customer WHERE o_id IN (SELECT i_order
    FROM item);

-- Regular expressions, natural joins, unions by name

SELECT c_id, c_name ~ 'n', c_name ~ 'n.', c_name !~ '1', regexp_matches(c_name, '1') FROM customer;

SELECT a.o_id, count(*) OVER () FROM orders a NATURAL JOIN orders b NATURAL JOIN orders c;

SELECT o_id, x FROM (SELECT o_id, o_total FROM orders WHERE o_id > 5) a NATURAL FULL JOIN
    (SELECT o_id, o_day FROM orders WHERE o_id < 9) b NATURAL JOIN
    (SELECT o_id, 1 AS x FROM orders) c;

SELECT c_id AS a, c_name FROM customer UNION BY NAME SELECT o_id AS b, 'n1' AS c_name FROM orders
    UNION BY NAME SELECT 1 AS b, o_id AS a FROM orders WHERE o_id < 3;

SELECT c_name FROM customer UNION ALL BY NAME (SELECT o_id, 'n1' AS c_name FROM orders ORDER BY
    o_id LIMIT 3);

-- Correlation over two levels, and lists of columns

SELECT c_id FROM customer WHERE EXISTS (SELECT 1 FROM orders WHERE o_customer = c_id AND NOT EXISTS
    (SELECT 1 FROM item WHERE i_order = c_id AND i_line > o_id));

SELECT c_id FROM customer WHERE 1 IN (SELECT o_id % 2 FROM orders CROSS JOIN (VALUES (1), (2)) v(n)
    WHERE o_customer = c_id AND NOT EXISTS (SELECT DISTINCT 1 FROM item WHERE i_order = c_id));

SELECT a, n FROM orders AS o(a, b), LATERAL (SELECT c_name AS n FROM customer WHERE c_id = b) l;

WITH w AS (SELECT c_id, c_name FROM customer) SELECT x, y, o_id FROM w AS v(x, y) LEFT JOIN
    (orders JOIN item AS i(p, q, r) ON p = o_id) ON o_customer = x WHERE EXISTS
    (SELECT 1 FROM item WHERE i_line = x);

-- Names that repeat where rows are ordered

SELECT a.o_id, b.o_id, a.o_total + 1 AS total FROM orders a JOIN orders b ON a.o_id = b.o_customer
    ORDER BY total * 2, 2, a.o_id + b.o_id;

SELECT c_id, NULL AS n FROM customer UNION SELECT o_id, NULL FROM orders;

-- A comma binds weaker than JOIN

SELECT c_name, o_id, i_line FROM customer, orders RIGHT JOIN item ON i_order = o_id;

SELECT c_name, o_id, i_line, n FROM customer, orders FULL JOIN item ON i_order = o_customer,
    (VALUES (1), (2)) v(n) RIGHT JOIN (SELECT 2 AS m) w ON m = n WHERE c_id < 3;

SELECT count(*) FROM customer, orders LEFT JOIN item ON i_order = o_id, (SELECT 1) one;

SELECT c_name, n, i_line FROM customer, LATERAL (SELECT o_id AS n FROM orders WHERE o_customer =
    c_id) o RIGHT JOIN item ON i_order = n;

SELECT c_id, n, i_line FROM customer, LATERAL (SELECT o_id FROM orders WHERE o_customer = c_id) o(n)
    RIGHT JOIN item ON i_order = n AND i_line > 1, unnest([c_id, 2]) AS u(m) RIGHT JOIN (SELECT 2 AS
    k) w ON k = m;

SELECT c_id, n, k FROM customer, range(c_id) AS u(n) RIGHT JOIN (SELECT 2 AS k) w ON k = n;

SELECT c_id FROM customer WHERE EXISTS ((SELECT o_id FROM orders WHERE o_customer = c_id) OFFSET 2);

SELECT c_id FROM customer WHERE EXISTS (((SELECT 1) UNION (SELECT o_id FROM orders WHERE o_customer
    = c_id)) ORDER BY 1 LIMIT 3 OFFSET 1);

SELECT x.o_id, a.c_id, y.o_day FROM customer a, orders x NATURAL JOIN orders y;

SELECT x.o_id, a.o_id, o.c_id FROM orders a, orders x JOIN orders y USING (o_id), customer o
    WHERE o.c_id < 3;

-- A condition reads what has been joined so far, whatever is merged later

SELECT v.k, a.o_total, b.o_customer FROM (VALUES (1), (2), (9)) v(k) LEFT JOIN orders a ON k = o_id
    FULL JOIN orders b USING (o_id) LEFT JOIN item ON i_order = o_id FULL JOIN orders c USING (o_id);

-- Tables that SEMI and ANTI JOIN look into have no columns to merge

SELECT a.o_id, b.o_day, o_total FROM orders a SEMI JOIN item ON i_order = a.o_id NATURAL JOIN orders b;

SELECT o_total, i_order, s.i_line FROM orders a SEMI JOIN item i ON i.i_order = a.o_id NATURAL JOIN
    (SELECT o_id, i_order, i_line FROM orders JOIN item ON i_order = o_id) s;

-- What follows ANY or ALL applies to the comparison

SELECT c_id, (c_id = ANY (SELECT o_customer FROM orders))::INT + 1 AS a, c_id <> ALL (SELECT
    o_customer FROM orders)::INT::VARCHAR || 'x' AS b, c_id = ANY ([1, 3])::INT + 1 AS c FROM customer;

-- What keeps rows of its right side, behind a comma

SELECT c_id, o_id FROM customer, LATERAL (SELECT i_order AS n FROM item WHERE i_line > 1) l RIGHT
    JOIN orders ON n = o_id;

SELECT c_id, o_id, n FROM customer, unnest([1, 99]) AS l(n) FULL JOIN orders ON n = o_id;

SELECT c_id, o_id, n FROM customer, (VALUES (1), (99)) AS l(n) RIGHT JOIN orders ON n = o_id;

-- EXISTS as an operand

SELECT c_id FROM customer WHERE (NOT EXISTS (SELECT 1 FROM orders WHERE o_customer = c_id) IS NULL);

SELECT c_id, EXISTS (SELECT 1 FROM orders WHERE o_customer = c_id) IN (FALSE, NULL) AS a,
    EXISTS (SELECT 1 FROM orders WHERE o_customer = c_id) = (c_id > 2) AS b FROM customer;

-- Aggregates that only DuckDB has

SELECT c_id FROM customer WHERE EXISTS (SELECT product(o_total) FROM orders WHERE o_customer = c_id);

SELECT * FROM (SELECT o_customer, mad(o_total) AS m, mean(o_total) AS a FROM orders GROUP BY ALL) q
    WHERE q.a > 1;

-- Stars

SELECT q.c_id + 1 AS n FROM (SELECT COLUMNS(*) FROM customer) q;

SELECT q.c_id FROM (SELECT COLUMNS(* EXCLUDE (c_name)) FROM customer) q;

-- Lists of columns

WITH w(k) AS (SELECT c_name AS o FROM customer ORDER BY o DESC LIMIT 2) SELECT k FROM w;

SELECT q.a, q.b FROM (SELECT c_id AS b, c_name AS a FROM customer UNION SELECT o_id, 'z' FROM orders
    ORDER BY A DESC, b LIMIT 3) q(a, b);

WITH w(n) AS (SELECT o_customer FROM orders) SELECT c_id FROM customer ANTI JOIN w AS a(c0_) ON c_id
    = a.c0_;

WITH w(n) AS (SELECT o_customer FROM orders) SELECT c_id FROM customer SEMI JOIN w AS a(c0_) ON c_id
    = a.c0_;

SELECT o_customer, grouping(o_customer) AS g, count(*) FROM orders GROUP BY o_customer
    HAVING grouping(o_customer) = 0 ORDER BY grouping(o_customer), o_customer;

SELECT c_name, grouping(c_name) AS g, count(*) FROM customer GROUP BY ROLLUP (c_name);

-- No keys

SELECT max(o_total) FROM orders WHERE o_id < 0 GROUP BY ();

SELECT 1 AS one FROM orders WHERE o_id < 0 GROUP BY ();

SELECT count(*) OVER () AS n FROM orders WHERE o_id < 3 GROUP BY ();

SELECT o_customer, count(*) FROM orders GROUP BY o_customer, ();

SELECT 7 AS n FROM orders GROUP BY () HAVING count(*) > 3;
