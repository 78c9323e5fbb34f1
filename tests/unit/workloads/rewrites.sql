-- Each statement, and below it its canonical form after "-- =": both give the same answer, and the
-- rewrites make this form (test_rewrites.py; rewritten.py writes the forms).

-- Joins

SELECT c_name, i_line FROM (customer JOIN orders ON c_id = o_customer) JOIN item ON i_order = o_id;
-- = SELECT customer.c_name AS c_name, item.i_line AS i_line FROM customer AS customer JOIN
--   orders AS orders ON customer.c_id = orders.o_customer JOIN item AS item ON item.i_order =
--   orders.o_id

SELECT * FROM customer LEFT JOIN (orders JOIN item ON i_order = o_id) ON c_id = o_customer;
-- = SELECT customer.c_id AS c_id, customer.c_name AS c_name, _join_0.orders__o_id AS o_id,
--   _join_0.orders__o_customer AS o_customer, _join_0.orders__o_day AS o_day,
--   _join_0.orders__o_total AS o_total, _join_0.item__i_order AS i_order, _join_0.item__i_line
--   AS i_line, _join_0.item__i_price AS i_price FROM customer AS customer LEFT JOIN (SELECT
--   item.i_line AS item__i_line, item.i_order AS item__i_order, item.i_price AS item__i_price,
--   orders.o_customer AS orders__o_customer, orders.o_day AS orders__o_day, orders.o_id AS
--   orders__o_id, orders.o_total AS orders__o_total FROM orders AS orders JOIN item AS item ON
--   item.i_order = orders.o_id) AS _join_0 ON customer.c_id = _join_0.orders__o_customer

SELECT c_id, count(i_line) FROM customer LEFT JOIN (orders LEFT JOIN item ON i_order = o_id AND
    i_price > 2) ON c_id = o_customer AND o_total > 3 GROUP BY c_id;
-- = SELECT customer.c_id AS c_id, COUNT(_join_0.item__i_line) AS _col_1 FROM customer AS
--   customer LEFT JOIN (SELECT item.i_line AS item__i_line, orders.o_customer AS
--   orders__o_customer, orders.o_total AS orders__o_total FROM orders AS orders LEFT JOIN item
--   AS item ON item.i_order = orders.o_id AND item.i_price > 2 WHERE orders.o_total > 3) AS
--   _join_0 ON customer.c_id = _join_0.orders__o_customer AND _join_0.orders__o_total > 3 GROUP
--   BY customer.c_id

SELECT * FROM customer RIGHT JOIN (orders CROSS JOIN (SELECT 1 AS one)) ON c_id = o_customer;
-- = SELECT customer.c_id AS c_id, customer.c_name AS c_name, _join_0.orders__o_id AS o_id,
--   _join_0.orders__o_customer AS o_customer, _join_0.orders__o_day AS o_day,
--   _join_0.orders__o_total AS o_total, _join_0._0__one AS one FROM customer AS customer RIGHT
--   JOIN (SELECT _0.one AS _0__one, orders.o_customer AS orders__o_customer, orders.o_day AS
--   orders__o_day, orders.o_id AS orders__o_id, orders.o_total AS orders__o_total FROM orders
--   AS orders CROSS JOIN (SELECT 1 AS one) AS _0) AS _join_0 ON customer.c_id =
--   _join_0.orders__o_customer

SELECT c_name FROM customer LEFT JOIN (orders JOIN item ON i_order = o_id) ON c_id = o_customer
    WHERE EXISTS (SELECT 1 FROM item n WHERE n.i_order = orders.o_id);
-- = SELECT customer.c_name AS c_name FROM customer AS customer LEFT JOIN (SELECT
--   orders.o_customer AS orders__o_customer, orders.o_id AS orders__o_id FROM orders AS orders
--   JOIN item AS item ON item.i_order = orders.o_id) AS _join_0 ON customer.c_id =
--   _join_0.orders__o_customer LEFT JOIN (SELECT n.i_order AS _u_1 FROM item AS n WHERE TRUE
--   GROUP BY n.i_order) AS _u_0 ON _u_0._u_1 = _join_0.orders__o_id WHERE NOT _u_0._u_1 IS NULL

SELECT * FROM customer, (orders JOIN item ON i_order = o_id) WHERE c_id = o_customer;
-- = SELECT customer.c_id AS c_id, customer.c_name AS c_name, orders.o_id AS o_id,
--   orders.o_customer AS o_customer, orders.o_day AS o_day, orders.o_total AS o_total,
--   item.i_order AS i_order, item.i_line AS i_line, item.i_price AS i_price FROM customer AS
--   customer CROSS JOIN orders AS orders JOIN item AS item ON item.i_order = orders.o_id WHERE
--   customer.c_id = orders.o_customer

SELECT * FROM customer JOIN (orders JOIN (item JOIN (SELECT 3 AS k) t ON i_line > k) ON i_order =
    o_id) ON c_id = o_customer;
-- = SELECT customer.c_id AS c_id, customer.c_name AS c_name, orders.o_id AS o_id,
--   orders.o_customer AS o_customer, orders.o_day AS o_day, orders.o_total AS o_total,
--   item.i_order AS i_order, item.i_line AS i_line, item.i_price AS i_price, t.k AS k FROM
--   customer AS customer CROSS JOIN orders AS orders CROSS JOIN item AS item JOIN (SELECT 3 AS
--   k) AS t ON (item.i_line > t.k AND item.i_order = orders.o_id) AND customer.c_id =
--   orders.o_customer

SELECT * FROM customer JOIN (orders FULL JOIN item ON i_order = o_id) ON c_id = o_customer;
-- = SELECT customer.c_id AS c_id, customer.c_name AS c_name, _join_0.orders__o_id AS o_id,
--   _join_0.orders__o_customer AS o_customer, _join_0.orders__o_day AS o_day,
--   _join_0.orders__o_total AS o_total, _join_0.item__i_order AS i_order, _join_0.item__i_line
--   AS i_line, _join_0.item__i_price AS i_price FROM customer AS customer JOIN (SELECT
--   item.i_line AS item__i_line, item.i_order AS item__i_order, item.i_price AS item__i_price,
--   orders.o_customer AS orders__o_customer, orders.o_day AS orders__o_day, orders.o_id AS
--   orders__o_id, orders.o_total AS orders__o_total FROM orders AS orders FULL JOIN item AS
--   item ON item.i_order = orders.o_id) AS _join_0 ON customer.c_id =
--   _join_0.orders__o_customer

SELECT c_id, a.c_name FROM customer a NATURAL JOIN customer b;
-- = SELECT COALESCE(a.c_id, b.c_id) AS c_id, a.c_name AS c_name FROM customer AS a JOIN
--   customer AS b ON a.c_id = b.c_id AND a.c_name = b.c_name

SELECT c_id FROM customer a FULL JOIN (SELECT o_customer AS c_id FROM orders) b USING (c_id);
-- = SELECT COALESCE(a.c_id, b.c_id) AS c_id FROM customer AS a FULL JOIN (SELECT
--   orders.o_customer AS c_id FROM orders AS orders) AS b ON a.c_id = b.c_id

SELECT * FROM (SELECT c_id FROM customer WHERE c_id < 3) a FULL JOIN (SELECT o_customer AS c_id
    FROM orders WHERE o_customer > 1) b USING (c_id) LEFT JOIN (SELECT c_id, c_name FROM customer)
    c USING (c_id);
-- = SELECT COALESCE(a.c_id, b.c_id, c.c_id) AS c_id, c.c_name AS c_name FROM (SELECT
--   customer.c_id AS c_id FROM customer AS customer WHERE customer.c_id < 3) AS a FULL JOIN
--   (SELECT orders.o_customer AS c_id FROM orders AS orders WHERE orders.o_customer > 1) AS b
--   ON a.c_id = b.c_id LEFT JOIN (SELECT customer.c_id AS c_id, customer.c_name AS c_name FROM
--   customer AS customer) AS c ON COALESCE(a.c_id, b.c_id) = c.c_id

SELECT c_id, n FROM (SELECT c_id FROM customer WHERE c_id < 3) a RIGHT JOIN (SELECT DISTINCT
    o_customer AS c_id FROM orders) b USING (c_id) JOIN (SELECT c_id, c_name AS n FROM customer) c
    USING (c_id);
-- = SELECT COALESCE(a.c_id, b.c_id, c.c_id) AS c_id, c.n AS n FROM (SELECT customer.c_id AS
--   c_id FROM customer AS customer WHERE customer.c_id < 3) AS a RIGHT JOIN (SELECT DISTINCT
--   orders.o_customer AS c_id FROM orders AS orders) AS b ON a.c_id = b.c_id JOIN (SELECT
--   customer.c_id AS c_id, customer.c_name AS n FROM customer AS customer) AS c ON
--   COALESCE(a.c_id, b.c_id) = c.c_id

SELECT count(*) FROM customer SEMI JOIN orders ON c_id = o_customer;
-- = SELECT COUNT(*) AS _col_0 FROM customer AS customer SEMI JOIN orders AS orders ON
--   customer.c_id = orders.o_customer

SELECT c_id FROM customer ANTI JOIN orders ON c_id = o_customer;
-- = SELECT customer.c_id AS c_id FROM customer AS customer ANTI JOIN orders AS orders ON
--   customer.c_id = orders.o_customer

SELECT c_name, m FROM customer c, LATERAL (SELECT max(o_total) AS m FROM orders o WHERE
    o.o_customer = c.c_id) x WHERE c_id IN (SELECT i_line FROM item);
