"""The commands of a migration as files, each of one store or for Spark, run in order of name."""

import re
from collections.abc import Iterator, Mapping, Sequence

from advisor.report.text.migration_text import described
from evaluation.migration_sql import Command
from placement.movement.migration_steps import Step
from workloads.one_line import one_line

ORDER = "README.txt"
_ODD = re.compile(r"[^\w.]+")
_SESSION = (
    "from pyspark.sql import SparkSession",
    "",
    "spark = SparkSession.builder.getOrCreate()",
)


def migration_files(
    title: str, steps: Sequence[Step], preamble: Command, commands: Sequence[Sequence[Command]]
) -> Mapping[str, str]:
    """Return name → text of a file for each command, and one that tells how they are run.

    A file of SQL is for one store's own client, one of Python for `spark-submit`. Each can be run
    as it is, once those before it were.
    """
    width = len(str(len(steps)))
    files: dict[str, str] = {}
    listed = []
    for number, (step, of_step) in enumerate(zip(steps, commands, strict=True), start=1):
        told = f"{number} {one_line(described(step))}"
        listed += ["", told]
        for part, command in enumerate(of_step, start=1):
            name = f"{number:0{width}}-{part}-{step.kind}-{_plain(step.table)}.{_suffix(command)}"
            mark = "#" if command.language == "pyspark" else "--"
            lines = [f"{mark} {title}", f"{mark} {told}", *_lines(command, preamble)]
            files[name] = "\n".join(lines) + "\n"
            listed.append(f"  {name}")
    # Last: where it is, all are.
    return {**files, ORDER: "\n".join((*_head(title), *listed)) + "\n"}


def _head(title: str) -> Iterator[str]:
    yield title
    yield ""
    yield "Run the files in the order of their names. The next one needs all before it."
    yield "NAME.STORE.sql is for that store's own client, which has to stop at the first error:"
    yield "psql -v ON_ERROR_STOP=1 -f FILE, mariadb < FILE, duckdb -bail DATABASE < FILE."
    yield "NAME.spark.py is for spark-submit, with the JDBC drivers of the stores as --jars."
    yield "Stop where the two rows of a verification differ: the copy read so far stays."


def _lines(command: Command, preamble: Command) -> Iterator[str]:
    if command.language == "pyspark":
        yield from preamble.text
        yield from ("", *_SESSION, "")
        yield from command.text
    else:
        yield f"-- in {command.store}:"
        yield from (f"{statement};" for statement in command.text)


def _suffix(command: Command) -> str:
    return "spark.py" if command.language == "pyspark" else f"{_plain(str(command.store))}.sql"


def _plain(name: str) -> str:
    """Return a name as a part of a file's name: letters, digits and underscores."""
    return _ODD.sub("_", name).replace(".", "_")
