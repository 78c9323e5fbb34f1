-- name: bought_everywhere
-- tables: crm.customer, web_shop.customer
-- executions: 4
SELECT c.name, w.points FROM crm.customer AS c JOIN web_shop.customer AS w ON w.id = c.number WHERE w.points > {n};
-- name: products_everywhere
-- tables: crm.product, sales.product, web_shop.product
-- executions: 3
SELECT s.sku, p.rating, w.price FROM sales.product AS s JOIN crm.product AS p ON p.id = s.id
JOIN web_shop.product AS w ON w.id = s.id WHERE w.price < {n};
-- name: orders_everywhere
-- tables: crm.Order, sales.order, web_shop.order
-- executions: 2
SELECT 'crm' AS origin, sum("Total") AS total FROM crm."Order"
UNION ALL SELECT 'sales', sum(total) FROM sales."order" WHERE id > {n}
UNION ALL SELECT 'web', sum(total) FROM web_shop."order";
-- name: viewed_and_visited
-- tables: crm.visit, web_shop.page_view
-- executions: 2
SELECT v.url, count(*) AS n FROM web_shop.page_view AS v WHERE v.url IN (SELECT page FROM crm.visit WHERE id < {n}) GROUP BY v.url;
-- name: sold_and_stocked
-- tables: sales.stock, web_shop.Order_Item
-- executions: 2
SELECT k.warehouse, sum(i.quantity) AS sold FROM web_shop."Order_Item" AS i JOIN sales.stock AS k ON k.product = i.product
WHERE k.quantity > {n} GROUP BY k.warehouse ORDER BY 1;