-- = SELECT c.c_name AS c_name, x.m AS m FROM customer AS c CROSS JOIN LATERAL (SELECT
--   MAX(o.o_total) AS m FROM orders AS o WHERE o.o_customer = c.c_id) AS x LEFT JOIN (SELECT
--   item.i_line AS _u_2_i_line FROM item AS item GROUP BY item.i_line) AS _u_2 ON c.c_id =
--   _u_2._u_2_i_line WHERE NOT _u_2._u_2_i_line IS NULL

SELECT c_id, m FROM customer c LEFT JOIN LATERAL (SELECT o_total AS m FROM orders o WHERE
    o.o_customer = c.c_id ORDER BY o_id LIMIT 1) x ON TRUE;
-- = SELECT c.c_id AS c_id, x.m AS m FROM customer AS c LEFT JOIN LATERAL (SELECT o.o_total AS m
--   FROM orders AS o WHERE o.o_customer = c.c_id ORDER BY o.o_id LIMIT 1) AS x ON TRUE

SELECT x, c_name FROM customer, unnest([c_id, 2]) AS t(x) WHERE c_id IN (SELECT o_id FROM orders);
-- = SELECT t.x AS x, customer.c_name AS c_name FROM customer AS customer JOIN
--   UNNEST([customer.c_id, 2]) AS t(x) ON TRUE LEFT JOIN (SELECT orders.o_id AS _u_0_o_id FROM
--   orders AS orders GROUP BY orders.o_id) AS _u_0 ON customer.c_id = _u_0._u_0_o_id WHERE NOT
--   _u_0._u_0_o_id IS NULL

SELECT v.a, c_name FROM (VALUES (1, 2), (3, 4)) AS v(a, b) JOIN customer ON v.a = c_id;
-- = SELECT v.a AS a, customer.c_name AS c_name FROM (VALUES (1, 2), (3, 4)) AS v(a, b) JOIN
--   customer AS customer ON v.a = customer.c_id

SELECT c_id, i FROM (SELECT c_id FROM customer WHERE c_id < 4), range(c_id) AS t(i) WHERE i > 0;
-- = SELECT _0.c_id AS c_id, t.i AS i FROM (SELECT customer.c_id AS c_id FROM customer AS
--   customer WHERE customer.c_id < 4) AS _0 CROSS JOIN RANGE(0, _0.c_id) AS t(i) WHERE t.i > 0

SELECT i, c_name FROM range(5) t(i) LEFT JOIN customer ON i = c_id;
-- = SELECT t.i AS i, customer.c_name AS c_name FROM RANGE(0, 5) AS t(i) LEFT JOIN customer AS
--   customer ON t.i = customer.c_id

SELECT a.c_id FROM customer a JOIN customer b ON a.c_name = b.c_name AND a.c_id < b.c_id;
-- = SELECT a.c_id AS c_id FROM customer AS a JOIN customer AS b ON a.c_name = b.c_name AND
--   a.c_id < b.c_id

-- CTEs, set operations, groups, windows

WITH c(a, b) AS (SELECT c_id, c_name FROM customer) SELECT b, count(*) FROM c JOIN orders ON a =
    o_customer GROUP BY 1 ORDER BY 2 DESC, 1;
-- = WITH c AS (SELECT customer.c_id AS a, customer.c_name AS b FROM customer AS customer)
--   SELECT c.b AS b, COUNT(*) AS _col_1 FROM c AS c JOIN orders AS orders ON c.a =
--   orders.o_customer GROUP BY c.b ORDER BY _col_1 DESC, b

WITH u(k) AS (SELECT c_id FROM customer UNION ALL SELECT o_customer FROM orders) SELECT k, i_line
    FROM u JOIN item ON i_order = k;
-- = WITH u AS (SELECT customer.c_id AS k FROM customer AS customer UNION ALL SELECT
--   orders.o_customer AS k FROM orders AS orders) SELECT u.k AS k, item.i_line AS i_line FROM u
--   AS u JOIN item AS item ON item.i_order = u.k

WITH RECURSIVE r(n) AS (SELECT c_id FROM customer WHERE c_id < 2 UNION ALL SELECT n + 1 FROM r
    JOIN orders ON o_id = n WHERE n < 5) SELECT n, count(*) FROM r GROUP BY n;
-- = WITH RECURSIVE r(n) AS (SELECT customer.c_id AS n FROM customer AS customer WHERE
--   customer.c_id < 2 UNION ALL SELECT r.n + 1 AS n FROM r AS r JOIN orders AS orders ON
--   orders.o_id = r.n WHERE r.n < 5) SELECT r.n AS n, COUNT(*) AS _col_1 FROM r AS r GROUP BY
--   r.n

WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 4) SELECT c_id FROM
    customer;
-- = SELECT customer.c_id AS c_id FROM customer AS customer

SELECT k FROM (SELECT c_id FROM customer INTERSECT SELECT o_customer FROM orders) AS u(k);
-- = SELECT u.k AS k FROM (SELECT DISTINCT customer.c_id AS k FROM customer AS customer
--   INTERSECT SELECT DISTINCT orders.o_customer AS k FROM orders AS orders) AS u

SELECT c_id FROM customer EXCEPT SELECT o_customer FROM orders WHERE o_total > 4;
-- = SELECT DISTINCT customer.c_id AS c_id FROM customer AS customer EXCEPT SELECT DISTINCT
--   orders.o_customer AS o_customer FROM orders AS orders WHERE orders.o_total > 4

SELECT c_id, c_name FROM customer UNION ALL BY NAME SELECT o_id AS c_id, o_day FROM orders;
-- = SELECT _named.c_id AS c_id, _named.c_name AS c_name, NULL AS o_day FROM (SELECT
--   customer.c_id AS c_id, customer.c_name AS c_name FROM customer AS customer) AS _named UNION
--   ALL SELECT _named.c_id AS c_id, NULL AS c_name, _named.o_day AS o_day FROM (SELECT
--   orders.o_id AS c_id, orders.o_day AS o_day FROM orders AS orders) AS _named

SELECT c_name, o_total FROM customer JOIN orders ON c_id = o_customer QUALIFY row_number() OVER
    (PARTITION BY c_name ORDER BY o_total, o_id) = 1;
-- = SELECT customer.c_name AS c_name, orders.o_total AS o_total FROM customer AS customer JOIN
--   orders AS orders ON customer.c_id = orders.o_customer QUALIFY ROW_NUMBER() OVER (PARTITION
--   BY customer.c_name ORDER BY orders.o_total, orders.o_id) = 1

SELECT o_id, sum(o_total) OVER w FROM orders WINDOW w AS (PARTITION BY o_customer ORDER BY o_id);
-- = SELECT orders.o_id AS o_id, SUM(orders.o_total) OVER w AS _col_1 FROM orders AS orders
--   WINDOW w AS (PARTITION BY orders.o_customer ORDER BY orders.o_id)

SELECT t.*, 1 FROM customer t;
-- = SELECT t.c_id AS c_id, t.c_name AS c_name, 1 AS "1" FROM customer AS t

SELECT c_name, c_id % 2 AS odd, count(*) FROM customer GROUP BY ALL;
-- = SELECT customer.c_name AS c_name, customer.c_id % 2 AS odd, COUNT(*) AS _col_2 FROM
--   customer AS customer GROUP BY customer.c_name, customer.c_id % 2

SELECT count(*), max(c_id) FROM customer GROUP BY ALL;
-- = SELECT COUNT(*) AS _col_0, MAX(customer.c_id) AS _col_1 FROM customer AS customer

SELECT 1 AS one, upper('a') AS a, count(*) AS n, product(c_id) AS p FROM customer WHERE c_id > 99
    GROUP BY ALL;
-- = SELECT 1 AS one, UPPER('a') AS a, COUNT(*) AS n, PRODUCT(customer.c_id) AS p FROM customer
--   AS customer WHERE customer.c_id > 99

SELECT 1 AS one FROM customer GROUP BY ALL;
-- = SELECT 1 AS one FROM customer AS customer

SELECT c_id % 2 AS odd, (SELECT max(o_id) FROM orders WHERE o_customer = c_id % 2) AS o, 7 AS seven,
    mad(c_id) AS m, sum(count(*)) OVER () AS n FROM customer GROUP BY ALL;
-- = SELECT customer.c_id % 2 AS odd, (SELECT MAX(orders.o_id) AS _col_0 FROM orders AS orders
--   WHERE orders.o_customer = customer.c_id % 2) AS o, 7 AS seven, MAD(customer.c_id) AS m,
--   SUM(COUNT(*)) OVER () AS n FROM customer AS customer GROUP BY customer.c_id % 2, (SELECT
--   MAX(orders.o_id) AS _col_0 FROM orders AS orders WHERE orders.o_customer = customer.c_id %
--   2)

SELECT c_id, n FROM customer, LATERAL (SELECT c_id AS k, count(*) AS n FROM orders WHERE o_customer
    > c_id GROUP BY ALL) o;
-- = SELECT customer.c_id AS c_id, o.n AS n FROM customer AS customer CROSS JOIN LATERAL (SELECT
--   customer.c_id AS k, COUNT(*) AS n FROM orders AS orders WHERE orders.o_customer >
--   customer.c_id) AS o

SELECT c_name AS n, count(*) AS k FROM customer, orders WHERE c_id = o_customer GROUP BY c_name
    ORDER BY CASE WHEN k > 1 THEN n END, k, n LIMIT 3;
-- = SELECT _ordered.n AS n, _ordered.k AS k FROM (SELECT customer.c_name AS n, COUNT(*) AS k,
--   CASE WHEN (COUNT(*)) > 1 THEN (customer.c_name) END AS _order_0 FROM customer AS customer
--   CROSS JOIN orders AS orders WHERE customer.c_id = orders.o_customer GROUP BY
--   customer.c_name) AS _ordered ORDER BY _ordered._order_0, _ordered.k, _ordered.n LIMIT 3

