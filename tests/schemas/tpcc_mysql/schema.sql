-- MySQL dump 10.13  Distrib 8.0.33, for Linux (x86_64)
--
-- Host: localhost    Database: tpcc
-- ------------------------------------------------------
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;

DROP TABLE IF EXISTS `customer`;
-- rows: 30_000
CREATE TABLE `customer` (
  `c_id` int NOT NULL,
  `c_d_id` tinyint NOT NULL,
  `c_w_id` smallint NOT NULL,
  `c_first` varchar(16) DEFAULT NULL,
  `c_middle` char(2) DEFAULT NULL,
  `c_last` varchar(16) DEFAULT NULL,
  `c_since` datetime DEFAULT NULL,
  `c_credit` char(2) DEFAULT NULL,
  `c_credit_lim` bigint DEFAULT NULL,
  `c_discount` decimal(4,2) DEFAULT NULL,
  `c_balance` decimal(12,2) DEFAULT NULL,
  `c_ytd_payment` decimal(12,2) DEFAULT NULL,
  `c_payment_cnt` smallint DEFAULT NULL,
  `c_delivery_cnt` smallint DEFAULT NULL,
  `c_data` mediumtext,
  PRIMARY KEY (`c_w_id`,`c_d_id`,`c_id`),
  KEY `idx_customer` (`c_w_id`,`c_d_id`,`c_last`(8),`c_first` DESC),
  CONSTRAINT `fkey_customer_1` FOREIGN KEY (`c_w_id`, `c_d_id`) REFERENCES `district` (`d_w_id`, `d_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3 ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8;

-- rows: 10
CREATE TABLE `district` (
  `d_id` tinyint NOT NULL,
  `d_w_id` smallint NOT NULL,
  `d_name` varchar(10) DEFAULT NULL,
  `d_city` varchar(20) DEFAULT NULL,
  `d_tax` decimal(4,4) DEFAULT NULL,
  `d_ytd` decimal(12,2) DEFAULT NULL,
  `d_next_o_id` int DEFAULT NULL,
  PRIMARY KEY (`d_w_id`,`d_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3;

-- rows: 30_000
CREATE TABLE `history` (
  `h_c_id` int DEFAULT NULL,
  `h_c_d_id` tinyint DEFAULT NULL,
  `h_c_w_id` smallint DEFAULT NULL,
  `h_d_id` tinyint DEFAULT NULL,
  `h_w_id` smallint DEFAULT NULL,
  `h_date` datetime(6) DEFAULT NULL,
  `h_amount` decimal(6,2) DEFAULT NULL,
  `h_data` varchar(24) DEFAULT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3;

-- rows: 100_000
CREATE TABLE `item` (
  `i_id` int NOT NULL,
  `i_im_id` int DEFAULT NULL,
  `i_name` varchar(24) DEFAULT NULL,
  `i_price` decimal(5,2) DEFAULT NULL,
  `i_data` varchar(50) DEFAULT NULL,
  PRIMARY KEY (`i_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3;

-- rows: 9_000
CREATE TABLE `new_orders` (
  `no_o_id` int NOT NULL,
  `no_d_id` tinyint NOT NULL,
  `no_w_id` smallint NOT NULL,
  PRIMARY KEY (`no_w_id`,`no_d_id`,`no_o_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3;

-- rows: 300_000
CREATE TABLE `order_line` (
  `ol_o_id` int NOT NULL,
  `ol_d_id` tinyint NOT NULL,
  `ol_w_id` smallint NOT NULL,
  `ol_number` tinyint NOT NULL,
  `ol_i_id` int DEFAULT NULL,
  `ol_supply_w_id` smallint DEFAULT NULL,
  `ol_delivery_d` datetime DEFAULT NULL,
  `ol_quantity` tinyint DEFAULT NULL,
  `ol_amount` decimal(6,2) DEFAULT NULL,
  `ol_dist_info` char(24) DEFAULT NULL,
  PRIMARY KEY (`ol_w_id`,`ol_d_id`,`ol_o_id`,`ol_number`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3
/*!50100 PARTITION BY HASH (`ol_w_id`)
PARTITIONS 4 */;

-- rows: 30_000
CREATE TABLE `orders` (
  `o_id` int NOT NULL,
  `o_d_id` tinyint NOT NULL,
  `o_w_id` smallint NOT NULL,
  `o_c_id` int DEFAULT NULL,
  `o_entry_d` datetime DEFAULT NULL,
  `o_carrier_id` tinyint DEFAULT NULL,
  `o_ol_cnt` tinyint DEFAULT NULL,
  `o_all_local` bit(1) DEFAULT b'1',
  PRIMARY KEY (`o_w_id`,`o_d_id`,`o_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3;

-- rows: 100_000
CREATE TABLE `stock` (
  `s_i_id` int NOT NULL,
  `s_w_id` smallint NOT NULL,
  `s_quantity` smallint DEFAULT NULL,
  `s_dist_01` char(24) DEFAULT NULL,
  `s_ytd` decimal(8,0) DEFAULT NULL,
  `s_order_cnt` smallint DEFAULT NULL,
  `s_data` varchar(50) DEFAULT NULL,
  `s_low` tinyint(1) GENERATED ALWAYS AS (`s_quantity` < 10) VIRTUAL,
  PRIMARY KEY (`s_w_id`,`s_i_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3;

-- rows: 1
CREATE TABLE `warehouse` (
  `w_id` smallint NOT NULL,
  `w_name` varchar(10) DEFAULT NULL,
  `w_tax` decimal(4,2) DEFAULT NULL,
  `w_ytd` decimal(12,2) DEFAULT NULL,
  PRIMARY KEY (`w_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3;
-- Dump completed on 2024-01-15 10:00:00
