CREATE TABLE product (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  title varchar(80) NOT NULL,
  price decimal(10,2) unsigned NOT NULL,
  gross decimal(12,2) GENERATED ALWAYS AS (price * 1.19) STORED,
  upper_title varchar(80) GENERATED ALWAYS AS (upper(title)) VIRTUAL,
  on_sale bit(1) NOT NULL DEFAULT b'0',
  flags bit(12) DEFAULT NULL,
  size enum('s','m','l','it''s x;l') DEFAULT 'm',
  channels set('web','app','shop') NOT NULL DEFAULT '',
  attributes json DEFAULT NULL,
  picture mediumblob,
  KEY by_price (price DESC, title(10)),
  FULLTEXT KEY words (title)
) COMMENT='Products; of the "shop", it''s not PostgreSQL''s';
CREATE TABLE customer (
  id bigint unsigned NOT NULL PRIMARY KEY,
  uuid char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name varchar(60) NOT NULL,
  mail varchar(100) DEFAULT NULL,
  born year DEFAULT NULL,
  wakes time DEFAULT NULL,
  seen timestamp(6) NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  points mediumint unsigned NOT NULL DEFAULT 0,
  newsletter tinyint(1) NOT NULL DEFAULT '1',
  UNIQUE KEY by_uuid (uuid)
);
CREATE TABLE address (
  id int NOT NULL PRIMARY KEY,
  customer bigint unsigned NOT NULL,
  street varchar(80) NOT NULL COMMENT 'CREATE TABLE nothing (id int);',
  location point NOT NULL,
  shape geometry DEFAULT NULL,
  SPATIAL KEY place (location),
  CONSTRAINT lives FOREIGN KEY (customer) REFERENCES customer (id) ON DELETE CASCADE
);
CREATE TABLE `order` (
  id bigint unsigned NOT NULL PRIMARY KEY,
  customer bigint unsigned NOT NULL,
  placed datetime(3) NOT NULL,
  `group` varchar(20) NOT NULL DEFAULT 'none',
  total decimal(14,4) DEFAULT NULL,
  detail json DEFAULT NULL,
  city varchar(40) GENERATED ALWAYS AS (json_unquote(json_extract(detail, '$.city'))) VIRTUAL,
  KEY by_city (city),
  CONSTRAINT ordered FOREIGN KEY (customer) REFERENCES customer (id),
  CONSTRAINT positive CHECK (total >= 0)
);
CREATE TABLE `Order_Item` (
  `order` bigint unsigned NOT NULL,
  `Line` smallint unsigned NOT NULL,
  product int unsigned NOT NULL,
  quantity smallint NOT NULL,
  price decimal(10,2) NOT NULL,
  PRIMARY KEY (`order`, `Line`),
  KEY by_product (product),
  CONSTRAINT `of order` FOREIGN KEY (`order`) REFERENCES `order` (id),
  CONSTRAINT `of product` FOREIGN KEY (product) REFERENCES product (id)
);
CREATE TABLE page_view (
  id bigint unsigned NOT NULL,
  viewed date NOT NULL,
  customer bigint unsigned DEFAULT NULL,
  url varchar(200) NOT NULL,
  ms int unsigned NOT NULL,
  PRIMARY KEY (id, viewed)
)
PARTITION BY RANGE (year(viewed) * 100 + month(viewed)) (
  PARTITION early VALUES LESS THAN (202504),
  PARTITION middle VALUES LESS THAN (202509),
  PARTITION late VALUES LESS THAN MAXVALUE
);
CREATE TABLE basket (
  id int NOT NULL,
  region tinyint NOT NULL,
  filled datetime DEFAULT NULL,
  items json DEFAULT NULL,
  PRIMARY KEY (id, region)
)
PARTITION BY LIST (region) (
  PARTITION north VALUES IN (0, 1),
  PARTITION south VALUES IN (2, 3)
);
CREATE TABLE click (
  id bigint unsigned NOT NULL PRIMARY KEY,
  view bigint unsigned NOT NULL,
  x float DEFAULT NULL,
  y double DEFAULT NULL,
  happened time(3) NOT NULL
)
PARTITION BY HASH (id) PARTITIONS 4;
CREATE TABLE `basket-item` (
  basket int NOT NULL,
  product int unsigned NOT NULL,
  `how many` tinyint unsigned NOT NULL DEFAULT 1,
  PRIMARY KEY (basket, product)
);
CREATE TABLE review (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  product int unsigned NOT NULL,
  stars tinyint unsigned NOT NULL,
  body text,
  digest varbinary(16) DEFAULT NULL,
  thumb tinyblob,
  KEY by_product (product),
  FULLTEXT KEY words (body)
) ROW_FORMAT=COMPRESSED;
CREATE TABLE category (
  id smallint NOT NULL PRIMARY KEY,
  parent smallint DEFAULT NULL,
  name varchar(40) NOT NULL,
  CONSTRAINT below FOREIGN KEY (parent) REFERENCES category (id)
);
CREATE TABLE `key` (`key` varchar(64) NOT NULL PRIMARY KEY, `value` longtext, `rank` int);
CREATE TABLE empty_cart (id int NOT NULL PRIMARY KEY, abandoned datetime DEFAULT NULL);
CREATE VIEW recent_order AS
  SELECT o.id, o.customer, o.placed, o.total FROM `order` o WHERE o.placed >= '2025-06-01';
CREATE VIEW `Sold Product` AS
  SELECT p.id, p.title AS `the title`, sum(i.quantity * i.price) AS sold
  FROM product p JOIN `Order_Item` i ON i.product = p.id GROUP BY p.id, p.title;
CREATE PROCEDURE tidy_up() BEGIN DELETE FROM empty_cart WHERE id < 0; SELECT count(*) FROM product; END;