SELECT o_customer, count(*) FROM orders GROUP BY ROLLUP (o_customer) HAVING count(*) > (SELECT
    avg(i_price) FROM item);
-- = SELECT orders.o_customer AS o_customer, COUNT(*) AS _col_1 FROM orders AS orders GROUP BY
--   ROLLUP (orders.o_customer) HAVING COUNT(*) > (SELECT AVG(item.i_price) AS _col_0 FROM item
--   AS item)

SELECT c_name FROM customer, orders WHERE (c_id = o_customer AND o_total > 5) OR (c_id =
    o_customer AND o_total < 2 AND c_name = 'n1');
-- = SELECT customer.c_name AS c_name FROM customer AS customer CROSS JOIN orders AS orders
--   WHERE (customer.c_id = orders.o_customer AND (orders.o_total > 5 OR (orders.o_total < 2 AND
--   customer.c_name = 'n1'))) AND (orders.o_total > 5 OR orders.o_total < 2)

-- Subqueries: NULLs, no rows, one row, many rows

SELECT count(*), 1 + (SELECT max(i_price) FROM item) FROM orders WHERE o_id > 100;
-- = SELECT COUNT(*) AS _col_0, 1 + (SELECT MAX(item.i_price) AS _col_0 FROM item AS item) AS
--   _col_1 FROM orders AS orders WHERE orders.o_id > 100

SELECT count(*) FROM orders WHERE o_id > 100 HAVING count(*) < (SELECT avg(i_price) FROM item);
-- = SELECT COUNT(*) AS _col_0 FROM orders AS orders WHERE orders.o_id > 100 HAVING COUNT(*) <
--   (SELECT AVG(item.i_price) AS _col_0 FROM item AS item)

SELECT c_id, (SELECT o_total FROM orders WHERE o_id = -1) FROM customer;
-- = SELECT customer.c_id AS c_id, (SELECT orders.o_total AS o_total FROM orders AS orders WHERE
--   orders.o_id = -1) AS _col_1 FROM customer AS customer

SELECT c_id FROM customer WHERE c_id > 100 OR (SELECT o_id FROM orders WHERE o_id = -1) IS NULL;
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE customer.c_id > 100 OR (SELECT
--   orders.o_id AS o_id FROM orders AS orders WHERE orders.o_id = -1) IS NULL

SELECT c_id FROM customer WHERE coalesce((SELECT o_id FROM orders WHERE o_id = -1), 3) = c_id;
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE COALESCE((SELECT orders.o_id
--   AS o_id FROM orders AS orders WHERE orders.o_id = -1), 3) = customer.c_id

SELECT c_id FROM customer WHERE EXISTS ((SELECT o_id FROM orders WHERE o_total > 3));
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE EXISTS((SELECT orders.o_id AS
--   o_id FROM orders AS orders WHERE orders.o_total > 3))

SELECT c_id FROM customer WHERE EXISTS (SELECT 1 FROM orders WHERE c_id = 3);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE EXISTS(SELECT 1 AS "1" FROM
--   orders AS orders WHERE customer.c_id = 3)

SELECT c_id FROM customer WHERE NOT (c_name = 'n1' OR c_id IN (SELECT o_customer FROM orders));
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE NOT (customer.c_name = 'n1' OR
--   customer.c_id IN (SELECT orders.o_customer AS o_customer FROM orders AS orders))

SELECT c_id, c_id IN (SELECT o_customer FROM orders) FROM customer;
-- = SELECT customer.c_id AS c_id, customer.c_id IN (SELECT orders.o_customer AS o_customer FROM
--   orders AS orders) AS _col_1 FROM customer AS customer

SELECT c_id FROM customer WHERE (c_id IN (SELECT o_customer FROM orders)) IS NULL;
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE (customer.c_id IN (SELECT
--   orders.o_customer AS o_customer FROM orders AS orders)) IS NULL

SELECT c_id FROM customer WHERE c_id IN (SELECT o_customer FROM orders ORDER BY o_day);
-- = SELECT customer.c_id AS c_id FROM customer AS customer LEFT JOIN (SELECT orders.o_customer
--   AS _u_0_o_customer FROM orders AS orders GROUP BY orders.o_customer) AS _u_0 ON
--   customer.c_id = _u_0._u_0_o_customer WHERE NOT _u_0._u_0_o_customer IS NULL

SELECT c_id FROM customer WHERE c_id IN (SELECT o_id FROM orders ORDER BY o_id DESC LIMIT 15);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE customer.c_id IN (SELECT
--   orders.o_id AS o_id FROM orders AS orders ORDER BY o_id DESC LIMIT 15)

SELECT c_id FROM customer WHERE c_id IN (SELECT row_number() OVER (ORDER BY o_id) FROM orders);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE customer.c_id IN (SELECT
--   ROW_NUMBER() OVER (ORDER BY orders.o_id) AS _col_0 FROM orders AS orders)

SELECT c_id FROM customer WHERE c_name IN (SELECT 'n1' FROM orders);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE customer.c_name IN (SELECT
--   'n1' AS n1 FROM orders AS orders)

SELECT c_id FROM customer WHERE (c_id, c_name) IN (SELECT o_customer, 'n' || o_customer FROM
    orders);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE (customer.c_id,
--   customer.c_name) IN (SELECT orders.o_customer AS o_customer, 'n' || orders.o_customer AS
--   _col_1 FROM orders AS orders)

SELECT o_customer FROM orders GROUP BY o_customer HAVING max(o_id) IN (SELECT i_line FROM item);
-- = SELECT orders.o_customer AS o_customer FROM orders AS orders GROUP BY orders.o_customer
--   HAVING MAX(orders.o_id) IN (SELECT item.i_line AS i_line FROM item AS item)

SELECT c_id FROM customer c WHERE c_id < (SELECT o_total FROM orders o WHERE o.o_id = c.c_id);
-- = SELECT c.c_id AS c_id FROM customer AS c WHERE c.c_id < (SELECT o.o_total AS o_total FROM
--   orders AS o WHERE o.o_id = c.c_id)

SELECT c_id, (SELECT count(*) FROM orders o WHERE o.o_customer = c.c_id) FROM customer c;
-- = SELECT c.c_id AS c_id, COALESCE(_u_0._col_0, 0) AS _col_1 FROM customer AS c LEFT JOIN
--   (SELECT COUNT(*) AS _col_0, o.o_customer AS _u_1 FROM orders AS o WHERE TRUE GROUP BY
--   o.o_customer) AS _u_0 ON _u_0._u_1 = c.c_id

SELECT c_id FROM customer c WHERE 0 = (SELECT count(*) FROM orders o WHERE o.o_customer = c.c_id);
-- = SELECT c.c_id AS c_id FROM customer AS c LEFT JOIN (SELECT COUNT(*) AS _col_0, o.o_customer
--   AS _u_1 FROM orders AS o WHERE TRUE GROUP BY o.o_customer) AS _u_0 ON _u_0._u_1 = c.c_id
--   WHERE 0 = COALESCE(_u_0._col_0, 0)

SELECT c_id FROM customer c WHERE (SELECT sum(o_total) FROM orders o WHERE o.o_customer = c.c_id)
    IS NULL;
-- = SELECT c.c_id AS c_id FROM customer AS c LEFT JOIN (SELECT SUM(o.o_total) AS _col_0,
--   o.o_customer AS _u_1 FROM orders AS o WHERE TRUE GROUP BY o.o_customer) AS _u_0 ON
--   _u_0._u_1 = c.c_id WHERE _u_0._col_0 IS NULL

SELECT c_id FROM customer c WHERE c_id IN (SELECT o_customer FROM orders o WHERE o.o_id = c.c_id);
-- = SELECT c.c_id AS c_id FROM customer AS c WHERE c.c_id IN (SELECT o.o_customer AS o_customer
--   FROM orders AS o WHERE o.o_id = c.c_id)

SELECT c_id FROM customer c WHERE c_id = ANY (SELECT o_id FROM orders o WHERE o.o_customer = c_id);
-- = SELECT c.c_id AS c_id FROM customer AS c WHERE c.c_id = ANY (SELECT o.o_id AS o_id FROM
--   orders AS o WHERE o.o_customer = c.c_id)

SELECT c_id FROM customer WHERE c_id <> ALL (SELECT o_customer FROM orders);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE customer.c_id <> ALL (SELECT
--   orders.o_customer AS o_customer FROM orders AS orders)

SELECT c_id FROM customer WHERE c_id <> ALL (SELECT o_id FROM orders WHERE o_id > 3);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE customer.c_id <> ALL (SELECT
--   orders.o_id AS o_id FROM orders AS orders WHERE orders.o_id > 3)

SELECT c_id FROM customer WHERE NOT c_id = ANY (SELECT o_customer FROM orders);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE NOT customer.c_id = ANY
--   (SELECT orders.o_customer AS o_customer FROM orders AS orders)

SELECT c_id FROM customer WHERE c_id > ALL (SELECT o_customer FROM orders WHERE o_id < 3);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE customer.c_id > ALL (SELECT
--   orders.o_customer AS o_customer FROM orders AS orders WHERE orders.o_id < 3)

SELECT c_id FROM customer c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.o_customer = c.c_id
    AND NOT EXISTS (SELECT 1 FROM item WHERE i_order = o.o_id));
-- = SELECT c.c_id AS c_id FROM customer AS c LEFT JOIN (SELECT o.o_customer AS _u_3 FROM orders
--   AS o LEFT JOIN (SELECT item.i_order AS _u_1 FROM item AS item WHERE TRUE GROUP BY
--   item.i_order) AS _u_0 ON _u_0._u_1 = o.o_id WHERE TRUE AND NOT NOT _u_0._u_1 IS NULL GROUP
--   BY o.o_customer) AS _u_2 ON _u_2._u_3 = c.c_id WHERE NOT NOT _u_2._u_3 IS NULL

