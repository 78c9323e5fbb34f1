"""Which of the two a server of kind mysql is, by what it says."""

import pytest

from evaluation.servers import mysql
from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql import servers as mysql_servers
from evaluation.stores.mysql.servers import MARIADB, MYSQL, refuse_older, server_of
from workloads.errors import StoreError

SHOP = Connection(store="shop", kind="mysql", host="db", user="ann", password="geheim")


def saying(version):
    """Return a session that has this version and answers nothing else."""
    return lambda statement, values=None: ((version,),)


@pytest.mark.parametrize(
    ("version", "server"),
    [
        ("11.4.5-MariaDB", MARIADB),
        ("10.6.18-MariaDB-ubu2004-log", MARIADB),
        ("8.0.33", MYSQL),
        ("8.0.36-0ubuntu0.22.04.1", MYSQL),
        ("8.0.mysql_aurora.3.05.2", MYSQL),
    ],
)
def test_a_server_is_what_its_version_says(version, server):
    assert server_of(saying(version)) is server
    refuse_older(SHOP, saying(version))


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("8.0.30", "its MySQL 8.0.30 is too old: 8.0.31 or newer"),
        ("5.7.44-log", "its MySQL 5.7.44 is too old"),
        ("10.4.34-MariaDB", "its MariaDB 10.4.34 is too old: 10.5.0 or newer"),
    ],
)
def test_a_server_that_lacks_what_is_sent_to_it_is_refused(version, said):
    with pytest.raises(StoreError, match=said):
        refuse_older(SHOP, saying(version))


def test_only_mariadb_computes_a_cte_for_each_of_its_readers():
    assert MARIADB.strength.repeats_ctes
    assert not MYSQL.strength.repeats_ctes


def test_the_limit_of_a_statement_is_never_none():
    assert "max_execution_time = 1," in mysql_servers.reading_settings(0.0001)
    assert "max_statement_time = 2.5," in mysql_servers.reading_settings(2.5)


@pytest.mark.parametrize(
    ("version", "said"),
    [("11.4.5-MariaDB", "PERSISTENT FOR ALL"), ("8.0.33", "UPDATE HISTOGRAM ON `a`, `b` WITH")],
)
def test_a_copy_gets_the_statistics_that_its_server_keeps(version, said):
    statements = []

    def execute(statement, values=None):
        statements.append(statement)
        return ((version,),)

    mysql_servers.gather_statistics(execute, "`d`.`t`", 10, ("`a`", "`b`"))
    assert said in statements[-1]


@pytest.mark.parametrize(
    ("memory_gib", "pool"), [(1, "512M"), (8, "1024M"), (24, "3072M"), (512, "4096M")]
)
def test_the_pool_is_a_share_of_the_memory_that_there_is(monkeypatch, memory_gib, pool):
    monkeypatch.setattr(mysql, "usable_memory_bytes", lambda: memory_gib << 30)
    assert mysql.buffer_pool() == f"--innodb-buffer-pool-size={pool}"
