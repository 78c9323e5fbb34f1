CREATE SCHEMA crm;
CREATE SCHEMA sales;
COMMENT ON SCHEMA crm IS 'People; and what they say: "it''s fine"';
CREATE TYPE crm.segment AS ENUM ('private', 'business', 'it''s unknown');
CREATE TYPE sales.money_amount AS (amount numeric, currency char(3));
CREATE DOMAIN crm.email AS text CHECK (VALUE ~ '^[^@;]+@[^@;]+$');
CREATE DOMAIN sales.percent AS numeric(5,2) DEFAULT 0 CHECK (VALUE BETWEEN 0 AND 100);
CREATE FUNCTION crm.touch() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  -- A comment; with a semicolon, and CREATE TABLE crm.never (a int);
  NEW.changed := now();
  RETURN NEW;
END;
$body$;

CREATE TABLE crm.country (
  code char(2) PRIMARY KEY,
  name varchar(60) NOT NULL,
  "Population (million)" numeric
);
CREATE TABLE crm.customer (
  id uuid PRIMARY KEY,
  number bigint NOT NULL UNIQUE,
  name text NOT NULL,
  mail crm.email,
  segment crm.segment NOT NULL DEFAULT 'private',
  profile jsonb NOT NULL DEFAULT '{}',
  tags text[] NOT NULL DEFAULT '{}',
  scores int[],
  balance numeric,
  photo bytea,
  wakes time without time zone,
  lunch time with time zone,
  member_for interval,
  born date,
  active boolean,
  country char(2) REFERENCES crm.country,
  changed timestamptz DEFAULT now(),
  lower_name text GENERATED ALWAYS AS (lower(name)) STORED
);
CREATE INDEX customer_profile ON crm.customer USING gin (profile jsonb_path_ops);
CREATE INDEX customer_tags ON crm.customer USING gin (tags);
CREATE INDEX "customer by Name" ON crm.customer (lower(name), born DESC NULLS LAST) WHERE active;
CREATE TRIGGER touched BEFORE UPDATE ON crm.customer FOR EACH ROW EXECUTE FUNCTION crm.touch();
CREATE TABLE crm.address (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  customer uuid NOT NULL REFERENCES crm.customer ON DELETE CASCADE,
  street varchar(80) NOT NULL,
  zip varchar(10) COLLATE "C",
  location point,
  area box,
  flags bit(8) NOT NULL DEFAULT B'00000000',
  more bit varying(16),
  network inet,
  EXCLUDE USING gist (area WITH &&) WHERE (id < 0)
);
CREATE TABLE crm.product (
  id int PRIMARY KEY,
  title text NOT NULL,
  rating real,
  weight double precision,
  document json
);
CREATE TABLE crm."Order" (
  "Id" bigint PRIMARY KEY,
  "Customer Id" uuid NOT NULL REFERENCES crm.customer,
  "select" int,
  "Total" numeric(12,2) NOT NULL,
  "from" date,
  "user" text,
  "a ""quoted"" name" text
);
CREATE TABLE crm.visit (
  id bigint NOT NULL,
  customer uuid,
  started timestamptz NOT NULL,
  took interval,
  page text,
  detail jsonb
) PARTITION BY RANGE (started);
CREATE TABLE crm.visit_2025h1 PARTITION OF crm.visit
  FOR VALUES FROM ('2025-01-01 00:00:00+00') TO ('2025-07-01 00:00:00+00');
CREATE TABLE crm.visit_2025h2 PARTITION OF crm.visit
  FOR VALUES FROM ('2025-07-01 00:00:00+00') TO ('2026-01-01 00:00:00+00');
CREATE TABLE crm.visit_rest PARTITION OF crm.visit DEFAULT;
CREATE INDEX visit_started ON crm.visit USING brin (started);
CREATE TABLE crm.ticket (
  id int NOT NULL,
  state text NOT NULL,
  customer uuid REFERENCES crm.customer,
  opened timestamp NOT NULL,
  subject text,
  PRIMARY KEY (id, state)
) PARTITION BY LIST (state);
CREATE TABLE crm.ticket_open PARTITION OF crm.ticket FOR VALUES IN ('open', 'waiting');
CREATE TABLE crm."ticket_Closed" PARTITION OF crm.ticket FOR VALUES IN ('closed');
CREATE TABLE crm.ticket_other PARTITION OF crm.ticket DEFAULT;
CREATE TABLE crm.note (
  ticket int NOT NULL,
  state text NOT NULL,
  position smallint NOT NULL,
  body text,
  searched tsvector GENERATED ALWAYS AS (to_tsvector('simple', coalesce(body, ''))) STORED,
  PRIMARY KEY (ticket, state, position),
  FOREIGN KEY (ticket, state) REFERENCES crm.ticket (id, state)
);
CREATE INDEX note_searched ON crm.note USING gin (searched);
CREATE TABLE crm.person (id int PRIMARY KEY, name text, mail crm.email);
CREATE TABLE crm.employee (salary numeric(10,2), desk text) INHERITS (crm.person);
CREATE UNLOGGED TABLE crm.web_session (
  token uuid PRIMARY KEY,
  customer uuid,
  data jsonb,
  expires timestamptz
);
CREATE TABLE crm.nobody (id int PRIMARY KEY, reason text, at timestamptz);