SELECT c_id FROM customer c WHERE EXISTS (SELECT count(*) FROM orders o WHERE o.o_customer = c_id);
-- = SELECT c.c_id AS c_id FROM customer AS c WHERE TRUE

SELECT sum(CASE WHEN EXISTS (SELECT 1 FROM orders o WHERE o.o_customer = c.c_id) THEN 1 END) FROM
    customer c;
-- = SELECT SUM(CASE WHEN EXISTS(SELECT 1 AS "1" FROM orders AS o WHERE o.o_customer = c.c_id)
--   THEN 1 END) AS _col_0 FROM customer AS c

SELECT c_name, count(*) FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.o_customer =
    c.c_id) OR c_id NOT IN (SELECT i_order FROM item WHERE i_order < 4) GROUP BY 1;
-- = SELECT c.c_name AS c_name, COUNT(*) AS _col_1 FROM customer AS c LEFT JOIN (SELECT
--   o.o_customer AS _u_1 FROM orders AS o WHERE TRUE GROUP BY o.o_customer) AS _u_0 ON
--   _u_0._u_1 = c.c_id WHERE NOT _u_0._u_1 IS NULL OR NOT c.c_id IN (SELECT item.i_order AS
--   i_order FROM item AS item WHERE item.i_order < 4) GROUP BY c.c_name

SELECT c_id FROM customer JOIN orders ON c_id = o_customer AND o_id IN (SELECT i_line FROM item);
-- = SELECT customer.c_id AS c_id FROM customer AS customer JOIN orders AS orders ON
--   customer.c_id = orders.o_customer AND TRUE LEFT JOIN (SELECT item.i_line AS _u_0_i_line
--   FROM item AS item GROUP BY item.i_line) AS _u_0 ON orders.o_id = _u_0._u_0_i_line WHERE NOT
--   _u_0._u_0_i_line IS NULL

SELECT c_id FROM customer RIGHT JOIN orders ON c_id = o_customer WHERE o_id IN (SELECT i_order
    FROM item);
-- = SELECT customer.c_id AS c_id FROM customer AS customer RIGHT JOIN orders AS orders ON
--   customer.c_id = orders.o_customer LEFT JOIN (SELECT item.i_order AS _u_0_i_order FROM item
--   AS item GROUP BY item.i_order) AS _u_0 ON orders.o_id = _u_0._u_0_i_order WHERE NOT
--   _u_0._u_0_i_order IS NULL

-- Regular expressions, natural joins, unions by name

SELECT c_id, c_name ~ 'n', c_name ~ 'n.', c_name !~ '1', regexp_matches(c_name, '1') FROM customer;
-- = SELECT customer.c_id AS c_id, REGEXP_FULL_MATCH(customer.c_name, 'n') AS _col_1,
--   REGEXP_FULL_MATCH(customer.c_name, 'n.') AS _col_2, NOT REGEXP_FULL_MATCH(customer.c_name,
--   '1') AS _col_3, REGEXP_MATCHES(customer.c_name, '1') AS _col_4 FROM customer AS customer

SELECT a.o_id, count(*) OVER () FROM orders a NATURAL JOIN orders b NATURAL JOIN orders c;
-- = SELECT a.o_id AS o_id, COUNT(*) OVER () AS _col_1 FROM orders AS a JOIN orders AS b ON
--   a.o_id = b.o_id AND a.o_customer = b.o_customer AND a.o_day = b.o_day AND a.o_total =
--   b.o_total JOIN orders AS c ON a.o_id = c.o_id AND a.o_customer = c.o_customer AND a.o_day =
--   c.o_day AND a.o_total = c.o_total

SELECT o_id, x FROM (SELECT o_id, o_total FROM orders WHERE o_id > 5) a NATURAL FULL JOIN
    (SELECT o_id, o_day FROM orders WHERE o_id < 9) b NATURAL JOIN
    (SELECT o_id, 1 AS x FROM orders) c;
-- = SELECT COALESCE(a.o_id, b.o_id, c.o_id) AS o_id, c.x AS x FROM (SELECT orders.o_id AS o_id,
--   orders.o_total AS o_total FROM orders AS orders WHERE orders.o_id > 5) AS a FULL JOIN
--   (SELECT orders.o_id AS o_id, orders.o_day AS o_day FROM orders AS orders WHERE orders.o_id
--   < 9) AS b ON a.o_id = b.o_id JOIN (SELECT orders.o_id AS o_id, 1 AS x FROM orders AS
--   orders) AS c ON COALESCE(a.o_id, b.o_id) = c.o_id

SELECT c_id AS a, c_name FROM customer UNION BY NAME SELECT o_id AS b, 'n1' AS c_name FROM orders
    UNION BY NAME SELECT 1 AS b, o_id AS a FROM orders WHERE o_id < 3;
-- = SELECT _named.a AS a, _named.c_name AS c_name, NULL AS b FROM (SELECT customer.c_id AS a,
--   customer.c_name AS c_name FROM customer AS customer) AS _named UNION SELECT NULL AS a,
--   _named.c_name AS c_name, _named.b AS b FROM (SELECT orders.o_id AS b, 'n1' AS c_name FROM
--   orders AS orders) AS _named UNION SELECT _named.a AS a, NULL AS c_name, _named.b AS b FROM
--   (SELECT 1 AS b, orders.o_id AS a FROM orders AS orders WHERE orders.o_id < 3) AS _named

SELECT c_name FROM customer UNION ALL BY NAME (SELECT o_id, 'n1' AS c_name FROM orders ORDER BY
    o_id LIMIT 3);
-- = SELECT _named.c_name AS c_name, NULL AS o_id FROM (SELECT customer.c_name AS c_name FROM
--   customer AS customer) AS _named UNION ALL SELECT _named.c_name AS c_name, _named.o_id AS
--   o_id FROM (SELECT orders.o_id AS o_id, 'n1' AS c_name FROM orders AS orders ORDER BY o_id
--   LIMIT 3) AS _named

-- Correlation over two levels, and lists of columns

SELECT c_id FROM customer WHERE EXISTS (SELECT * FROM orders WHERE o_customer = c_id AND o_id > c_id);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE EXISTS(SELECT 1 AS "1" FROM
--   orders AS orders WHERE orders.o_customer = customer.c_id AND orders.o_id > customer.c_id)

SELECT c_id FROM customer WHERE NOT EXISTS (SELECT o_day, c_name, o_total AS t FROM orders JOIN item
    ON o_id = i_order WHERE o_customer < c_id LIMIT 1 OFFSET 1);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE NOT EXISTS(SELECT 1 AS "1"
--   FROM orders AS orders JOIN item AS item ON orders.o_id = item.i_order WHERE
--   orders.o_customer < customer.c_id LIMIT 1 OFFSET 1)

SELECT c_id FROM customer WHERE EXISTS (SELECT o_total FROM orders WHERE o_customer < c_id GROUP BY 1
    HAVING count(*) > 1);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE EXISTS(SELECT orders.o_total
--   AS o_total FROM orders AS orders WHERE orders.o_customer < customer.c_id GROUP BY
--   orders.o_total HAVING COUNT(*) > 1)

SELECT c_id FROM customer WHERE EXISTS (SELECT DISTINCT o_day FROM orders WHERE o_customer > c_id
    LIMIT 2 OFFSET 1);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE EXISTS(SELECT DISTINCT
--   orders.o_day AS o_day FROM orders AS orders WHERE orders.o_customer > customer.c_id LIMIT 2
--   OFFSET 1)

SELECT c_id FROM customer WHERE EXISTS (SELECT o_total AS t FROM orders WHERE o_customer > c_id
    QUALIFY row_number() OVER (ORDER BY t) > 1);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE EXISTS(SELECT orders.o_total
--   AS t FROM orders AS orders WHERE orders.o_customer > customer.c_id QUALIFY ROW_NUMBER()
--   OVER (ORDER BY orders.o_total) > 1)

SELECT c_id FROM customer WHERE EXISTS (SELECT o_total + 1 AS t FROM orders WHERE o_customer > c_id);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE EXISTS(SELECT orders.o_total +
--   1 AS t FROM orders AS orders WHERE orders.o_customer > customer.c_id)

SELECT c_id FROM customer WHERE EXISTS (SELECT 1 FROM orders WHERE o_customer = c_id AND NOT EXISTS
    (SELECT 1 FROM item WHERE i_order = c_id AND i_line > o_id));
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE EXISTS(SELECT 1 AS "1" FROM
--   orders AS orders WHERE orders.o_customer = customer.c_id AND NOT EXISTS(SELECT 1 AS "1"
--   FROM item AS item WHERE item.i_order = customer.c_id AND item.i_line > orders.o_id))

SELECT c_id FROM customer WHERE 1 IN (SELECT o_id % 2 FROM orders CROSS JOIN (VALUES (1), (2)) v(n)
    WHERE o_customer = c_id AND NOT EXISTS (SELECT DISTINCT 1 FROM item WHERE i_order = c_id));
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE 1 IN (SELECT orders.o_id % 2
--   AS _col_0 FROM orders AS orders CROSS JOIN (VALUES (1), (2)) AS v(n) WHERE
--   orders.o_customer = customer.c_id AND NOT EXISTS(SELECT DISTINCT 1 AS "1" FROM item AS item
--   WHERE item.i_order = customer.c_id))

SELECT a, n FROM orders AS o(a, b), LATERAL (SELECT c_name AS n FROM customer WHERE c_id = b) l;
-- = SELECT o.o_id AS a, l.n AS n FROM orders AS o CROSS JOIN LATERAL (SELECT customer.c_name AS
--   n FROM customer AS customer WHERE customer.c_id = o.o_customer) AS l

