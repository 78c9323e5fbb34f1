"""The steps of a migration as commands: SQL for the stores, PySpark between them.

No command holds a secret: a password is read from the variable or file that the project names.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from evaluation.kinds import JDBC
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.tls_files import KEY_ALIAS
from evaluation.table_statements import TableStatements
from placement.movement.migration_steps import Step
from workloads.catalog import Catalog, Table
from workloads.copied_indexes import with_indexes
from workloads.indexes import NamedIndex
from workloads.measuring.carrying import carried
from workloads.one_line import one_line

_A_DAY_S = 86_400.0
_BATCH_ROWS = 10_000
_NO_PORT = 65_533
_NO_LETTER = re.compile(r"\W")
# Java's drivers read no key in PEM: the user makes a file of PKCS#12 and says where it is.
_KEY_STORE = ("KEY_STORE", "KEY_STORE_PASSWORD")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command: SQL statements for `store`, or Python for a Spark session called `spark`."""

    store: str | None
    language: Literal["sql", "pyspark"]
    text: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationCommands:
    """Writes the commands of steps. `exchange` is a folder that Spark and DuckDB both reach.

    `connections` is store → how to reach it; their passwords are not looked at. Of steps that
    concern a store without SQL it is only said what they are.
    """

    catalog: Catalog
    connections: Mapping[str, Connection]
    exchange: Path

    def preamble(self, steps: Iterable[Step]) -> Command:
        """Return the Python that tells Spark how to reach the stores."""
        names = {name for step in steps for name in (step.source, step.target) if name}
        lines = ["import os", "from pathlib import Path", "", "stores = {"]
        for name, connection in self.connections.items():
            if name in names and connection.kind in JDBC:
                lines.append(f"    {name!r}: {{")
                lines += [f"        {line}" for line in _key_store_made(connection)]
                lines += [f"        {k!r}: {v}," for k, v in _options(connection).items()]
                lines.append("    },")
        return Command(store=None, language="pyspark", text=(*lines, "}"))

    def of(self, steps: Iterable[Step]) -> tuple[tuple[Command, ...], ...]:
        """Return the commands of each step."""
        copied: dict[tuple[str, str | None], float] = {}
        found: list[tuple[Command, ...]] = []
        for step in steps:
            key = (step.table, step.target)
            if self._without_sql(step):
                found.append((self._left_to_us(step),))
            elif step.kind == "copy":
                copied[key] = step.estimated_s
                found.append(self._copy(step))
            elif step.kind == "verify":
                found.append(self._verify(step))
            elif step.kind in ("index", "drop_index"):
                found.append(self._reindex(step))
            elif step.kind == "switch":
                # Only a copy that was made just now is still to appear under its name.
                found.append(self._publish(step, copied.pop(key)) if key in copied else ())
            else:
                found.append((self._sql(str(step.source), self._at(step, step.source).drop()),))
        return tuple(found)

    def _without_sql(self, step: Step) -> bool:
        stores = [name for name in (step.source, step.target) if name is not None]
        return any(self.connections[name].kind not in JDBC for name in stores)

    def _left_to_us(self, step: Step) -> Command:
        """Say that no SQL carries out a step: one of its stores runs none, so it is ours to do."""
        stores = " -> ".join(name for name in (step.source, step.target) if name is not None)
        step_said = f"{step.kind} {one_line(step.table)} ({stores})"
        told = f"# {step_said}: no SQL does it, 'advisor evaluate' will."
        return Command(store=None, language="pyspark", text=(told,))

    def _copy(self, step: Step) -> tuple[Command, ...]:
        target = self._at(step, step.target)
        rows = self._at(step, step.source).rows()
        read = (
            "(",
            f"    spark.read.format('jdbc').options(**stores[{step.source!r}])",
            f"    .option('query', {_python(rows)}).load()",
        )
        store = str(step.target)
        if target.connection.path is None:
            append = (
                f"    .write.format('jdbc').options(**stores[{store!r}])",
                f"    .option('dbtable', {_python(target.staging)})",
                f"    .option('batchsize', {_BATCH_ROWS}).mode('append').save()",
            )
            return (
                self._sql(store, (*target.prepare(), *target.create())),
                Command(store=None, language="pyspark", text=(*read, *append, ")")),
                self._sql(store, target.complete()),
            )
        # DuckDB's file has one writer, which reads Parquet fastest.
        folder = str(self.exchange / step.table)
        write = f"    .write.mode('overwrite').parquet({folder!r})"
        statements = (*target.prepare(), *target.create_from(f"{folder}/*.parquet"))
        return (
            Command(store=None, language="pyspark", text=(*read, write, ")")),
            self._sql(store, (*statements, *target.complete())),
        )

    def _verify(self, step: Step) -> tuple[Command, ...]:
        return (
            self._sql(str(step.source), (self._at(step, step.source).sums(staged=False),)),
            self._sql(str(step.target), (self._at(step, step.target).sums(staged=True),)),
        )

    def _publish(self, step: Step, load_s: float) -> tuple[Command, ...]:
        return (self._sql(str(step.target), self._at(step, step.target).publish(load_s)),)

    def _reindex(self, step: Step) -> tuple[Command, ...]:
        """Change one index of a copy; no query loses the copy meanwhile."""
        store = step.target if step.kind == "index" else step.source
        had = (
            {*step.indexes} - {step.index} if step.kind == "index" else {*step.indexes, step.index}
        )
        before = self._held(step, sorted(filter(None, had)))
        return (self._sql(str(store), self._at(step, store).reindex(before)),)

    def _at(self, step: Step, store: str | None) -> TableStatements:
        held = self._held(step, step.indexes)
        return TableStatements(connection=self.connections[str(store)], table=held)

    def _held(self, step: Step, indexes: Iterable[NamedIndex]) -> Table:
        """Return a step's table as copies hold it, with the indexes that are chosen for one."""
        table = self.catalog.table(step.table)
        # DDL has the types of values, and copies those that values are carried as.
        held = replace(table, columns=tuple(map(carried, table.columns)))
        return with_indexes(held, indexes)

    def _sql(self, store: str, statements: tuple[str, ...]) -> Command:
        return Command(store=store, language="sql", text=statements)


