-- name: my_by_key
-- tables: web_shop.customer
-- executions: 5
SELECT name, mail, points FROM customer WHERE id = {n};
-- name: my_product
-- tables: web_shop.product
-- executions: 4
SELECT title, price, on_sale + 0 FROM product WHERE size = 'm' AND price > {n};
-- name: my_qualified
-- tables: web_shop.product
-- executions: 3
SELECT `title` FROM `web_shop`.`product` WHERE `id` = {n};
-- name: my_grouped
-- tables: web_shop.Order_Item, web_shop.product
-- executions: 3
SELECT i.`order`, GROUP_CONCAT(DISTINCT p.title ORDER BY p.title SEPARATOR '; ') AS titles FROM `Order_Item` i JOIN product p ON p.id = i.product
WHERE i.`order` < {n} GROUP BY i.`order`;
-- name: my_json
-- tables: web_shop.order
-- executions: 3
SELECT JSON_UNQUOTE(JSON_EXTRACT(detail, '$.city')) AS town, count(*) FROM `order` WHERE JSON_EXTRACT(detail, '$.gift') = true AND total > {n} GROUP BY town;
-- name: my_generated
-- tables: web_shop.order
-- executions: 2
SELECT city, sum(total) FROM `order` WHERE city IN ('City 1', 'City {n}') GROUP BY city WITH ROLLUP;
-- name: my_reserved
-- tables: web_shop.customer, web_shop.order
-- executions: 3
SELECT o.`group`, count(*) n, avg(c.points) FROM `order` o INNER JOIN customer c ON c.id = o.customer WHERE o.placed >= '2025-03-01' AND c.points > {n} GROUP BY o.`group` ORDER BY NULL;
-- name: my_ranged
-- tables: web_shop.page_view
-- executions: 3
SELECT url, count(*) AS views, avg(ms) FROM page_view WHERE viewed BETWEEN '2025-02-01' AND '2025-02-28' AND ms > {n} GROUP BY url ORDER BY views DESC LIMIT 10;
-- name: my_partition
-- tables: web_shop.page_view
-- executions: 2
SELECT count(*) FROM page_view PARTITION (early) WHERE ms > {n};
-- name: my_listed
-- tables: web_shop.basket, web_shop.basket-item
-- executions: 2
SELECT b.region, sum(i.`how many`) FROM basket b JOIN `basket-item` i ON i.basket = b.id WHERE b.region IN (0, 2) AND b.id > {n} GROUP BY b.region;
-- name: my_clicks
-- tables: web_shop.click, web_shop.page_view
-- executions: 3
SELECT v.url, count(*), max(k.happened) FROM click k STRAIGHT_JOIN page_view v ON v.id = k.view WHERE k.x > {n} GROUP BY v.url LIMIT 5, 10;
-- name: my_windowed
-- tables: web_shop.order
-- executions: 2
SELECT id, customer, ROW_NUMBER() OVER (PARTITION BY customer ORDER BY placed DESC, id) AS r, LAG(total) OVER (PARTITION BY customer ORDER BY placed, id) AS before_it FROM `order` WHERE id < {n};
-- name: my_match
-- tables: web_shop.review
-- executions: 2
SELECT id, stars FROM review WHERE MATCH (body) AGAINST ('word{n}' IN BOOLEAN MODE);
-- name: my_unsigned
-- tables: web_shop.product, web_shop.review
-- executions: 2
SELECT p.flags & 3, CAST(r.stars AS UNSIGNED), HEX(r.digest) FROM review r LEFT OUTER JOIN product p USING (id) WHERE r.stars <=> {n} AND p.channels LIKE '%web%';
-- name: my_place
-- tables: web_shop.address, web_shop.customer
-- executions: 2
SELECT c.name, ST_X(a.location) AS x, ST_Distance(a.location, POINT(0, 0)) FROM address a JOIN customer c ON c.id = a.customer WHERE a.id < {n};
-- name: my_tree
-- tables: web_shop.category
-- executions: 2
WITH RECURSIVE up AS (SELECT id, parent, name FROM category WHERE id = {n} UNION ALL SELECT c.id, c.parent, c.name FROM category c JOIN up ON up.parent = c.id) SELECT * FROM up;
-- name: my_key
-- tables: web_shop.key
-- executions: 3
SELECT `key`.`value` FROM `key` WHERE `key`.`rank` = {n} AND `key` LIKE 'key1%';
-- name: my_views
-- tables: web_shop.Order_Item, web_shop.order, web_shop.product
-- executions: 2
SELECT s.`the title`, s.sold, r.total FROM `Sold Product` s, recent_order r WHERE r.id = s.id AND r.total > {n};
-- name: my_exists
-- tables: web_shop.customer, web_shop.page_view
-- executions: 2
SELECT c.id, IF(c.newsletter, 'yes', 'no'), IFNULL(c.mail, '') FROM customer c WHERE NOT EXISTS (SELECT 1 FROM page_view v WHERE v.customer = c.id AND v.ms > {n}00) AND c.wakes > '06:00:00';
-- name: my_dates
-- tables: web_shop.order
-- executions: 2
SELECT DATE_FORMAT(placed, '%Y-%m') AS month, TIMESTAMPDIFF(DAY, min(placed), max(placed)) AS days FROM `order` WHERE placed > DATE_SUB('2025-12-31', INTERVAL {n} DAY) GROUP BY month HAVING days >= 0;
-- name: my_hint
-- tables: web_shop.Order_Item
-- executions: 2
SELECT SQL_NO_CACHE product, sum(quantity) FROM `Order_Item` USE INDEX (by_product) WHERE product < {n} GROUP BY product;
-- name: my_locked
-- tables: web_shop.product
-- executions: 1
SELECT price FROM product WHERE id = {n} FOR UPDATE;
-- name: my_empty
-- tables: web_shop.empty_cart
-- executions: 1
SELECT count(*) FROM empty_cart WHERE abandoned < '2025-01-01' AND id < {n};
-- name: my_seen
-- writes: web_shop.key
-- executions: 3
INSERT INTO `key` (`key`, `value`, `rank`) VALUES ('key1', 'v', {n}) ON DUPLICATE KEY UPDATE `rank` = VALUES(`rank`);
-- name: my_swept
-- writes: web_shop.empty_cart
-- executions: 2
DELETE FROM empty_cart WHERE id = {n};