WITH w AS (SELECT c_id, c_name FROM customer) SELECT x, y, o_id FROM w AS v(x, y) LEFT JOIN
    (orders JOIN item AS i(p, q, r) ON p = o_id) ON o_customer = x WHERE EXISTS
    (SELECT 1 FROM item WHERE i_line = x);
-- = WITH w AS (SELECT customer.c_id AS c_id, customer.c_name AS c_name FROM customer AS
--   customer) SELECT v.x AS x, v.y AS y, _join_0.orders__o_id AS o_id FROM w AS v(x, y) LEFT
--   JOIN (SELECT orders.o_customer AS orders__o_customer, orders.o_id AS orders__o_id FROM
--   orders AS orders JOIN item AS i ON i.i_order = orders.o_id) AS _join_0 ON
--   _join_0.orders__o_customer = v.x LEFT JOIN (SELECT item.i_line AS _u_1 FROM item AS item
--   WHERE TRUE GROUP BY item.i_line) AS _u_0 ON _u_0._u_1 = v.x WHERE NOT _u_0._u_1 IS NULL

-- Names that repeat where rows are ordered

SELECT a.o_id, b.o_id, a.o_total + 1 AS total FROM orders a JOIN orders b ON a.o_id = b.o_customer
    ORDER BY total * 2, 2, a.o_id + b.o_id;
-- = SELECT _ordered.o_id AS o_id, _ordered.o_id_1 AS o_id, _ordered.total AS total FROM (SELECT
--   a.o_id AS o_id, b.o_id AS o_id_1, a.o_total + 1 AS total, (a.o_total + 1) * 2 AS _order_0,
--   a.o_id + b.o_id AS _order_2 FROM orders AS a JOIN orders AS b ON a.o_id = b.o_customer) AS
--   _ordered ORDER BY _ordered._order_0, _ordered.o_id_1, _ordered._order_2

SELECT c_id, NULL AS n FROM customer UNION SELECT o_id, NULL FROM orders;
-- = SELECT customer.c_id AS c_id, NULL AS n FROM customer AS customer UNION SELECT orders.o_id
--   AS o_id, NULL AS _col_1 FROM orders AS orders

-- A comma binds weaker than JOIN

SELECT c_name, o_id, i_line FROM customer, orders RIGHT JOIN item ON i_order = o_id;
-- = SELECT customer.c_name AS c_name, _join_0.orders__o_id AS o_id, _join_0.item__i_line AS
--   i_line FROM customer AS customer CROSS JOIN (SELECT item.i_line AS item__i_line,
--   orders.o_id AS orders__o_id FROM orders AS orders RIGHT JOIN item AS item ON item.i_order =
--   orders.o_id) AS _join_0

SELECT c_name, o_id, i_line, n FROM customer, orders FULL JOIN item ON i_order = o_customer,
    (VALUES (1), (2)) v(n) RIGHT JOIN (SELECT 2 AS m) w ON m = n WHERE c_id < 3;
-- = SELECT customer.c_name AS c_name, _join_0.orders__o_id AS o_id, _join_0.item__i_line AS
--   i_line, _join_1.v__n AS n FROM customer AS customer CROSS JOIN (SELECT item.i_line AS
--   item__i_line, orders.o_id AS orders__o_id FROM orders AS orders FULL JOIN item AS item ON
--   item.i_order = orders.o_customer) AS _join_0 CROSS JOIN (SELECT v.n AS v__n FROM (VALUES
--   (1), (2)) AS v(n) RIGHT JOIN (SELECT 2 AS m) AS w ON w.m = v.n) AS _join_1 WHERE
--   customer.c_id < 3

SELECT count(*) FROM customer, orders LEFT JOIN item ON i_order = o_id, (SELECT 1) one;
-- = SELECT COUNT(*) AS _col_0 FROM customer AS customer CROSS JOIN orders AS orders LEFT JOIN
--   item AS item ON item.i_order = orders.o_id CROSS JOIN (SELECT 1 AS "1") AS one

SELECT c_name, n, i_line FROM customer, LATERAL (SELECT o_id AS n FROM orders WHERE o_customer =
    c_id) o RIGHT JOIN item ON i_order = n;
-- = SELECT customer.c_name AS c_name, _join_0.o__n AS n, _join_0.item__i_line AS i_line FROM
--   customer AS customer CROSS JOIN LATERAL (SELECT item.i_line AS item__i_line, o.n AS o__n
--   FROM (SELECT orders.o_id AS n FROM orders AS orders WHERE orders.o_customer =
--   customer.c_id) AS o RIGHT JOIN item AS item ON item.i_order = o.n) AS _join_0

SELECT c_id, n, i_line FROM customer, LATERAL (SELECT o_id FROM orders WHERE o_customer = c_id) o(n)
    RIGHT JOIN item ON i_order = n AND i_line > 1, unnest([c_id, 2]) AS u(m) RIGHT JOIN (SELECT 2 AS
    k) w ON k = m;
-- = SELECT customer.c_id AS c_id, _join_0.o__n AS n, _join_0.item__i_line AS i_line FROM
--   customer AS customer CROSS JOIN LATERAL (SELECT item.i_line AS item__i_line, o.n AS o__n
--   FROM (SELECT orders.o_id AS o_id FROM orders AS orders WHERE orders.o_customer =
--   customer.c_id) AS o(n) RIGHT JOIN item AS item ON item.i_order = o.n AND item.i_line > 1)
--   AS _join_0 CROSS JOIN LATERAL (SELECT 1 AS one FROM UNNEST([customer.c_id, 2]) AS u(m)
--   RIGHT JOIN (SELECT 2 AS k) AS w ON w.k = u.m) AS _join_1

SELECT c_id, n, k FROM customer, range(c_id) AS u(n) RIGHT JOIN (SELECT 2 AS k) w ON k = n;
-- = SELECT customer.c_id AS c_id, _join_0.u__n AS n, _join_0.w__k AS k FROM customer AS
--   customer CROSS JOIN LATERAL (SELECT u.n AS u__n, w.k AS w__k FROM RANGE(0, customer.c_id)
--   AS u(n) RIGHT JOIN (SELECT 2 AS k) AS w ON w.k = u.n) AS _join_0

SELECT c_id FROM customer WHERE EXISTS ((SELECT o_id FROM orders WHERE o_customer = c_id) OFFSET 2);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE EXISTS(SELECT 1 AS "1" FROM
--   (SELECT orders.o_id AS o_id FROM orders AS orders WHERE orders.o_customer = customer.c_id)
--   AS _0 OFFSET 2)

SELECT c_id FROM customer WHERE EXISTS (((SELECT 1) UNION (SELECT o_id FROM orders WHERE o_customer
    = c_id)) ORDER BY 1 LIMIT 3 OFFSET 1);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE EXISTS(SELECT "_0"."1" AS "1"
--   FROM ((SELECT DISTINCT 1 AS "1") UNION (SELECT DISTINCT orders.o_id AS o_id FROM orders AS
--   orders WHERE orders.o_customer = customer.c_id)) AS _0 ORDER BY "1" LIMIT 3 OFFSET 1)

SELECT x.o_id, a.c_id, y.o_day FROM customer a, orders x NATURAL JOIN orders y;
-- = SELECT x.o_id AS o_id, a.c_id AS c_id, y.o_day AS o_day FROM orders AS x JOIN orders AS y
--   ON x.o_id = y.o_id AND x.o_customer = y.o_customer AND x.o_day = y.o_day AND x.o_total =
--   y.o_total CROSS JOIN customer AS a

SELECT x.o_id, a.o_id, o.c_id FROM orders a, orders x JOIN orders y USING (o_id), customer o
    WHERE o.c_id < 3;
-- = SELECT x.o_id AS o_id, a.o_id AS o_id, o.c_id AS c_id FROM orders AS x JOIN orders AS y ON
--   x.o_id = y.o_id CROSS JOIN orders AS a CROSS JOIN customer AS o WHERE o.c_id < 3

-- A condition reads what has been joined so far, whatever is merged later

SELECT v.k, a.o_total, b.o_customer FROM (VALUES (1), (2), (9)) v(k) LEFT JOIN orders a ON k = o_id
    FULL JOIN orders b USING (o_id) LEFT JOIN item ON i_order = o_id FULL JOIN orders c USING (o_id);
-- = SELECT v.k AS k, a.o_total AS o_total, b.o_customer AS o_customer FROM (VALUES (1), (2),
--   (9)) AS v(k) LEFT JOIN orders AS a ON v.k = a.o_id FULL JOIN orders AS b ON a.o_id = b.o_id
--   LEFT JOIN item AS item ON item.i_order = COALESCE(a.o_id, b.o_id) FULL JOIN orders AS c ON
--   COALESCE(a.o_id, b.o_id) = c.o_id

-- Tables that SEMI and ANTI JOIN look into have no columns to merge

SELECT a.o_id, b.o_day, o_total FROM orders a SEMI JOIN item ON i_order = a.o_id NATURAL JOIN orders b;
-- = SELECT a.o_id AS o_id, b.o_day AS o_day, COALESCE(a.o_total, b.o_total) AS o_total FROM
--   orders AS a JOIN orders AS b ON a.o_id = b.o_id AND a.o_customer = b.o_customer AND a.o_day
--   = b.o_day AND a.o_total = b.o_total SEMI JOIN item AS item ON item.i_order = a.o_id

SELECT o_total, i_order, s.i_line FROM orders a SEMI JOIN item i ON i.i_order = a.o_id NATURAL JOIN
    (SELECT o_id, i_order, i_line FROM orders JOIN item ON i_order = o_id) s;
