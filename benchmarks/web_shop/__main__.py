"""Write a shop whose tables, types, names and statements are as awkward as real ones.

python -m benchmarks.web_shop FOLDER [--rows N] [--seed S] [--mysql mysql8|maria]

Makes two schemas in a PostgreSQL and a database in a MySQL or MariaDB, of N rows in all, and
writes into FOLDER what their user would have: `dumps/` of both with data, `data/` as Parquet,
the statements as .sql files in `postgresql/`, `mysql/` and `both/`, and after running these
PostgreSQL's csvlog `pg.csv` and the slow query log `slow.log`. The servers are embedded, and
end with the command.
"""

import argparse
import tempfile
import time
from pathlib import Path

from benchmarks.web_shop.making import made, written
from benchmarks.web_shop.shape import table_rows
from tests.stores.live_servers import remembering_servers


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mysql", choices=("mysql8", "maria"), default="mysql8")
    arguments = parser.parse_args()
    rows = table_rows(arguments.rows)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as work:
        # The servers may run as another user.
        Path(work).chmod(0o755)
        with (
            remembering_servers(Path(work), ("pg", arguments.mysql)) as servers,
            made(servers["pg"], servers[arguments.mysql], rows, arguments.seed) as shop,
        ):
            print(f"{sum(rows.values()):,} rows after {time.perf_counter() - started:.0f} s")
            written(*shop, arguments.folder)
    size = sum(each.stat().st_size for each in (arguments.folder / "dumps").iterdir())
    print(f"{size / 1e6:.0f} MB of dumps after {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
