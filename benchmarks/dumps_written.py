"""Seeded dumps of a given size, as ``pg_dump`` and ``mysqldump`` write them."""

import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

_TABLES = ("customer", "sale", "item", "visit")
_WORDS = (
    "red",
    "it's",
    "back\\slash",
    "naïve",
    "a;b",
    "(c",
    "COPY x FROM stdin;",
    "-- no",
    "tab\t",
)
_BATCH_ROWS = 1_000
_INSERT_CHARACTERS = 1_000_000

Row = tuple[int, str, str, str | None]
Rows = Mapping[str, int]


def rows(draw: random.Random) -> Iterator[Row]:
    """Yield rows without end: drawn in batches, which are repeated with other numbers."""
    batch = [_row(draw) for _ in range(_BATCH_ROWS)]
    number = 0
    while True:
        for name, price, note in batch:
            number += 1
            yield number, name, price, note


def _row(draw: random.Random) -> tuple[str, str, str | None]:
    name = " ".join(draw.choices(_WORDS, k=draw.randint(1, 4)))
    price = f"{draw.randint(0, 99_999)}.{draw.randint(0, 99):02}"
    note = " ".join(draw.choices(_WORDS, k=draw.randint(3, 12))) if draw.random() < 0.7 else None
    return name, price, note


def pg_dump(file: Path, size_bytes: int, seed: int) -> Rows:
    """Write the data with COPY; return the rows of each table."""

    def data(table: str, drawn: Iterator[Row], most: int) -> Iterator[tuple[str, int]]:
        yield f"COPY public.{table} (id, name, price, note) FROM stdin;\n", 0
        size = 0
        while size < most:
            values = [_copied(value) for value in next(drawn)]
            line = "\t".join(values) + "\n"
            size += len(line)
            yield line, 1
        yield "\\.\n\n\n", 0

    return _written(file, size_bytes, seed, (_PG_HEAD, _PG_TABLE), data)


def pg_dump_inserts(file: Path, size_bytes: int, seed: int) -> Rows:
    """Write the data with an INSERT a row, as with --inserts; return the rows of each table."""

    def data(table: str, drawn: Iterator[Row], most: int) -> Iterator[tuple[str, int]]:
        size = 0
        while size < most:
            number, name, price, note = next(drawn)
            values = f"{number}, {_quoted(name)}, {price}, {_quoted(note)}"
            line = f"INSERT INTO public.{table} VALUES ({values});\n"
            size += len(line)
            yield line, 1

    return _written(file, size_bytes, seed, (_PG_HEAD, _PG_TABLE), data)


def mysqldump(file: Path, size_bytes: int, seed: int) -> Rows:
    """Write the data in INSERTs of lines of about a megabyte; return the rows of each table."""

    def data(table: str, drawn: Iterator[Row], most: int) -> Iterator[tuple[str, int]]:
        yield f"LOCK TABLES `{table}` WRITE;\n/*!40000 ALTER TABLE `{table}` DISABLE KEYS */;\n", 0
        size = 0
        while size < most:
            values: list[str] = []
            length = 0
            while length < min(_INSERT_CHARACTERS, most - size):
                number, name, price, note = next(drawn)
                values.append(f"({number},{_escaped(name)},{price},{_escaped(note)})")
                length += len(values[-1])
            size += length
            yield f"INSERT INTO `{table}` VALUES {','.join(values)};\n", len(values)
        yield f"/*!40000 ALTER TABLE `{table}` ENABLE KEYS */;\nUNLOCK TABLES;\n", 0

    return _written(file, size_bytes, seed, (_MYSQL_HEAD, _MYSQL_TABLE), data)


FORMATS: Mapping[str, Callable[[Path, int, int], Rows]] = {
    "pg_dump": pg_dump,
    "pg_dump --inserts": pg_dump_inserts,
    "mysqldump": mysqldump,
}


def _written(
    file: Path,
    size_bytes: int,
    seed: int,
    texts: tuple[str, str],
    data: Callable[[str, Iterator[Row], int], Iterator[tuple[str, int]]],
) -> Rows:
    drawn = rows(random.Random(seed))
    counted = dict.fromkeys(_TABLES, 0)
    with file.open("w", encoding="utf-8", newline="") as out:
        head, define = texts
        out.write(head)
        for table in _TABLES:
            out.write(define.replace("TABLE_NAME", table))
            for text, number in data(table, drawn, size_bytes // len(_TABLES)):
                counted[table] += number
                out.write(text)
    return counted


def _copied(value: int | str | None) -> str:
    if value is None:
        return "\\N"
    return str(value).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def _quoted(value: str | None) -> str:
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'"


def _escaped(value: str | None) -> str:
    if value is None:
        return "NULL"
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


_PG_HEAD = """--
-- PostgreSQL database dump
--

\\restrict seeded

SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SELECT pg_catalog.set_config('search_path', '', false);

"""
_PG_TABLE = """--
-- Name: TABLE_NAME; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.TABLE_NAME (
    id integer NOT NULL,
    name character varying(100),
    price numeric(10,2),
    note text
);


"""
_MYSQL_HEAD = """-- MySQL dump 10.13  Distrib 8.0.33, for Linux (x86_64)
--
-- Host: localhost    Database: shop
-- ------------------------------------------------------

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!50503 SET NAMES utf8mb4 */;

"""
_MYSQL_TABLE = """DROP TABLE IF EXISTS `TABLE_NAME`;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `TABLE_NAME` (
  `id` int NOT NULL,
  `name` varchar(100) DEFAULT NULL,
  `price` decimal(10,2) DEFAULT NULL,
  `note` text,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

"""
