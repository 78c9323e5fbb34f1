-- left out: session
START TRANSACTION WITH CONSISTENT SNAPSHOT;
-- name: new_order_customer
-- executions: 450
-- reads: customer, warehouse
SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse WHERE w_id = ? AND c_w_id = w_id AND c_d_id = ? AND c_id = ?;
-- name: new_order_district
-- executions: 450
-- reads: district
SELECT d_next_o_id, d_tax FROM district WHERE d_id = ? AND d_w_id = ? FOR UPDATE;
-- name: next_order
-- executions: 450
-- reads: district
-- writes: district
UPDATE district SET d_next_o_id = ? + 1 WHERE d_id = ? AND d_w_id = ?;
-- name: insert_order
-- executions: 450
-- writes: orders
INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) VALUES (3001, 1, 1, 7, NOW(), 10, b'1');
-- name: insert_new_order
-- executions: 450
-- writes: new_orders
INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?);
-- name: item_price
-- executions: 4500
-- reads: item
SELECT i_price, i_name, i_data FROM item WHERE i_id = ?;
-- name: some_items
-- executions: 450
-- reads: item
SELECT i_id, i_price FROM item WHERE i_id IN (1, 5, 7, 9, 11, 13);
-- name: stock_of_item
-- executions: 4500
-- reads: stock
SELECT s_quantity, s_data, s_dist_01 FROM stock WHERE s_i_id = 5 AND s_w_id = 1 FOR UPDATE NOWAIT;
-- name: take_stock
-- executions: 4500
-- reads: stock
-- writes: stock
UPDATE stock SET s_quantity = IF(s_quantity > ?, s_quantity - ?, s_quantity - ? + 91) WHERE s_i_id = ? AND s_w_id = ?;
-- name: insert_line
-- executions: 4500
-- writes: order_line
INSERT LOW_PRIORITY INTO order_line VALUES (?, ?, ?, ?, ?, ?, NULL, ?, ?, ?);
-- name: pay_warehouse
-- executions: 430
-- reads: warehouse
-- writes: warehouse
UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?;
-- name: pay_both
-- executions: 43
-- reads: warehouse, district
-- writes: warehouse, district
UPDATE warehouse, district SET w_ytd = w_ytd + 10, d_ytd = d_ytd + 10 WHERE d_w_id = w_id AND w_id = 1 AND d_id = 3;
-- name: customers_by_name
-- executions: 260
-- reads: customer
SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? ORDER BY c_first LIMIT ?, 1;
-- name: pay
-- executions: 430
-- reads: customer
-- writes: customer
UPDATE customer SET c_balance = ?, c_data = CONCAT(LEFT(c_data, 400), '|', ?) WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?;
-- name: insert_history
-- executions: 430
-- writes: history
INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES (1, 1, 1, 1, 1, SYSDATE(6), 12.34, 'it''s "paid"');
-- name: last_order
-- executions: 40
-- reads: orders
SELECT o_id, o_entry_d, COALESCE(o_carrier_id, 0) FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? AND o_id = (SELECT MAX(o_id) FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ?);
-- name: lines_of_order
-- executions: 40
-- reads: order_line
SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 3001;
-- name: oldest_new_order
-- executions: 40
-- reads: new_orders
SELECT COALESCE(MIN(no_o_id), 0) FROM new_orders WHERE no_d_id = ? AND no_w_id = ?;
-- name: deliver
-- executions: 40
-- reads: new_orders
-- writes: new_orders
DELETE QUICK FROM new_orders WHERE no_o_id = ? AND no_d_id = ? AND no_w_id = ?;
-- name: carrier
-- executions: 40
-- reads: orders
-- writes: orders
UPDATE orders SET o_carrier_id = 7 WHERE o_id = 2101 AND o_d_id = 1 AND o_w_id = 1;
-- name: delivered
-- executions: 40
-- reads: order_line
-- writes: order_line
UPDATE order_line SET ol_delivery_d = NOW() WHERE ol_o_id = ? AND ol_d_id = ? AND ol_w_id = ?;
-- name: amount
-- executions: 40
-- reads: order_line
SELECT SUM(ol_amount) FROM order_line WHERE ol_o_id = ? AND ol_d_id = ? AND ol_w_id = ?;
-- name: credit
-- executions: 40
-- reads: customer
-- writes: customer
UPDATE customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_id = ? AND c_d_id = ? AND c_w_id = ?;
-- name: recent_items
-- executions: 40
-- reads: order_line
SELECT DISTINCT ol_i_id FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= (? - 20);
-- name: stock_level
-- executions: 40
-- reads: order_line, stock, district
SELECT COUNT(DISTINCT(s_i_id)) FROM order_line JOIN stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id JOIN district ON d_w_id = ol_w_id AND d_id = ol_d_id
WHERE d_w_id = 1 AND d_id = 3 AND ol_o_id BETWEEN d_next_o_id - 20 AND d_next_o_id - 1 AND s_low;
-- name: clean
-- executions: 1
-- reads: orders, order_line
-- writes: orders, order_line
DELETE o, l FROM orders AS o LEFT JOIN order_line AS l ON l.ol_w_id = o.o_w_id AND l.ol_d_id = o.o_d_id AND l.ol_o_id = o.o_id WHERE o.o_all_local = b'0';
-- left out: session
COMMIT;
-- left out: session
PREPARE item_plan FROM 'SELECT i_price FROM item WHERE i_id = ?';
-- left out: session
EXECUTE item_plan USING @item;
-- left out: session
SHOW ENGINE INNODB STATUS;
-- left out: session
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
-- left out: session
LOCK TABLES stock READ, item WRITE;