CREATE TABLE sales.product (
  id int PRIMARY KEY,
  sku varchar(20) NOT NULL UNIQUE,
  title text NOT NULL,
  net numeric(12,4) NOT NULL,
  vat sales.percent,
  gross numeric(14,4) GENERATED ALWAYS AS (net * (1 + 0.19)) STORED,
  valid daterange,
  prices numeric(10,2)[],
  attributes jsonb,
  category text
);
CREATE TABLE sales."order" (
  id bigint PRIMARY KEY,
  customer uuid NOT NULL REFERENCES crm.customer,
  placed timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'new',
  total numeric(12,2),
  ship_to jsonb,
  paid sales.money_amount
);
CREATE INDEX ON sales."order" (customer, placed DESC) INCLUDE (total);
CREATE TABLE sales.order_line (
  "order" bigint NOT NULL REFERENCES sales."order",
  line smallint NOT NULL,
  product int NOT NULL REFERENCES sales.product (id),
  quantity int NOT NULL CHECK (quantity > 0),
  price numeric(12,4) NOT NULL,
  discount sales.percent,
  PRIMARY KEY ("order", line)
);
CREATE TABLE sales.payment (
  id bigint NOT NULL PRIMARY KEY,
  "order" bigint NOT NULL,
  amount numeric NOT NULL,
  method text,
  at timestamptz NOT NULL
) PARTITION BY HASH (id);
CREATE TABLE sales.payment_0 PARTITION OF sales.payment FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE sales.payment_1 PARTITION OF sales.payment FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE sales.payment_2 PARTITION OF sales.payment FOR VALUES WITH (MODULUS 3, REMAINDER 2);
CREATE TABLE sales.stock (
  product int NOT NULL REFERENCES sales.product,
  warehouse varchar(8) NOT NULL,
  counted date,
  quantity int,
  reserved int,
  free int GENERATED ALWAYS AS (quantity - reserved) VIRTUAL,
  PRIMARY KEY (product, warehouse)
);
CREATE TABLE sales.address (
  id int PRIMARY KEY,
  warehouse varchar(8) UNIQUE,
  street text,
  spot point
);
CREATE TABLE sales.price_change (
  product int REFERENCES sales.product,
  during tstzrange,
  old numeric(12,4),
  new numeric(12,4),
  reason text
);

CREATE VIEW sales.open_order AS
  SELECT o.id, o.customer, o.placed, o.total FROM sales."order" AS o WHERE o.state <> 'done';
CREATE VIEW crm."Best Customer" AS
  SELECT c.id, c.name AS "Full Name", sum(o.total) AS revenue
  FROM crm.customer c JOIN sales."order" o ON o.customer = c.id
  GROUP BY c.id, c.name HAVING sum(o.total) > 100;
CREATE MATERIALIZED VIEW sales.revenue_by_day AS
  SELECT (o.placed AT TIME ZONE 'UTC')::date AS day, count(*) AS orders, sum(o.total) AS revenue
  FROM sales."order" o GROUP BY 1;
CREATE UNIQUE INDEX revenue_day ON sales.revenue_by_day (day);
ALTER TABLE crm.web_session ENABLE ROW LEVEL SECURITY;
CREATE POLICY everybody ON crm.web_session USING (true);
COMMENT ON COLUMN sales."order".paid IS 'CREATE TABLE sales.fake (id int); -- no';

CREATE EXTENSION postgres_fdw;
CREATE SERVER suppliers FOREIGN DATA WRAPPER postgres_fdw
  OPTIONS (host '127.0.0.1', port '{port}', dbname '{database}');
CREATE USER MAPPING FOR CURRENT_USER SERVER suppliers
  OPTIONS (user 'web_shop_reader', password 'reads');
CREATE FOREIGN TABLE sales.supplier (id int, title text, rating real) SERVER suppliers
  OPTIONS (schema_name 'crm', table_name 'product');
GRANT USAGE ON SCHEMA crm TO web_shop_reader;
GRANT SELECT ON crm.product TO web_shop_reader;