def _options(connection: Connection) -> Mapping[str, str]:
    """Return Spark's option → Python expression of its value; a password is never among them."""
    backend = JDBC[connection.kind]
    # An embedded server that is not up: it has another port each time.
    asleep = connection.password_file is not None and connection.port is None
    tls = replace(connection.tls, certificate=None, key=None)
    port = _NO_PORT if asleep else connection.port
    bare = replace(connection, password=None, port=port, tls=tls)
    options = backend.jdbc(bare, timeout_s=_A_DAY_S, fetch_size=_BATCH_ROWS)
    found = {key: _python(value) for key, value in options.items() if key != "password"}
    if asleep:
        variable = _variable(connection, "PORT")
        before, _, after = options["url"].partition(str(_NO_PORT))
        found["url"] = f"{_python(before)} + os.environ[{variable!r}] + {_python(after)}"
    if connection.password_env is not None:
        found["password"] = f"os.environ[{connection.password_env!r}]"
    elif connection.password_file is not None:
        found["password"] = f"Path({str(connection.password_file)!r}).read_text().strip()"
    if connection.tls.certificate is not None:
        for option, what in zip(backend.key_store_options, _KEY_STORE, strict=True):
            found[option] = f"os.environ[{_variable(connection, what)!r}]"
    return found


def _key_store_made(connection: Connection) -> tuple[str, ...]:
    """Say how a key becomes a file that Java reads, where a store asks for one."""
    if connection.tls.certificate is None:
        return ()
    file, password = (_variable(connection, what) for what in _KEY_STORE)
    return (
        f"# {file} is the file of: openssl pkcs12 -export -name {KEY_ALIAS} -in CERTIFICATE",
        f"# -inkey KEY -out FILE, and {password} the password that it asks for.",
    )


def _variable(connection: Connection, what: str) -> str:
    return f"{re.sub(_NO_LETTER, '_', connection.store).upper()}_{what}"


def _python(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
