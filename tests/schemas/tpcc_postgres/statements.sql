-- left out: session
BEGIN;
-- name: new_order_customer
-- executions: 450
-- reads: customer, warehouse
SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse WHERE w_id = $1 AND c_w_id = w_id AND c_d_id = $2 AND c_id = $3;
-- name: new_order_district
-- executions: 450
-- reads: district
SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = $1 AND d_id = $2 FOR UPDATE;
-- name: next_order
-- executions: 450
-- reads: district
-- writes: district
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = 7 RETURNING d_next_o_id, d_tax;
-- name: insert_order
-- executions: 450
-- writes: oorder
INSERT INTO oorder (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) VALUES ($1, $2, $3, $4, now(), $5, $6);
-- name: insert_new_order
-- executions: 450
-- writes: new_order
INSERT INTO new_order VALUES (3001, 7, 1);
-- name: item_price
-- executions: 4500
-- reads: item
SELECT i_price, i_name, i_data FROM item WHERE i_id = $1;
-- name: stock_of_item
-- executions: 4500
-- reads: stock
SELECT s_quantity, s_data, s_dist_01, s_dist_02 FROM stock WHERE s_i_id = $1 AND s_w_id = $2 FOR UPDATE;
-- name: take_stock
-- executions: 4500
-- reads: stock
-- writes: stock
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= $1 + 10 THEN s_quantity - $1 ELSE s_quantity - $1 + 91 END, s_ytd = s_ytd + $1,
  s_order_cnt = s_order_cnt + 1 WHERE s_i_id = $2 AND s_w_id = $3;
-- name: insert_line
-- executions: 4500
-- writes: order_line
INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);
-- name: insert_lines
-- executions: 20
-- writes: order_line
INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_quantity) VALUES (1, 1, 1, 1, 5, 3), (1, 1, 1, 2, 7, 1), (1, 1, 1, 3, 9, 10);
-- name: pay_warehouse
-- executions: 430
-- reads: warehouse
-- writes: warehouse
UPDATE warehouse SET w_ytd = w_ytd + 12.34 WHERE w_id = 1;
-- name: pay_district
-- executions: 430
-- reads: district
-- writes: district
UPDATE district SET d_ytd = d_ytd + $1 WHERE d_w_id = $2 AND d_id = $3 RETURNING d_name, d_city;
-- name: count_by_name
-- executions: 260
-- reads: customer
SELECT count(c_id) FROM customer WHERE c_last = 'BARBARBAR' AND c_d_id = 1 AND c_w_id = 1;
-- name: customers_by_name
-- executions: 260
-- reads: customer
SELECT c_first, c_middle, c_id, c_balance FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_last = $3 ORDER BY c_first;
-- name: pay
-- executions: 430
-- reads: customer
-- writes: customer
UPDATE customer SET c_balance = c_balance - $1, c_ytd_payment = c_ytd_payment + $1, c_payment_cnt = c_payment_cnt + 1,
  c_data = CASE c_credit WHEN 'BC' THEN substr(format('%s %s|%s', c_id, $1, c_data), 1, 500) ELSE c_data END
WHERE c_w_id = $2 AND c_d_id = $3 AND c_id = $4;
-- name: insert_history
-- executions: 430
-- writes: history
INSERT INTO history VALUES (1, 1, 1, 1, 1, '2024-01-01 00:00:00', 12.34, 'warehouse    district');
-- name: last_order
-- executions: 40
-- reads: oorder
SELECT o_id, o_carrier_id, o_entry_d FROM oorder WHERE o_w_id = $1 AND o_d_id = $2 AND o_c_id = $3 ORDER BY o_id DESC LIMIT 1;
-- name: last_order_by_max
-- executions: 40
-- reads: oorder
SELECT o_id, o_entry_d FROM oorder WHERE o_w_id = 1 AND o_d_id = 2 AND o_c_id = 3 AND o_id = (SELECT max(o_id) FROM oorder WHERE o_w_id = 1 AND o_d_id = 2 AND o_c_id = 3);
-- name: lines_of_order
-- executions: 40
-- reads: order_line
SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line WHERE ol_o_id = $1 AND ol_d_id = $2 AND ol_w_id = $3;
-- name: oldest_new_order
-- executions: 40
-- reads: new_order
SELECT no_o_id FROM new_order WHERE no_d_id = $1 AND no_w_id = $2 ORDER BY no_o_id ASC LIMIT 1 FOR UPDATE SKIP LOCKED;
-- name: deliver
-- executions: 40
-- reads: new_order
-- writes: new_order
DELETE FROM new_order WHERE no_o_id = $1 AND no_d_id = $2 AND no_w_id = $3;
-- name: deliver_oldest
-- executions: 40
-- reads: new_order
-- writes: new_order
DELETE FROM new_order WHERE (no_w_id, no_d_id, no_o_id) = (SELECT no_w_id, no_d_id, min(no_o_id) FROM new_order WHERE no_w_id = 1 AND no_d_id = 1 GROUP BY 1, 2);
-- name: carrier
-- executions: 40
-- reads: oorder
-- writes: oorder
UPDATE oorder SET o_carrier_id = $1 WHERE o_id = $2 AND o_d_id = $3 AND o_w_id = $4;
-- name: delivered
-- executions: 40
-- reads: order_line
-- writes: order_line
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_o_id = 2101 AND ol_d_id = 1 AND ol_w_id = 1;
-- name: amount
-- executions: 40
-- reads: order_line
SELECT sum(ol_amount) AS ol_total FROM order_line WHERE ol_o_id = $1 AND ol_d_id = $2 AND ol_w_id = $3;
-- name: credit
-- executions: 40
-- reads: customer, order_line, oorder
-- writes: customer
UPDATE customer SET (c_balance, c_delivery_cnt) = (SELECT c_balance + sum(ol_amount), c_delivery_cnt + 1 FROM order_line JOIN oorder ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id WHERE o_c_id = c_id AND ol_o_id = 2101)
WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 42;
-- name: stock_level
-- executions: 40
-- reads: order_line, stock, district
SELECT count(DISTINCT s_i_id) FROM order_line, stock, district WHERE d_w_id = 1 AND d_id = 3 AND ol_w_id = d_w_id AND ol_d_id = d_id
AND ol_o_id < d_next_o_id AND ol_o_id >= d_next_o_id - 20 AND s_w_id = ol_w_id AND s_i_id = ol_i_id AND s_quantity < 15;
-- name: consistent
-- executions: 1
-- reads: warehouse, district
SELECT w_id FROM warehouse LEFT JOIN district ON d_w_id = w_id GROUP BY w_id, w_ytd HAVING w_ytd <> sum(d_ytd);
-- left out: session
COMMIT;
-- left out: session
ROLLBACK;
-- left out: session
PREPARE item_plan (int) AS SELECT i_price FROM item WHERE i_id = $1;
-- left out: session
EXECUTE item_plan (7);
-- left out: session
LOCK TABLE district IN SHARE ROW EXCLUSIVE MODE;