-- = SELECT a.o_total AS o_total, s.i_order AS i_order, s.i_line AS i_line FROM orders AS a JOIN
--   (SELECT orders.o_id AS o_id, item.i_order AS i_order, item.i_line AS i_line FROM orders AS
--   orders JOIN item AS item ON item.i_order = orders.o_id) AS s ON a.o_id = s.o_id SEMI JOIN
--   item AS i ON i.i_order = a.o_id

-- What follows ANY or ALL applies to the comparison

SELECT c_id, (c_id = ANY (SELECT o_customer FROM orders))::INT + 1 AS a, c_id <> ALL (SELECT
    o_customer FROM orders)::INT::VARCHAR || 'x' AS b, c_id = ANY ([1, 3])::INT + 1 AS c FROM customer;
-- = SELECT customer.c_id AS c_id, CAST((customer.c_id = ANY (SELECT orders.o_customer AS
--   o_customer FROM orders AS orders)) AS INT) + 1 AS a, CAST(CAST((customer.c_id <> ALL
--   (SELECT orders.o_customer AS o_customer FROM orders AS orders)) AS INT) AS TEXT) || 'x' AS
--   b, CAST((customer.c_id = ANY([1, 3])) AS INT) + 1 AS c FROM customer AS customer

-- What keeps rows of its right side, behind a comma

SELECT c_id, o_id FROM customer, LATERAL (SELECT i_order AS n FROM item WHERE i_line > 1) l RIGHT
    JOIN orders ON n = o_id;
-- = SELECT customer.c_id AS c_id, _join_0.orders__o_id AS o_id FROM customer AS customer CROSS
--   JOIN LATERAL (SELECT orders.o_id AS orders__o_id FROM (SELECT item.i_order AS n FROM item
--   AS item WHERE item.i_line > 1) AS l RIGHT JOIN orders AS orders ON l.n = orders.o_id) AS
--   _join_0

SELECT c_id, o_id, n FROM customer, unnest([1, 99]) AS l(n) FULL JOIN orders ON n = o_id;
-- = SELECT customer.c_id AS c_id, _join_0.orders__o_id AS o_id, _join_0.l__n AS n FROM customer
--   AS customer CROSS JOIN LATERAL (SELECT l.n AS l__n, orders.o_id AS orders__o_id FROM
--   UNNEST([1, 99]) AS l(n) FULL JOIN orders AS orders ON l.n = orders.o_id) AS _join_0

SELECT c_id, o_id, n FROM customer, (VALUES (1), (99)) AS l(n) RIGHT JOIN orders ON n = o_id;
-- = SELECT customer.c_id AS c_id, _join_0.orders__o_id AS o_id, _join_0.l__n AS n FROM customer
--   AS customer CROSS JOIN (SELECT l.n AS l__n, orders.o_id AS orders__o_id FROM (VALUES (1),
--   (99)) AS l(n) RIGHT JOIN orders AS orders ON l.n = orders.o_id) AS _join_0

-- EXISTS as an operand

SELECT c_id FROM customer WHERE (NOT EXISTS (SELECT 1 FROM orders WHERE o_customer = c_id) IS NULL);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE (NOT EXISTS(SELECT 1 AS "1"
--   FROM orders AS orders WHERE orders.o_customer = customer.c_id) IS NULL)

SELECT c_id, EXISTS (SELECT 1 FROM orders WHERE o_customer = c_id) IN (FALSE, NULL) AS a,
    EXISTS (SELECT 1 FROM orders WHERE o_customer = c_id) = (c_id > 2) AS b FROM customer;
-- = SELECT customer.c_id AS c_id, EXISTS(SELECT 1 AS "1" FROM orders AS orders WHERE
--   orders.o_customer = customer.c_id) IN (FALSE, NULL) AS a, EXISTS(SELECT 1 AS "1" FROM
--   orders AS orders WHERE orders.o_customer = customer.c_id) = (customer.c_id > 2) AS b FROM
--   customer AS customer

-- Aggregates that only DuckDB has

SELECT c_id FROM customer WHERE EXISTS (SELECT product(o_total) FROM orders WHERE o_customer = c_id);
-- = SELECT customer.c_id AS c_id FROM customer AS customer WHERE TRUE

SELECT * FROM (SELECT o_customer, mad(o_total) AS m, mean(o_total) AS a FROM orders GROUP BY ALL) q
    WHERE q.a > 1;
-- = SELECT q.o_customer AS o_customer, q.m AS m, q.a AS a FROM (SELECT orders.o_customer AS
--   o_customer, MAD(orders.o_total) AS m, MEAN(orders.o_total) AS a FROM orders AS orders GROUP
--   BY orders.o_customer) AS q WHERE q.a > 1

-- Stars

SELECT q.c_id + 1 AS n FROM (SELECT COLUMNS(*) FROM customer) q;
-- = SELECT q.c_id + 1 AS n FROM (SELECT customer.c_id AS c_id, customer.c_name AS c_name FROM
--   customer AS customer) AS q

SELECT q.c_id FROM (SELECT COLUMNS(* EXCLUDE (c_name)) FROM customer) q;
-- = SELECT q.c_id AS c_id FROM (SELECT customer.c_id AS c_id FROM customer AS customer) AS q

-- Lists of columns

WITH w(k) AS (SELECT c_name AS o FROM customer ORDER BY o DESC LIMIT 2) SELECT k FROM w;
-- = WITH w AS (SELECT customer.c_name AS k FROM customer AS customer ORDER BY k DESC LIMIT 2)
--   SELECT w.k AS k FROM w AS w

SELECT q.a, q.b FROM (SELECT c_id AS b, c_name AS a FROM customer UNION SELECT o_id, 'z' FROM orders
    ORDER BY A DESC, b LIMIT 3) q(a, b);
-- = SELECT q.a AS a, q.b AS b FROM (SELECT DISTINCT customer.c_id AS a, customer.c_name AS b
--   FROM customer AS customer UNION SELECT DISTINCT orders.o_id AS a, 'z' AS b FROM orders AS
--   orders ORDER BY b DESC, a LIMIT 3) AS q

WITH w(n) AS (SELECT o_customer FROM orders) SELECT c_id FROM customer ANTI JOIN w AS a(c0_) ON c_id
    = a.c0_;
-- = WITH w AS (SELECT orders.o_customer AS n FROM orders AS orders) SELECT customer.c_id AS
--   c_id FROM customer AS customer ANTI JOIN (SELECT w.n AS c0_ FROM w AS w) AS a ON
--   customer.c_id = a.c0_

WITH w(n) AS (SELECT o_customer FROM orders) SELECT c_id FROM customer SEMI JOIN w AS a(c0_) ON c_id
    = a.c0_;
-- = WITH w AS (SELECT orders.o_customer AS n FROM orders AS orders) SELECT customer.c_id AS
--   c_id FROM customer AS customer SEMI JOIN (SELECT w.n AS c0_ FROM w AS w) AS a ON
--   customer.c_id = a.c0_

SELECT o_customer, grouping(o_customer) AS g, count(*) FROM orders GROUP BY o_customer
    HAVING grouping(o_customer) = 0 ORDER BY grouping(o_customer), o_customer;
-- = SELECT orders.o_customer AS o_customer, CAST(0 AS BIGINT) AS g, COUNT(*) AS _col_2 FROM
--   orders AS orders GROUP BY orders.o_customer HAVING CAST(0 AS BIGINT) = 0 ORDER BY g,
--   o_customer

SELECT c_name, grouping(c_name) AS g, count(*) FROM customer GROUP BY ROLLUP (c_name);
-- = SELECT customer.c_name AS c_name, GROUPING(customer.c_name) AS g, COUNT(*) AS _col_2 FROM
--   customer AS customer GROUP BY ROLLUP (customer.c_name)

-- No keys

SELECT max(o_total) FROM orders WHERE o_id < 0 GROUP BY ();
-- = SELECT MAX(orders.o_total) AS _col_0 FROM orders AS orders WHERE orders.o_id < 0

SELECT 1 AS one FROM orders WHERE o_id < 0 GROUP BY ();
-- = SELECT 1 AS one FROM orders AS orders WHERE orders.o_id < 0 GROUP BY ()

SELECT count(*) OVER () AS n FROM orders WHERE o_id < 3 GROUP BY ();
-- = SELECT COUNT(*) OVER () AS n FROM orders AS orders WHERE orders.o_id < 3 GROUP BY ()

SELECT o_customer, count(*) FROM orders GROUP BY o_customer, ();
-- = SELECT orders.o_customer AS o_customer, COUNT(*) AS _col_1 FROM orders AS orders GROUP BY
--   orders.o_customer

SELECT 7 AS n FROM orders GROUP BY () HAVING count(*) > 3;
-- = SELECT 7 AS n FROM orders AS orders HAVING COUNT(*) > 3

-- Aggregations of the same rows by different filters, in one pass

SELECT a.n, b.t FROM (SELECT count(*) AS n FROM orders WHERE o_total > 5) a,
    (SELECT sum(o_total) AS t FROM orders WHERE o_customer = 2) b;
-- = SELECT a.n AS n, a.t AS t FROM (SELECT COUNT(CASE WHEN orders.o_total > 5 THEN 1 END) AS n,
--   SUM(CASE WHEN orders.o_customer = 2 THEN orders.o_total END) AS t FROM orders AS orders
--   WHERE ((orders.o_total > 5) OR (orders.o_customer = 2))) AS a

SELECT CASE WHEN (SELECT count(*) FROM orders WHERE o_total < 9) > 3
    THEN (SELECT avg(o_total) FROM orders WHERE o_total < 9)
    ELSE (SELECT max(o_id) FROM orders) END AS answer FROM customer WHERE c_id = 1;
