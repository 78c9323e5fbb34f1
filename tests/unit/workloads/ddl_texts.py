"""Texts of DDL that tests read, and what is read of them."""

from pathlib import Path

from workloads.progress import Silent
from workloads.sources.ddl.catalog import definitions

POSTGRESQL = r"""
\connect shop
CREATE TYPE public.mood AS ENUM ('sad', 'happy');
CREATE DOMAIN public.amount AS numeric(12,2) CHECK (VALUE >= 0);
CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CREATE TABLE never (a int); RETURN NEW;
END;
$$;
CREATE TABLE public.customer (
    id integer NOT NULL,
    name character varying(100) DEFAULT 'a,(b'::character varying,
    mood public.mood,
    balance public.amount,
    tags text[],
    created timestamp with time zone DEFAULT now()
);
CREATE TABLE public."Order" (
    id bigint NOT NULL, customer_id integer NOT NULL, EXCLUDE USING gist (id WITH &&)
) PARTITION BY RANGE (id);
CREATE TABLE order_1 PARTITION OF "Order" FOR VALUES FROM (1) TO (10);
COPY public.customer (id, name) FROM stdin;
1	it's; not CREATE TABLE no (a int);
2	c
\.
ALTER TABLE ONLY public.customer ADD CONSTRAINT customer_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public."Order" ADD CONSTRAINT f FOREIGN KEY (customer_id)
    REFERENCES public.customer(id) ON DELETE CASCADE;
CREATE VIEW public.names(n) AS SELECT name FROM public.customer WITH CASCADED CHECK OPTION;
CREATE MATERIALIZED VIEW public.kept AS
 SELECT 1 AS one
  WITH NO DATA;
"""

MYSQL = r"""
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
DROP TABLE IF EXISTS `customer`;
CREATE TABLE `customer` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(255) COLLATE utf8mb4_bin NOT NULL DEFAULT 'a\'b' COMMENT 'the, (name',
  `kind` enum('x','yyy') DEFAULT NULL,
  `key` tinyint(1), `body` longtext, `at` datetime(6) ON UPDATE CURRENT_TIMESTAMP(6),
  PRIMARY KEY (`id`,`name`(10)) USING BTREE,
  UNIQUE KEY `u` (`name`),
  KEY `k` (`kind`), FULLTEXT KEY `f` (`name`),
  CONSTRAINT `c` FOREIGN KEY (`key`) REFERENCES `sort` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB AUTO_INCREMENT=10 COMMENT='x; y'
/*!50100 PARTITION BY RANGE (id)
(PARTITION p0 VALUES LESS THAN (10)) */;
CREATE TABLE sort LIKE customer;
INSERT INTO `customer` VALUES (1,'a(b),(c','x',NULL),(2,'d\'e','yyy',NULL);
INSERT INTO `customer` VALUES (3,'a','x',NULL);
DELIMITER ;;
CREATE TRIGGER `t` BEFORE INSERT ON `customer` FOR EACH ROW BEGIN CREATE TABLE no (a int); END ;;
DELIMITER ;
/*!50001 CREATE VIEW `v` AS SELECT
 1 AS `a`*/;
/*!50001 DROP VIEW IF EXISTS `v`*/;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`%` SQL SECURITY DEFINER */
/*!50001 VIEW `v` AS select `customer`.`id` AS `a` from `customer` */;
"""

TSQL = """
USE [shop]
GO
CREATE TABLE [dbo].[Orders](
	[Id] [int] IDENTITY(1,1) NOT NULL,
	[Note] [nvarchar](max) NULL,
	[Paid] [bit] NOT NULL DEFAULT ((0)),
	[Price] [money],
 CONSTRAINT [PK_Orders] PRIMARY KEY CLUSTERED ([Id] ASC) WITH (PAD_INDEX = OFF) ON [PRIMARY]
) ON [PRIMARY] TEXTIMAGE_ON [PRIMARY]
GO
CREATE TABLE [dbo].[Line]([OrderId] [int] NOT NULL, [No] [int] NOT NULL)
GO
ALTER TABLE [dbo].[Line]  WITH CHECK ADD  CONSTRAINT [FK] FOREIGN KEY([OrderId])
REFERENCES [dbo].[Orders] ([Id])
GO
CREATE TABLE #scratch (a int)
GO
"""


def written(folder: Path, text: str, name: str = "schema.sql") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def read(folder: Path, text: str, dialect: str | None = None, **more):
    return definitions([written(folder, text)], Silent(), dialect=dialect, **more)


def table_of(folder: Path, text: str, dialect: str, name: str = "t"):
    found = read(folder, text, dialect)
    assert found.skipped == ()
    return found.catalog.table(name)


def types(table) -> dict[str, str]:
    return {column.name: column.type for column in table.columns}
