INSERT INTO product (id, title, price, on_sale, flags, size, channels, attributes, picture)
  SELECT i, CONCAT('Product ', i, ' \'n; "more"'), PICK(i, 1, 100000) / 100, PICK(i, 2, 2) = 1,
    PICK(i, 3, 4096), 1 + PICK(i, 4, 4), PICK(i, 5, 8),
    JSON_OBJECT('colour', ELT(1 + PICK(i, 6, 3), 'red', 'green', 'blue'), 'tags', JSON_ARRAY('a', PICK(i, 7, 9))),
    CASE WHEN PICK(i, 8, 10) = 0 THEN CONCAT(UNHEX(MD5(i)), 0x00275C0A1A) END
  FROM SERIES(web_shop.product);
INSERT INTO customer (id, uuid, name, mail, born, wakes, seen, points, newsletter)
  SELECT i, LOWER(CONCAT_WS('-', SUBSTR(MD5(CONCAT('customer', i)), 1, 8), SUBSTR(MD5(CONCAT('customer', i)), 9, 4),
      SUBSTR(MD5(CONCAT('customer', i)), 13, 4), SUBSTR(MD5(CONCAT('customer', i)), 17, 4),
      SUBSTR(MD5(CONCAT('customer', i)), 21, 12))),
    CONCAT('Customer ', i), CASE WHEN PICK(i, 1, 9) > 0 THEN CONCAT('c', i, '@shop.example') END,
    1950 + PICK(i, 2, 60), SEC_TO_TIME(PICK(i, 3, 86400)),
    TIMESTAMP '2025-01-01 00:00:00' + INTERVAL PICK(i, 4, 31536000) SECOND, PICK(i, 5, 9999), PICK(i, 6, 2)
  FROM SERIES(web_shop.customer);
INSERT INTO address
  SELECT i, 1 + PICK(i, 1, web_shop.customer), CONCAT('Street\\', i, '\t'),
    POINT(PICK(i, 2, 180) - 90, PICK(i, 3, 180) - 90), ST_GeomFromText('LINESTRING(0 0, 1 1)')
  FROM SERIES(web_shop.address);
INSERT INTO `order` (id, customer, placed, `group`, total, detail)
  SELECT i, 1 + PICK(i, 1, web_shop.customer),
    TIMESTAMP '2025-01-01 00:00:00' + INTERVAL PICK(i, 2, 31536000) SECOND, CONCAT('g', PICK(i, 3, 5)),
    PICK(i, 4, 100000) / 100, JSON_OBJECT('city', CONCAT('City ', PICK(i, 5, 50)), 'gift', PICK(i, 6, 2) = 1)
  FROM SERIES(web_shop.order);
INSERT INTO `Order_Item`
  SELECT 1 + (i - 1) % web_shop.order, (i - 1) DIV web_shop.order, 1 + PICK(i, 1, web_shop.product),
    1 + PICK(i, 2, 5), PICK(i, 3, 10000) / 100
  FROM SERIES(web_shop.Order_Item);
INSERT INTO page_view
  SELECT i, DATE '2025-01-01' + INTERVAL PICK(i, 1, 365) DAY,
    CASE WHEN PICK(i, 2, 3) > 0 THEN 1 + PICK(i, 3, web_shop.customer) END,
    CONCAT('/page/', PICK(i, 4, 300), '?q=\'', PICK(i, 5, 10)), PICK(i, 6, 3000)
  FROM SERIES(web_shop.page_view);
INSERT INTO basket
  SELECT i, i % 4, TIMESTAMP '2025-01-01 00:00:00' + INTERVAL PICK(i, 1, 31536000) SECOND,
    JSON_ARRAY(PICK(i, 2, 100), PICK(i, 3, 100))
  FROM SERIES(web_shop.basket);
INSERT INTO click
  SELECT i, 1 + PICK(i, 1, web_shop.page_view), PICK(i, 2, 1920) / 3, PICK(i, 3, 1080) / 7,
    SEC_TO_TIME(PICK(i, 4, 86400))
  FROM SERIES(web_shop.click);
INSERT INTO `basket-item`
  SELECT 1 + (i - 1) % web_shop.basket, 1 + (i - 1) DIV web_shop.basket, 1 + PICK(i, 1, 5)
  FROM SERIES(web_shop.basket-item);
INSERT INTO review (id, product, stars, body, digest, thumb)
  SELECT i, 1 + PICK(i, 1, web_shop.product), 1 + PICK(i, 2, 5), CONCAT('word', PICK(i, 3, 500), '\nmore (', i, ');'),
    UNHEX(MD5(i)), CASE WHEN PICK(i, 4, 4) = 0 THEN UNHEX('00FF27') END
  FROM SERIES(web_shop.review);
INSERT INTO category SELECT i, CASE WHEN i > 1 THEN i DIV 2 END, CONCAT('Category ', i) FROM SERIES(web_shop.category);
INSERT INTO `key` SELECT CONCAT('key', i), REPEAT('v', PICK(i, 1, 40)), PICK(i, 2, 10) FROM SERIES(web_shop.key);
CREATE TRIGGER order_touched BEFORE UPDATE ON `order` FOR EACH ROW SET NEW.`group` = lower(NEW.`group`);
