INSERT INTO crm.country
  SELECT chr(65 + (i / 26) % 26) || chr(65 + i % 26), 'Country ' || i, PICK(i, 1, 100000) / 1000.0
  FROM SERIES(crm.country);
INSERT INTO crm.customer
  SELECT md5('customer' || i)::uuid, i, 'Customer ''' || i || '''; ' || PICK(i, 1, 1000),
    'c' || i || '@shop.example',
    (enum_range(NULL::crm.segment))[1 + PICK(i, 2, 3)],
    jsonb_build_object('age', 18 + PICK(i, 3, 70), 'langs', jsonb_build_array('de', 'en'),
      'address', jsonb_build_object('city', 'City ' || PICK(i, 4, 50)), 'vip', PICK(i, 5, 10) = 0),
    CASE WHEN PICK(i, 6, 5) = 0 THEN '{}' ELSE ARRAY['tag' || PICK(i, 7, 9), 'a,b', 'it''s "x"'] END,
    CASE WHEN PICK(i, 6, 4) > 0 THEN ARRAY[PICK(i, 8, 99)::int, NULL, 7] END,
    CASE PICK(i, 9, 50) WHEN 0 THEN NULL ELSE PICK(i, 9, 1000000) / 997.0 END,
    CASE WHEN PICK(i, 10, 20) = 0 THEN decode(md5(i::text), 'hex') || '\x00275c0a'::bytea END,
    time '00:00' + PICK(i, 11, 86400) * interval '1 second',
    (time '00:00' + PICK(i, 12, 86400) * interval '1 second')::time AT TIME ZONE 'UTC',
    PICK(i, 13, 400) * interval '1 day' + interval '2 hours',
    date '1950-01-01' + PICK(i, 14, 20000)::int, PICK(i, 15, 3) > 0,
    chr(65 + (1 + PICK(i, 16, crm.country)::int) / 26 % 26) || chr(65 + (1 + PICK(i, 16, crm.country)::int) % 26),
    timestamptz '2025-01-01 00:00+00' + PICK(i, 17, 31536000) * interval '1 second'
  FROM SERIES(crm.customer);
INSERT INTO crm.address (customer, street, zip, location, area, flags, more, network)
  SELECT md5('customer' || 1 + PICK(i, 1, crm.customer))::uuid, 'Street\' || i || E'\tx',
    lpad(PICK(i, 2, 99999)::text, 5, '0'), point(PICK(i, 3, 360) - 180, PICK(i, 4, 180) - 90),
    box(point(i, i), point(i + 0.5, i + 0.5)), PICK(i, 5, 256)::int::bit(8), B'101',
    '10.0.0.0'::inet + PICK(i, 6, 65000)
  FROM SERIES(crm.address);
INSERT INTO crm.product
  SELECT i, 'Product ' || i, PICK(i, 1, 50) / 10.0, PICK(i, 2, 10000) / 7.0,
    json_build_object('colour', (ARRAY['red', 'green', 'blue'])[1 + PICK(i, 3, 3)], 'n', i)
  FROM SERIES(crm.product);
INSERT INTO crm."Order"
  SELECT i, md5('customer' || 1 + PICK(i, 1, crm.customer))::uuid, PICK(i, 2, 10),
    PICK(i, 3, 100000) / 100.0, date '2024-01-01' + PICK(i, 4, 700)::int, 'user' || PICK(i, 5, 50),
    CASE WHEN PICK(i, 6, 3) = 0 THEN 'x"y' END
  FROM SERIES(crm.Order);
INSERT INTO crm.visit
  SELECT i, md5('customer' || 1 + PICK(i, 1, crm.customer))::uuid,
    timestamptz '2024-12-01 00:00+00' + PICK(i, 2, 35000000) * interval '1 second',
    PICK(i, 3, 3600) * interval '1 second', '/page/' || PICK(i, 4, 200),
    jsonb_build_object('ms', PICK(i, 5, 3000), 'ref', 'r' || PICK(i, 6, 20))
  FROM SERIES(crm.visit);
INSERT INTO crm.ticket
  SELECT i, (ARRAY['open', 'waiting', 'closed', 'closed', 'lost'])[1 + i % 5],
    md5('customer' || 1 + PICK(i, 1, crm.customer))::uuid,
    timestamp '2025-01-01 00:00' + PICK(i, 2, 31536000) * interval '1 second', 'Subject ' || i
  FROM SERIES(crm.ticket);
INSERT INTO crm.note
  SELECT 1 + (i - 1) % crm.ticket, (ARRAY['open', 'waiting', 'closed', 'closed', 'lost'])[1 + (1 + (i - 1) % crm.ticket) % 5],
    (i - 1) / crm.ticket, 'word' || PICK(i, 1, 500) || ' and word' || PICK(i, 2, 500)
  FROM SERIES(crm.note);
INSERT INTO crm.person SELECT i, 'Person ' || i, 'p' || i || '@shop.example' FROM SERIES(crm.person);
INSERT INTO crm.employee
  SELECT 1000000 + i, 'Employee ' || i, NULL, PICK(i, 1, 900000) / 100.0, 'D' || i FROM SERIES(crm.employee);
INSERT INTO crm.web_session
  SELECT md5('session' || i)::uuid, md5('customer' || 1 + PICK(i, 1, crm.customer))::uuid,
    jsonb_build_object('items', jsonb_build_array(PICK(i, 2, 100), PICK(i, 3, 100))),
    timestamptz '2026-01-01 00:00+00' + i * interval '1 second'
  FROM SERIES(crm.web_session);
INSERT INTO sales.product (id, sku, title, net, vat, valid, prices, attributes, category)
  SELECT i, 'SKU-' || i, 'Product ' || i, PICK(i, 1, 1000000) / 10000.0, PICK(i, 2, 20),
    daterange(date '2024-01-01' + PICK(i, 3, 100)::int, NULL),
    ARRAY[PICK(i, 4, 1000) / 100.0, PICK(i, 5, 1000) / 100.0],
    jsonb_build_object('size', PICK(i, 6, 5), 'tags', jsonb_build_array('t' || PICK(i, 7, 9))),
    'Category ' || PICK(i, 8, 12)
  FROM SERIES(sales.product);
INSERT INTO sales."order"
  SELECT i, md5('customer' || 1 + PICK(i, 1, crm.customer))::uuid,
    timestamptz '2025-01-01 00:00+00' + PICK(i, 2, 31536000) * interval '1 second',
    (ARRAY['new', 'paid', 'done', 'done'])[1 + PICK(i, 3, 4)], PICK(i, 4, 50000) / 100.0,
    jsonb_build_object('zip', lpad(PICK(i, 5, 99999)::text, 5, '0')), ROW(PICK(i, 6, 500), 'EUR'::char(3))::sales.money_amount
  FROM SERIES(sales.order);
INSERT INTO sales.order_line
  SELECT 1 + (i - 1) % sales.order, (i - 1) / sales.order, 1 + PICK(i, 1, sales.product),
    1 + PICK(i, 2, 9), PICK(i, 3, 1000000) / 10000.0, PICK(i, 4, 30)
  FROM SERIES(sales.order_line);
INSERT INTO sales.payment
  SELECT i, 1 + PICK(i, 1, sales.order), PICK(i, 2, 1000000) / 7.0,
    (ARRAY['card', 'cash', 'bank'])[1 + PICK(i, 3, 3)],
    timestamptz '2025-01-01 00:00+00' + PICK(i, 4, 31536000) * interval '1 second'
  FROM SERIES(sales.payment);
INSERT INTO sales.stock (product, warehouse, counted, quantity, reserved)
  SELECT 1 + (i - 1) % sales.product, 'W' || (i - 1) / sales.product,
    date '2025-06-01' + PICK(i, 1, 90)::int, PICK(i, 2, 500), PICK(i, 3, 50)
  FROM SERIES(sales.stock);
INSERT INTO sales.address
  SELECT i, 'W' || i - 1, 'Dock ' || i, point(PICK(i, 1, 90), PICK(i, 2, 90)) FROM SERIES(sales.address);
INSERT INTO sales.price_change
  SELECT 1 + PICK(i, 1, sales.product),
    tstzrange(timestamptz '2025-01-01 00:00+00' + PICK(i, 2, 1000) * interval '1 hour', NULL),
    PICK(i, 3, 10000) / 100.0, PICK(i, 4, 10000) / 100.0, 'reason; ' || PICK(i, 5, 5)
  FROM SERIES(sales.price_change);
REFRESH MATERIALIZED VIEW sales.revenue_by_day;
