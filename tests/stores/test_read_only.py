"""Sessions that answer a workload write nothing and read no file, whatever a statement calls."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import pymysql
import pytest

from evaluation.kinds import BACKENDS, JDBC
from evaluation.running.relations import JdbcSource
from evaluation.store_protocol.connection import Connection
from tests.stores.each_store import answer, named
from tests.stores.live_servers import maria, postgres

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.stores


def test_postgresql_refuses_to_write(
    spark: "SparkSession", embedded: Mapping[str, Connection]
) -> None:
    pg = replace(embedded["pg"], namespace="read_only")
    BACKENDS[pg.kind].prepare(pg)
    postgres(pg, "CREATE SEQUENCE IF NOT EXISTS read_only.numbers")
    backend = JDBC[pg.kind]
    options = backend.session_options(
        backend.jdbc(pg, timeout_s=9, fetch_size=9), "0123456789abcdef", silence_s=9
    )
    source = JdbcSource(options=options, carried=backend.carried)
    with pytest.raises(Exception, match="read-only transaction"):
        source.relation(spark, "SELECT nextval('read_only.numbers') AS n", "q", {}).collect()


@pytest.mark.parametrize("name", ["mysql", "mysql8"])
def test_mysql_refuses_to_write(request: pytest.FixtureRequest, name: str) -> None:
    server = named(request, name)
    settings = JDBC[server.kind].session_options({}, "0123456789abcdef", silence_s=9)["initSql"]
    maria(server, "CREATE DATABASE IF NOT EXISTS read_only")
    with pytest.raises(pymysql.MySQLError, match="READ ONLY"):
        maria(server, settings, "CREATE TABLE read_only.t (a INT)")


def test_duckdb_reads_no_file(spark: "SparkSession", embedded: Mapping[str, Connection]) -> None:
    duck = replace(embedded["duck"], namespace="read_only")
    BACKENDS[duck.kind].prepare(duck)
    with pytest.raises(Exception, match="disabled by configuration"):
        answer(spark, duck, "SELECT content FROM read_text('/etc/hostname')").collect()
