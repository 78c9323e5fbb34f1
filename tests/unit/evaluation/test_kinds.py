"""Descriptions of kinds of stores agree with what they name."""

import pytest

from evaluation.embedded import OTHERS, SERVERS
from evaluation.kinds import BACKENDS, JDBC, KINDS, SCANNED
from evaluation.kinds.kind import StoreKind
from evaluation.store_protocol.connection import Connection
from workloads.errors import StoreError

EACH_KIND = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def test_a_kind_either_runs_sql_or_is_scanned() -> None:
    assert JDBC.keys() | SCANNED.keys() == BACKENDS.keys() == KINDS.keys()
    assert not JDBC.keys() & SCANNED.keys()
    # Fragments of scanned stores are Spark's SQL.
    assert {kind for kind, backend in BACKENDS.items() if backend.dialect == "spark"} == set(
        SCANNED
    )


@EACH_KIND
def test_a_kind_s_servers_make_connections_of_the_kind(kind: StoreKind) -> None:
    embedded = [each.embedded for each in kind.products.values() if each.embedded]
    assert {server.kind for server in embedded} <= {kind.name}


@EACH_KIND
def test_a_kind_has_the_rates_of_its_first_product(kind: StoreKind) -> None:
    assert kind.product(None).strength == kind.backend.strength


@EACH_KIND
def test_only_a_kind_with_several_products_is_asked(kind: StoreKind) -> None:
    assert (kind.answering_product is not None) == bool(kind.others)


def test_names_of_folders_tell_one_server_from_another() -> None:
    """A folder is called after a kind or another product of one."""
    assert not SERVERS.keys() & OTHERS.keys()
    assert set(OTHERS) == {"mysql8"}
    assert len({type(server) for server in (*SERVERS.values(), *OTHERS.values())}) == len(
        SERVERS
    ) + len(OTHERS)


def test_a_store_that_is_not_there_says_nothing_of_its_product() -> None:
    there = Connection(store="shop", kind="mysql", host="127.0.0.1", port=1, user="u")
    with pytest.raises(StoreError, match="shop"):
        KINDS["mysql"].answering(there)