-- = SELECT CASE WHEN _u_0._col_0 > 3 THEN _u_0._col_0_1 ELSE _u_0._col_0_2 END AS answer FROM
--   customer AS customer CROSS JOIN (SELECT COUNT(CASE WHEN orders.o_total < 9 THEN 1 END) AS
--   _col_0, AVG(CASE WHEN orders.o_total < 9 THEN orders.o_total END) AS _col_0_1,
--   MAX(orders.o_id) AS _col_0_2 FROM orders AS orders) AS _u_0 WHERE customer.c_id = 1

SELECT * FROM (SELECT count(DISTINCT o_customer) + 1 AS n FROM orders, item WHERE o_id = i_order
    AND i_price = 1) a, (SELECT min(p.i_line) AS n FROM item p, orders q WHERE p.i_order = q.o_id
    AND p.i_price = 3 AND q.o_total > 4) b, (SELECT count(*) AS n FROM orders, item
    WHERE o_customer = i_order) c;
-- = SELECT a.n AS n, a.n_1 AS n, c.n AS n FROM (SELECT COUNT(DISTINCT CASE WHEN item.i_price =
--   1 THEN orders.o_customer END) + 1 AS n, MIN(CASE WHEN item.i_price = 3 AND orders.o_total >
--   4 THEN item.i_line END) AS n_1 FROM orders AS orders CROSS JOIN item AS item WHERE
--   (orders.o_id = item.i_order AND ((item.i_price = 1) OR (item.i_price = 3 AND orders.o_total
--   > 4))) AND (item.i_price = 1 OR item.i_price = 3)) AS a CROSS JOIN (SELECT COUNT(*) AS n
--   FROM orders AS orders CROSS JOIN item AS item WHERE orders.o_customer = item.i_order) AS c

SELECT a.n, b.n FROM (SELECT count(*) AS n FROM orders WHERE o_total > 5) a
    LEFT JOIN (SELECT count(*) AS n FROM orders WHERE o_total > 7) b ON a.n = b.n;
-- = SELECT a.n AS n, b.n AS n FROM (SELECT COUNT(*) AS n FROM orders AS orders WHERE
--   orders.o_total > 5) AS a LEFT JOIN (SELECT COUNT(*) AS n FROM orders AS orders WHERE
--   orders.o_total > 7) AS b ON a.n = b.n

SELECT a.n, b.n FROM (SELECT count(*) AS n FROM orders WHERE o_total > 5) a,
    (SELECT count(*) AS n FROM orders WHERE o_total > 7 GROUP BY o_customer) b ORDER BY ALL;
-- = SELECT a.n AS n, b.n AS n FROM (SELECT COUNT(*) AS n FROM orders AS orders WHERE
--   orders.o_total > 5) AS a CROSS JOIN (SELECT COUNT(*) AS n FROM orders AS orders WHERE
--   orders.o_total > 7 GROUP BY orders.o_customer) AS b ORDER BY 1, 2

SELECT a.n, b.n FROM (SELECT count(*) AS n FROM orders WHERE o_total > 5) a,
    (SELECT count(*) AS n FROM orders WHERE o_total > 7 HAVING count(*) > 100) b;
-- = SELECT a.n AS n, b.n AS n FROM (SELECT COUNT(*) AS n FROM orders AS orders WHERE
--   orders.o_total > 5) AS a CROSS JOIN (SELECT COUNT(*) AS n FROM orders AS orders WHERE
--   orders.o_total > 7 HAVING COUNT(*) > 100) AS b

SELECT a.n, b.n FROM (SELECT count(*) AS n FROM orders) a,
    (SELECT sum(o_total) FILTER (o_total > 3) AS n FROM orders WHERE o_customer = 3) b;
-- = SELECT a.n AS n, b.n AS n FROM (SELECT COUNT(*) AS n FROM orders AS orders) AS a CROSS JOIN
--   (SELECT SUM(orders.o_total) FILTER(WHERE orders.o_total > 3) AS n FROM orders AS orders
--   WHERE orders.o_customer = 3) AS b

SELECT a.n, b.n FROM (SELECT sum(o_total) AS n FROM orders WHERE o_total > 1000) a,
    (SELECT count(o_customer) AS n FROM orders WHERE o_customer IS NULL) b;
-- = SELECT a.n AS n, a.n_1 AS n FROM (SELECT SUM(CASE WHEN orders.o_total > 1000 THEN
--   orders.o_total END) AS n, COUNT(CASE WHEN orders.o_customer IS NULL THEN orders.o_customer
--   END) AS n_1 FROM orders AS orders WHERE ((orders.o_total > 1000) OR (orders.o_customer IS
--   NULL))) AS a

SELECT a.n, b.n, (SELECT max(i_line) FROM item WHERE i_order = a.n) FROM
    (SELECT min(o_id) AS n FROM orders WHERE o_total > 5) a,
    (SELECT max(o_id) AS n FROM orders WHERE o_total < 5) b;
-- = SELECT a.n AS n, a.n_1 AS n, _u_0._col_0 AS _col_2 FROM (SELECT MIN(CASE WHEN
--   orders.o_total > 5 THEN orders.o_id END) AS n, MAX(CASE WHEN orders.o_total < 5 THEN
--   orders.o_id END) AS n_1 FROM orders AS orders WHERE ((orders.o_total > 5) OR
--   (orders.o_total < 5))) AS a LEFT JOIN (SELECT MAX(item.i_line) AS _col_0, item.i_order AS
--   _u_1 FROM item AS item WHERE TRUE GROUP BY item.i_order) AS _u_0 ON _u_0._u_1 = a.n

SELECT orders.o_total, b.m FROM (SELECT max(o_total) AS o_total FROM orders WHERE o_id < 9) orders,
    (SELECT min(o_total) AS m FROM orders WHERE o_id > 12) b;
-- = SELECT orders.o_total AS o_total, orders.m AS m FROM (SELECT MAX(CASE WHEN orders.o_id < 9
--   THEN orders.o_total END) AS o_total, MIN(CASE WHEN orders.o_id > 12 THEN orders.o_total
--   END) AS m FROM orders AS orders WHERE ((orders.o_id < 9) OR (orders.o_id > 12))) AS orders

SELECT a.n, b.n, (SELECT max(a.o_total) FROM orders a WHERE a.o_id = b.n) AS most FROM
    (SELECT count(*) AS o_total, min(o_id) AS n FROM orders WHERE o_total > 5) a,
    (SELECT max(o_id) AS n FROM orders WHERE o_total < 5) b;
-- = SELECT a.n AS n, a.n_2 AS n, _u_0._col_0 AS most FROM (SELECT COUNT(CASE WHEN
--   orders.o_total > 5 THEN 1 END) AS o_total, MIN(CASE WHEN orders.o_total > 5 THEN
--   orders.o_id END) AS n, MAX(CASE WHEN orders.o_total < 5 THEN orders.o_id END) AS n_2 FROM
--   orders AS orders WHERE ((orders.o_total > 5) OR (orders.o_total < 5))) AS a LEFT JOIN
--   (SELECT MAX(a.o_total) AS _col_0, a.o_id AS _u_1 FROM orders AS a WHERE TRUE GROUP BY
--   a.o_id) AS _u_0 ON _u_0._u_1 = a.n_2

SELECT a.n, c_id, b.n FROM (SELECT count(*) AS n FROM orders WHERE o_total > 5) a
    RIGHT JOIN customer ON c_id = a.n CROSS JOIN (SELECT count(*) AS n FROM orders
    WHERE o_total < 5) b;
-- = SELECT a.n AS n, customer.c_id AS c_id, b.n AS n FROM (SELECT COUNT(*) AS n FROM orders AS
--   orders WHERE orders.o_total > 5) AS a RIGHT JOIN customer AS customer ON customer.c_id =
--   a.n CROSS JOIN (SELECT COUNT(*) AS n FROM orders AS orders WHERE orders.o_total < 5) AS b

SELECT a.k, b.k FROM (SELECT count(*) FROM orders WHERE o_total > 5) a(k),
    (SELECT count(*) FROM orders WHERE o_total < 5) b(k);
-- = SELECT a.k AS k, a.k_1 AS k FROM (SELECT COUNT(CASE WHEN orders.o_total > 5 THEN 1 END) AS
--   k, COUNT(CASE WHEN orders.o_total < 5 THEN 1 END) AS k_1 FROM orders AS orders WHERE
--   ((orders.o_total > 5) OR (orders.o_total < 5))) AS a

WITH a AS (SELECT count(*) AS n FROM orders WHERE o_total > 5), b AS (SELECT max(o_id) AS n FROM orders
    WHERE o_total < 4) SELECT a.n, b.n, c.n FROM a, b, (SELECT sum(o_id) AS n FROM orders) c;
-- = WITH a AS (SELECT COUNT(CASE WHEN orders.o_total > 5 THEN 1 END) AS n, MAX(CASE WHEN
--   orders.o_total < 4 THEN orders.o_id END) AS n_1, SUM(orders.o_id) AS n_2 FROM orders AS
--   orders) SELECT a.n AS n, a.n_1 AS n, a.n_2 AS n FROM a AS a

WITH a AS (SELECT count(*) AS n FROM orders WHERE o_total > 5), b AS (SELECT max(o_id) AS n FROM orders
    WHERE o_total < 4) SELECT a.n, b.n, (SELECT n FROM a) AS again FROM a, b;
-- = WITH a AS (SELECT COUNT(*) AS n FROM orders AS orders WHERE orders.o_total > 5), b AS
--   (SELECT MAX(orders.o_id) AS n FROM orders AS orders WHERE orders.o_total < 4) SELECT a.n AS
--   n, b.n AS n, (SELECT a.n AS n FROM a AS a) AS again FROM a AS a CROSS JOIN b AS b

