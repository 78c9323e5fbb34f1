-- name: by_uuid
-- tables: crm.customer
-- executions: 5
SELECT name, mail, balance FROM crm.customer WHERE id = md5('customer' || {n})::uuid;
-- name: json_path
-- tables: crm.customer
-- executions: 3
SELECT c.profile->'address'->>'city' AS city, count(*) AS n FROM crm.customer c
WHERE c.profile @> '{{"vip": true}}' AND (c.profile->>'age')::int > {n} GROUP BY 1 ORDER BY 2 DESC, 1;
-- name: json_keys
-- tables: crm.customer
-- executions: 2
SELECT id FROM crm.customer WHERE profile ? 'vip' AND profile #>> '{{address,city}}' = 'City {n}';
-- name: any_tag
-- tables: crm.customer
-- executions: 2
SELECT number, tags[1] FROM crm.customer WHERE 'tag{n}' = ANY (tags) OR tags && ARRAY['tag1', 'tag2'];
-- name: unnested
-- tables: crm.customer
-- executions: 2
SELECT t.tag, count(*) FROM crm.customer c CROSS JOIN LATERAL unnest(c.tags) AS t(tag)
WHERE c.number > {n} GROUP BY t.tag;
-- name: latest_order
-- tables: crm.customer, sales.order
-- executions: 4
SELECT c.name, o.id, o.total FROM crm.customer c
CROSS JOIN LATERAL (SELECT x.id, x.total FROM sales."order" x WHERE x.customer = c.id ORDER BY x.placed DESC, x.id LIMIT 1) o
WHERE c.number < {n};
-- name: distinct_on
-- tables: sales.order
-- executions: 3
SELECT DISTINCT ON (customer) customer, id, total FROM sales."order" WHERE total > {n} ORDER BY customer, placed DESC, id;
-- name: ilike
-- tables: crm.country, crm.customer
-- executions: 3
SELECT k.name, count(*) AS customers FROM crm.customer c JOIN crm.country k ON k.code = c.country
WHERE c.name ILIKE '%ustomer ''{n}%' GROUP BY k.name;
-- name: windowed
-- tables: sales.order
-- executions: 3
SELECT id, total, rank() OVER w AS place, sum(total) OVER (PARTITION BY customer ORDER BY placed, id) AS running
FROM sales."order" WHERE state = 'done' AND id < 10{n} WINDOW w AS (PARTITION BY state ORDER BY total DESC);
-- name: mixed_case
-- tables: crm.Order
-- executions: 3
SELECT "Id", "select", "from", "a ""quoted"" name" FROM crm."Order" WHERE "Total" > {n} AND "user" = 'user1';
-- name: two_orders
-- tables: crm.Order, sales.order
-- executions: 2
SELECT count(*) FROM crm."Order" a JOIN sales."order" b ON a."Customer Id" = b.customer WHERE a."Total" < {n};
-- name: two_products
-- tables: crm.product, sales.product
-- executions: 4
SELECT s.sku, s.gross, p.rating FROM sales.product s JOIN crm.product p ON p.id = s.id WHERE s.net > {n};
-- name: searched_path
-- tables: sales.product
-- executions: 6
SELECT sku, title FROM product WHERE category = 'Category {n}';
-- name: searched_path_joined
-- tables: crm.customer, sales.order, sales.order_line
-- executions: 2
SELECT c.number, sum(l.quantity * l.price) AS spent FROM customer c JOIN "order" o ON o.customer = c.id
JOIN order_line l ON l."order" = o.id WHERE o.placed >= timestamptz '2025-03-01 00:00+00' AND c.number > {n} GROUP BY c.number;
-- name: partitions
-- tables: crm.visit
-- executions: 3
SELECT date_trunc('day', started) AS day, count(*), avg(extract(epoch FROM took)) FROM crm.visit
WHERE started >= timestamptz '2025-02-01 00:00+00' AND started < timestamptz '2025-02-02 00:00+00' + {n} * interval '1 day' GROUP BY 1;
-- name: one_partition
-- tables: crm.visit
-- executions: 2
SELECT page, count(*) FROM crm.visit_2025h1 WHERE id > {n} GROUP BY page;
-- name: list_partition
-- tables: crm.ticket
-- executions: 2
SELECT id, subject FROM crm."ticket_Closed" WHERE id > {n};
-- name: default_partition
-- tables: crm.ticket
-- executions: 2
SELECT count(*) FROM crm.ticket_other WHERE id > {n};
-- name: hash_partition
-- tables: sales.payment
-- executions: 2
SELECT sum(amount) FROM sales.payment_1 WHERE id > {n};
-- name: tickets
-- tables: crm.note, crm.ticket
-- executions: 3
SELECT t.state, count(n.body) FROM crm.ticket t LEFT JOIN crm.note n ON (n.ticket, n.state) = (t.id, t.state)
WHERE t.opened > timestamp '2025-01-01' + {n} * interval '1 day' GROUP BY t.state;
-- name: full_text
-- tables: crm.note
-- executions: 2
SELECT ticket, ts_rank(searched, q) FROM crm.note, to_tsquery('simple', 'word{n} | word7') q WHERE searched @@ q ORDER BY 2 DESC LIMIT 20;
-- name: inherited
-- tables: crm.person
-- executions: 2
SELECT name FROM crm.person WHERE id > {n};
-- name: only_parent
-- tables: crm.person
-- executions: 2
SELECT count(*) FROM ONLY crm.person WHERE id > {n};
-- name: employees
-- tables: crm.employee
-- executions: 2
SELECT desk, max(salary) FROM crm.employee WHERE salary > {n} GROUP BY desk;
-- name: through_views
-- tables: crm.customer, sales.order
-- executions: 3
SELECT b."Full Name", b.revenue, v.id FROM crm."Best Customer" b JOIN sales.open_order v ON v.customer = b.id WHERE v.total > {n};
-- name: of_the_day
-- tables: sales.revenue_by_day
-- executions: 3
SELECT day, revenue FROM sales.revenue_by_day WHERE orders > {n} ORDER BY day;
-- name: foreign_rows
-- tables: sales.supplier
-- executions: 1
SELECT title, rating FROM sales.supplier WHERE id = {n};
-- name: recursive
-- tables: crm.customer, sales.order
-- executions: 2
WITH RECURSIVE month(m) AS (SELECT date '2025-01-01' UNION ALL SELECT (m + interval '1 month')::date FROM month WHERE m < date '2025-06-01'),
busy AS MATERIALIZED (SELECT customer, placed FROM sales."order" WHERE total > {n})
SELECT m.m, count(c.id) FILTER (WHERE c.active) FROM month m LEFT JOIN busy b ON b.placed >= m.m AND b.placed < m.m + interval '1 month'
LEFT JOIN crm.customer c ON c.id = b.customer GROUP BY m.m ORDER BY m.m;
-- name: ranges
-- tables: sales.price_change, sales.product
-- executions: 2
SELECT p.sku, c.new FROM sales.price_change c JOIN sales.product p ON p.id = c.product
WHERE c.during @> timestamptz '2025-02-01 00:00+00' AND lower(p.valid) < date '2024-03-01' AND c.old > {n};
-- name: composite
-- tables: sales.order
-- executions: 1
SELECT id, (paid).amount FROM sales."order" WHERE (paid).currency = 'EUR' AND id = {n};
-- name: grouping
-- tables: sales.product, sales.stock
-- executions: 2
SELECT p.category, s.warehouse, sum(s.free), string_agg(DISTINCT p.sku, ',' ORDER BY p.sku) FROM sales.stock s JOIN sales.product p ON p.id = s.product
WHERE s.quantity > {n} GROUP BY GROUPING SETS ((p.category), (s.warehouse), ());
-- name: nobody
-- tables: crm.nobody
-- executions: 1
SELECT reason FROM crm.nobody WHERE id = {n};
-- name: sessions
-- tables: crm.web_session
-- executions: 2
SELECT token, jsonb_array_elements_text(data->'items') FROM crm.web_session WHERE expires > timestamptz '2026-01-01 00:00+00' + {n} * interval '1 s';
-- name: addresses
-- tables: crm.address, sales.address
-- executions: 2
SELECT a.zip, a.location <-> point(0, 0) AS far, a.flags & B'00000001', s.street FROM crm.address a, sales.address s
WHERE a.area && box '((0,0),(5,5))' AND s.id = {n};
-- name: new_order
-- writes: sales.order
-- executions: 3
INSERT INTO sales."order" (id, customer, placed) VALUES ({n}, md5('customer1')::uuid, timestamptz '2025-01-01 00:00+00') ON CONFLICT (id) DO NOTHING;
-- name: seen_note
-- writes: crm.note
-- executions: 2
UPDATE crm.note SET body = body WHERE ticket = -{n};
