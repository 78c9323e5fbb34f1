-- The tables of TPC-C with one warehouse.

-- rows: 1
CREATE TABLE warehouse (
  w_id int NOT NULL, w_name varchar(10), w_street_1 varchar(20), w_city varchar(20), w_state char(2), w_zip char(9),
  w_tax decimal(4,4), w_ytd decimal(12,2), PRIMARY KEY (w_id)
) WITH (fillfactor = 10);

-- rows: 10
CREATE TABLE district (
  d_id smallint NOT NULL, d_w_id int NOT NULL REFERENCES warehouse (w_id), d_name varchar(10), d_city varchar(20),
  d_tax decimal(4,4), d_ytd decimal(12,2), d_next_o_id int, PRIMARY KEY (d_w_id, d_id)
) WITH (fillfactor = 10);

-- rows: 30_000
CREATE TABLE customer (
  c_id int NOT NULL, c_d_id smallint NOT NULL, c_w_id int NOT NULL, c_first varchar(16), c_middle char(2), c_last varchar(16),
  c_since timestamp DEFAULT now(), c_credit char(2), c_credit_lim decimal(12,2), c_discount decimal(4,4), c_balance decimal(12,2),
  c_ytd_payment decimal(12,2), c_payment_cnt smallint, c_delivery_cnt smallint, c_data text,
  PRIMARY KEY (c_w_id, c_d_id, c_id), FOREIGN KEY (c_w_id, c_d_id) REFERENCES district (d_w_id, d_id)
) PARTITION BY HASH (c_w_id);
CREATE TABLE customer_0 PARTITION OF customer FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE customer_1 PARTITION OF customer FOR VALUES WITH (MODULUS 2, REMAINDER 1);

-- rows: 30_000
CREATE UNLOGGED TABLE history (
  h_c_id int, h_c_d_id smallint, h_c_w_id int, h_d_id smallint, h_w_id int, h_date timestamp, h_amount decimal(6,2), h_data varchar(24)
);

-- rows: 30_000
CREATE TABLE oorder (
  o_id int NOT NULL, o_d_id smallint NOT NULL, o_w_id int NOT NULL, o_c_id int, o_entry_d timestamp, o_carrier_id smallint,
  o_ol_cnt smallint, o_all_local smallint, PRIMARY KEY (o_w_id, o_d_id, o_id), UNIQUE (o_w_id, o_d_id, o_c_id, o_id)
);

-- rows: 9_000
CREATE TABLE new_order (no_o_id int NOT NULL, no_d_id smallint NOT NULL, no_w_id int NOT NULL, PRIMARY KEY (no_w_id, no_d_id, no_o_id));

-- rows: 300_000
CREATE TABLE order_line (
  ol_o_id int NOT NULL, ol_d_id smallint NOT NULL, ol_w_id int NOT NULL, ol_number smallint NOT NULL, ol_i_id int, ol_supply_w_id int,
  ol_delivery_d timestamp NULL, ol_quantity smallint, ol_amount decimal(6,2), ol_dist_info char(24),
  PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
);

-- rows: 100_000
CREATE TABLE item (i_id int NOT NULL, i_im_id int, i_name varchar(24), i_price decimal(5,2), i_data varchar(50), PRIMARY KEY (i_id));

-- rows: 100_000
CREATE TABLE stock (
  s_i_id int NOT NULL, s_w_id int NOT NULL, s_quantity smallint, s_dist_01 char(24), s_dist_02 char(24), s_ytd decimal(8,0),
  s_order_cnt smallint, s_remote_cnt smallint, s_data varchar(50), PRIMARY KEY (s_w_id, s_i_id)
);

CREATE INDEX idx_customer_name ON customer (c_w_id, c_d_id, c_last, c_first);
ALTER TABLE stock ADD CONSTRAINT stock_item FOREIGN KEY (s_i_id) REFERENCES item (i_id);
ALTER TABLE order_line ADD FOREIGN KEY (ol_w_id, ol_d_id, ol_o_id) REFERENCES oorder (o_w_id, o_d_id, o_id) ON DELETE CASCADE;
VACUUM ANALYZE;