WITH orders AS (SELECT o_id AS o_total FROM orders) SELECT a.n, b.n FROM (SELECT count(*) AS n
    FROM orders WHERE o_total > 5) a, (SELECT count(*) AS n FROM orders WHERE o_total < 5) b;
-- = WITH orders AS (SELECT orders.o_id AS o_total FROM orders AS orders) SELECT a.n AS n, b.n
--   AS n FROM (SELECT COUNT(*) AS n FROM orders AS orders WHERE orders.o_total > 5) AS a CROSS
--   JOIN (SELECT COUNT(*) AS n FROM orders AS orders WHERE orders.o_total < 5) AS b

-- What is aggregated over UNION ALL is aggregated in each operand

SELECT avg(v), sum(n), count(*), count(v), min(n), max(v) FROM (SELECT o_total AS v, o_id AS n FROM
    orders UNION ALL SELECT i_price, i_line FROM item WHERE i_line < 9) u;
-- = SELECT (CAST(SUM(u.partial_0) * 100 AS DOUBLE) / NULLIF(SUM(u.partial_1) * 100, 0)) AS
--   _col_0, SUM(u.partial_2) AS _col_1, CAST(COALESCE(SUM(u.partial_3), 0) AS BIGINT) AS
--   _col_2, CAST(COALESCE(SUM(u.partial_1), 0) AS BIGINT) AS _col_3, MIN(u.partial_4) AS
--   _col_4, MAX(u.partial_5) AS _col_5 FROM (SELECT SUM(orders.o_total) AS partial_0,
--   COUNT(orders.o_total) AS partial_1, SUM(orders.o_id) AS partial_2, COUNT(*) AS partial_3,
--   MIN(orders.o_id) AS partial_4, MAX(orders.o_total) AS partial_5 FROM orders AS orders UNION
--   ALL SELECT SUM(item.i_price) AS partial_0, COUNT(item.i_price) AS partial_1,
--   SUM(item.i_line) AS partial_2, COUNT(*) AS partial_3, MIN(item.i_line) AS partial_4,
--   MAX(item.i_price) AS partial_5 FROM item AS item WHERE item.i_line < 9) AS u

WITH both_of AS (SELECT o_customer AS k, o_total + 1 AS v FROM orders JOIN customer ON o_customer =
    c_id UNION ALL (SELECT 3, i_price + 1 FROM item UNION ALL (SELECT 5, i_price + 1 FROM item WHERE
    i_line < 3))) SELECT avg(v) FILTER (WHERE v > 2) AS a, sum(v * 2) + 1 AS s FROM both_of HAVING
    count(*) > 3 ORDER BY s LIMIT 1;
-- = WITH both_of AS (SELECT SUM((orders.o_total + 1)) FILTER(WHERE (orders.o_total + 1) > 2) AS
--   partial_0, COUNT((orders.o_total + 1)) FILTER(WHERE (orders.o_total + 1) > 2) AS partial_1,
--   SUM((orders.o_total + 1) * 2) AS partial_2, COUNT(*) AS partial_3 FROM orders AS orders
--   JOIN customer AS customer ON orders.o_customer = customer.c_id UNION ALL (SELECT
--   SUM((item.i_price + 1)) FILTER(WHERE (item.i_price + 1) > 2) AS partial_0,
--   COUNT((item.i_price + 1)) FILTER(WHERE (item.i_price + 1) > 2) AS partial_1,
--   SUM((item.i_price + 1) * 2) AS partial_2, COUNT(*) AS partial_3 FROM item AS item UNION ALL
--   (SELECT SUM((item.i_price + 1)) FILTER(WHERE (item.i_price + 1) > 2) AS partial_0,
--   COUNT((item.i_price + 1)) FILTER(WHERE (item.i_price + 1) > 2) AS partial_1,
--   SUM((item.i_price + 1) * 2) AS partial_2, COUNT(*) AS partial_3 FROM item AS item WHERE
--   item.i_line < 3))) SELECT (CAST(SUM(both_of.partial_0) * 100 AS DOUBLE) /
--   NULLIF(SUM(both_of.partial_1) * 100, 0)) AS a, SUM(both_of.partial_2) + 1 AS s FROM both_of
--   AS both_of HAVING CAST(COALESCE(SUM(both_of.partial_3), 0) AS BIGINT) > 3 ORDER BY s LIMIT
--   1

SELECT count(*) FROM (SELECT o_id FROM orders WHERE o_id > 90 UNION ALL SELECT 3 FROM item WHERE
    i_line > 90) u;
-- = SELECT CAST(COALESCE(SUM(u.partial_0), 0) AS BIGINT) AS _col_0 FROM (SELECT COUNT(*) AS
--   partial_0 FROM orders AS orders WHERE orders.o_id > 90 UNION ALL SELECT COUNT(*) AS
--   partial_0 FROM item AS item WHERE item.i_line > 90) AS u

SELECT sum(a) FROM (SELECT o_id, o_customer FROM orders UNION ALL SELECT i_line, i_order FROM item)
    u(b, a);
-- = SELECT SUM(u.partial_0) AS _col_0 FROM (SELECT SUM(orders.o_customer) AS partial_0 FROM
--   orders AS orders UNION ALL SELECT SUM(item.i_order) AS partial_0 FROM item AS item) AS u

-- It is not where types differ, the union is read twice, joined, filtered, or cut off

SELECT sum(v) FROM (SELECT o_total AS v FROM orders UNION ALL SELECT i_line FROM item) u;
-- = SELECT SUM(u.v) AS _col_0 FROM (SELECT orders.o_total AS v FROM orders AS orders UNION ALL
--   SELECT item.i_line AS i_line FROM item AS item) AS u

WITH u AS (SELECT o_id AS k FROM orders UNION ALL SELECT i_line FROM item) SELECT (SELECT sum(k) FROM
    u), count(*) FROM u;
-- = WITH u AS (SELECT orders.o_id AS k FROM orders AS orders UNION ALL SELECT item.i_line AS
--   i_line FROM item AS item) SELECT (SELECT SUM(u.k) AS _col_0 FROM u AS u) AS _col_0,
--   COUNT(*) AS _col_1 FROM u AS u

SELECT sum(k) FROM (SELECT o_id AS k FROM orders UNION ALL SELECT i_line FROM item) u JOIN customer
    ON c_id = k;
-- = SELECT SUM(u.k) AS _col_0 FROM (SELECT orders.o_id AS k FROM orders AS orders UNION ALL
--   SELECT item.i_line AS i_line FROM item AS item) AS u JOIN customer AS customer ON
--   customer.c_id = u.k

SELECT sum(k) FROM (SELECT o_id AS k FROM orders UNION ALL (SELECT i_line FROM item ORDER BY 1 LIMIT
    3)) u;
-- = SELECT SUM(u.k) AS _col_0 FROM (SELECT orders.o_id AS k FROM orders AS orders UNION ALL
--   (SELECT item.i_line AS i_line FROM item AS item ORDER BY i_line LIMIT 3)) AS u

SELECT count(DISTINCT k), sum(k) FROM (SELECT o_id AS k FROM orders UNION ALL SELECT i_line FROM
    item) u;
-- = SELECT COUNT(DISTINCT u.k) AS _col_0, SUM(u.k) AS _col_1 FROM (SELECT orders.o_id AS k FROM
--   orders AS orders UNION ALL SELECT item.i_line AS i_line FROM item AS item) AS u

SELECT sum(v) FROM (SELECT o_id AS k, o_total AS v FROM orders UNION ALL SELECT i_order, i_price FROM
    item ORDER BY k) u;
-- = SELECT SUM(u.v) AS _col_0 FROM (SELECT orders.o_id AS k, orders.o_total AS v FROM orders AS
--   orders UNION ALL SELECT item.i_order AS i_order, item.i_price AS i_price FROM item AS item
--   ORDER BY k) AS u

SELECT avg(d) FROM (SELECT o_day AS d FROM orders UNION ALL SELECT o_day + 1 FROM orders) u;
-- = SELECT AVG(u.d) AS _col_0 FROM (SELECT orders.o_day AS d FROM orders AS orders UNION ALL
--   SELECT orders.o_day + 1 AS _col_0 FROM orders AS orders) AS u

SELECT c_id, (SELECT sum(v) FROM (SELECT c.c_id AS v FROM orders UNION ALL SELECT i_order FROM item)
    u) AS s FROM customer c;
-- = SELECT c.c_id AS c_id, (SELECT SUM(u.v) AS _col_0 FROM (SELECT c.c_id AS v FROM orders AS
--   orders UNION ALL SELECT item.i_order AS i_order FROM item AS item) AS u) AS s FROM customer
--   AS c

SELECT max(v > 5) FROM (SELECT o_total AS v FROM orders UNION ALL SELECT i_price FROM item) u;
-- = SELECT MAX(u.v > 5) AS _col_0 FROM (SELECT orders.o_total AS v FROM orders AS orders UNION
--   ALL SELECT item.i_price AS i_price FROM item AS item) AS u

-- Nor where it is grouped: the engine would group twice what lies in several stores

SELECT o_customer % 2 AS k, sum(v) FROM (SELECT o_customer, o_total AS v FROM orders UNION ALL SELECT
    i_line, i_price FROM item) u GROUP BY o_customer % 2;
-- = SELECT u.o_customer % 2 AS k, SUM(u.v) AS _col_1 FROM (SELECT orders.o_customer AS
--   o_customer, orders.o_total AS v FROM orders AS orders UNION ALL SELECT item.i_line AS
--   i_line, item.i_price AS i_price FROM item AS item) AS u GROUP BY u.o_customer % 2
