"""Small dumps, drawn at random, with the definitions and rows that a reader has to find."""

import random
from collections import Counter

AWKWARD = (
    *("", "it's", "a;b", "x);", "(c", "),(", "CREATE TABLE no (a int);", "é", "-- no", "/* no"),
    *("INSERT INTO no VALUES (1);", "COPY no FROM stdin;", "$$", "$a$", '"', "`", "#", "GO", "*/"),
    *("back\\slash", "end\\", "\\.", "line\nline", "\nDELIMITER ;;\n", "/*!40101", "\\connect x"),
)


class Written:
    """A dump under way, with what a reader has to find in it; texts are what is no data."""

    def __init__(self, draw: random.Random, banner: str) -> None:
        self.draw = draw
        self.data = b""
        self.texts = b""
        self.definitions: list[tuple[str, int, int]] = []
        self.rows: Counter[str] = Counter()
        self.text(f"-- {banner}\n")

    def text(self, text: str | bytes) -> None:
        self.data += text.encode() if isinstance(text, str) else text
        self.texts += text.encode() if isinstance(text, str) else text

    def define(self, sql: str) -> None:
        self.text(self.draw.choice(["", " ", "\n", "\t", "-- it's\n", "/* ; ' */ "]))
        line = self.data.count(b"\n") + 1
        column = len(self.data[self.data.rfind(b"\n") + 1 :].decode(errors="replace")) + 1
        self.definitions.append((sql, line, column))
        self.text(sql + self.draw.choice([";", " ;", ";\n", "; -- it's\n"]))

    def fill(self, table: str, rows: int, data: bytes) -> None:
        self.rows[table] += rows
        self.data += data

    def values(self) -> list[str]:
        return self.draw.choices(AWKWARD, k=self.draw.randint(1, 4))


def standard(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def escaped(value: str) -> str:
    text = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{text}'"


def copied(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n")


def copy(dump: Written) -> None:
    dump.text("\n")
    rows = [
        b"\t".join(copied(v).encode() for v in dump.values())
        for _ in range(dump.draw.randint(0, 9))
    ]
    rows += [b"\x00\xff raw"] * dump.draw.randint(0, 1)
    dump.draw.shuffle(rows)
    end = dump.draw.choice([b"\n", b"\r\n"])
    head = b'COPY public."a b" (x, "y;z") FROM stdin;'
    dump.fill("a b", len(rows), end.join([head, *rows, b"\\.", b""]))


def insert(dump: Written, name: str, quote, more: tuple[str, ...]) -> None:
    """Rows of one INSERT or of several that follow each other, of one form or another."""
    dump.text("\n")
    columns = dump.draw.choice(["", " (x, y)"])
    for _ in range(dump.draw.randint(1, 4)):
        rows = [
            "(" + ",".join([*map(quote, dump.values()), *dump.draw.sample(more, k=1)]) + ")"
            for _ in range(dump.draw.randint(1, 5))
        ]
        gap = dump.draw.choice([",", ", ", ",\n  "])
        tail = dump.draw.choice(["", "", " ON CONFLICT (x, (y)) DO NOTHING"])
        sql = f"INSERT INTO {name}{columns} VALUES {gap.join(rows)}{tail}"
        dump.fill("t", len(rows), sql.encode())
        dump.text(";" + dump.draw.choice(["\n", "\r\n", ""]))
    dump.text("\n")


def pg_dump(draw: random.Random) -> Written:
    dump = Written(draw, "PostgreSQL database dump")
    body = "$$\nBEGIN\nINSERT INTO t VALUES (1);\nCOPY t FROM stdin;\nit's\nEND $$"
    steps = (
        lambda: dump.define(f"CREATE TABLE a (x text DEFAULT {standard(draw.choice(AWKWARD))})"),
        lambda: dump.define(f"create function f() returns trigger AS {body}"),
        lambda: dump.define("ALTER TABLE ONLY public.a ADD PRIMARY KEY (x)"),
        lambda: dump.text(f"SELECT lowrite(0, {standard(draw.choice(AWKWARD))});\n"),
        lambda: dump.text("\n\\restrict it's\n"),
        lambda: dump.text(r"SELECT E'it\'s; CREATE TABLE no (a int);' /* /* ; */ ' */;" + "\n"),
        lambda: copy(dump),
        lambda: insert(
            dump, "public.t", standard, ("1", "now()", r"E'\'),('", "((1))", "$x$),('$x$", "-1")
        ),
    )
    for _ in range(draw.randint(1, 12)):
        draw.choice(steps)()
    return dump


def mysqldump(draw: random.Random) -> Written:
    dump = Written(draw, draw.choice(["MySQL dump 10.13", "MariaDB dump 10.19"]))
    program = "DELIMITER ;;\nCREATE TRIGGER g BEGIN INSERT INTO t VALUES (1); END ;;\nDELIMITER ;"

    def routine() -> None:
        dump.text("\n")
        dump.data += program.encode()
        dump.text("\n")

    steps = (
        lambda: dump.define(f"CREATE TABLE `a` (x text DEFAULT {escaped(draw.choice(AWKWARD))})"),
        lambda: dump.define("DROP TABLE IF EXISTS `a;b`"),
        lambda: dump.text("LOCK TABLES `t` WRITE;\n/*!40101 SET NAMES utf8 */;\n# it's\n"),
        routine,
        lambda: insert(dump, "`t`", escaped, ("1", "NULL", "_binary 'a\\0\\''", "POINT(1,(2))")),
    )
    for _ in range(draw.randint(1, 12)):
        draw.choice(steps)()
    return dump


KINDS = {"postgres": pg_dump, "mysql": mysqldump}
