"""Data in which columns, tables and rows depend on each other, and what is counted on them.

`model` 200 cars, each of the make `id % 20`, whose country is the make's: `make % 5`. `sale` 20,000
of them, 90 % of the first ten models, in days that follow each other. `visit` 3,000, of the first
ten models too. `part` has two parts of each sale with an even number.
"""

import duckdb
import pytest

from tests.footprints import block, footprint
from workloads.estimation.cardinality import Estimator
from workloads.estimation.sample_database import SampleDatabase
from workloads.measuring import samples
from workloads.progress import Silent
from workloads.sources import parquet

TABLES = {
    "model": """SELECT id, id % 20 AS make, id % 5 AS country, 'model ' || id AS name
        FROM range(200) t(id)""",
    "sale": """SELECT id, CASE WHEN hash(id) % 10 > 0 THEN hash(id + 1) % 10
        ELSE hash(id + 2) % 200 END::INTEGER AS model, id // 200 AS day FROM range(20000) t(id)""",
    "visit": "SELECT id, (hash(id) % 10)::INTEGER AS model FROM range(3000) t(id)",
    "part": "SELECT id, id - id % 2 AS sale FROM range(20000) t(id)",
}
SAMPLED = 2_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("cars")
    for name, sql in TABLES.items():
        duckdb.sql(f"COPY ({sql}) TO '{made / name}.parquet' (FORMAT parquet)")
    return made


@pytest.fixture(scope="module")
def catalog(folder, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samples, "SAMPLE_ROWS", SAMPLED)
        return parquet.catalog(folder, cache=tmp_path_factory.mktemp("cache"), progress=Silent())


@pytest.fixture(scope="module")
def database(catalog):
    with SampleDatabase(catalog) as opened:
        yield opened


@pytest.fixture
def estimated(catalog, database):
    def rows(*sources, aliases=None, sampled=True, **more):
        made = footprint(block(*sources, **more))
        estimator = Estimator(catalog, made, samples=database if sampled else None)
        return estimator.rows_of_sources("b0", aliases or [s.alias for s in sources])

    return rows


@pytest.fixture
def result(catalog, database):
    def rows(*blocks, sampled=True):
        made = footprint(*blocks)
        return Estimator(catalog, made, samples=database if sampled else None).rows_of_block("b0")

    return rows


@pytest.fixture
def counted(folder):
    def rows(sql):
        with duckdb.connect() as connection:
            for name in TABLES:
                connection.execute(f"CREATE VIEW {name} AS FROM '{folder / name}.parquet'")
            return connection.execute(f"SELECT count(*) FROM ({sql})").fetchone()[0]

    return rows
