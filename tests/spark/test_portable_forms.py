"""The allowlist, tried: each form that a system does not lack, over awkward values, there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

import pytest

from evaluation.engines.fragments import dialects
from evaluation.federation.compile import Compiler
from evaluation.federation.dialects import spark as spark_dialect
from evaluation.judging.oracle import Oracle
from evaluation.judging.verdict import verdict
from evaluation.kinds import BACKENDS
from evaluation.measuring.measurement import QueryOutcome
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.execution import Federation
from evaluation.running.job import Job
from evaluation.spark.combining import Combine
from evaluation.store_protocol.connection import Connection
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from tests.awkward_values import FORMS, TAILS, Form, catalog, statement
from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

TOGETHER = 25
PORTABLE_SHARE = {"pg": 0.8, "maria": 0.7, "mysql8": 0.7, "spark": 0.8}
"""System → the share of the forms that it is sent, at least."""
ROWS_FROM = "duck"
"""Where Spark has the rows from."""


@pytest.fixture(scope="module")
def awkward(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return catalog(tmp_path_factory.mktemp("awkward"))


@pytest.fixture(scope="module")
def oracle(awkward: Catalog) -> Iterator[Oracle]:
    oracle = Oracle(awkward)
    yield oracle
    oracle.close()


def loaded(connections: Mapping[str, Connection], awkward: Catalog) -> dict[str, Connection]:
    """The stores with the table in them."""
    found = {name: replace(each, namespace="awkward") for name, each in connections.items()}
    for connection in found.values():
        backend = BACKENDS[connection.kind]
        backend.prepare(connection)
        for table in awkward.tables.values():
            backend.load(connection, table)
    return found


class Trial:
    """Tries forms in one system, several in a statement; those of one that is wrong alone."""

    def __init__(self, federation: Federation, job: Job, oracle: Oracle, system: str) -> None:
        self._federation = federation
        self._job = job
        self._oracle = oracle
        self._store = ROWS_FROM if system == "spark" else system
        self._kind = Capability.SCAN if system == "spark" else Capability.QUERY
        self.lacks = (
            spark_dialect.LACKS
            if system == "spark"
            else BACKENDS[job.connections[system].kind].lacks
        )
        self._system = system
        self._numbers = count()

    def wrong(self, forms: Sequence[Form]) -> dict[str, str]:
        """Return form → what is wrong with it."""
        said = self._said(forms)
        if said is None:
            return {}
        if len(forms) == 1:
            return {forms[0].name: said}
        half = len(forms) // 2
        return {**self.wrong(forms[:half]), **self.wrong(forms[half:])}

    def _said(self, forms: Sequence[Form]) -> str | None:
        # The oracle keeps answers by the names of queries.
        query = statement(forms, f"{self._system} {next(self._numbers)}")
        found = footprint(query, self._job.catalog, "duckdb")
        routing = [
            RoutedFragment(fragment=each, store=self._store, predicted_s=0.0)
            for each in enumerate_fragments(found, Estimator(self._job.catalog, found))
            if each.kind is self._kind
        ]
        workload = Workload(name="w", dialect="duckdb", queries=(query,))
        compiler = Compiler(workload, self._job.catalog, dialects(self._job))
        try:
            done = self._federation.run(compiler.compile(query.name, routing))
        except (QueryFailedError, SqlError) as error:
            return str(error)
        if done.second_try:
            return done.second_try
        found = verdict(self._oracle, query, done.answer)
        return None if found.outcome is QueryOutcome.VERIFIED else found.message


def batches(forms: Sequence[Form]) -> Iterator[Sequence[Form]]:
    """Yield the forms by what they are computed over; windows alone, as some mix several up."""
    for over in TAILS:
        plain = [each for each in forms if each.over == over and " OVER " not in each.expression]
        yield from (plain[at : at + TOGETHER] for at in range(0, len(plain), TOGETHER))
    yield from ([each] for each in forms if " OVER " in each.expression)


@pytest.mark.parametrize("system", list(PORTABLE_SHARE))
def test_a_form_that_a_system_does_not_lack_means_there_what_it_means_in_duckdb(
    spark: "SparkSession",
    request: pytest.FixtureRequest,
    awkward: Catalog,
    oracle: Oracle,
    system: str,
):
    fixture = "others" if system == "mysql8" else "embedded"
    store = ROWS_FROM if system == "spark" else system
    connections = {store: request.getfixturevalue(fixture)[store]}
    job = Job(
        workload=Workload(name="w", dialect="duckdb", queries=()),
        catalog=awkward,
        connections=loaded(connections, awkward),
        query_timeout_s=60,
    )
    features = {each: footprint(statement([each]), awkward, "duckdb").blocks[0] for each in FORMS}
    # Where it is Spark that is asked, Spark has to combine what it is sent.
    combine: Combine = "spark" if system == "spark" else "automatic"
    with Federation(spark, job.connections, timeout_s=60, combine=combine) as federation:
        trial = Trial(federation, job, oracle, system)
        sent = [each for each in FORMS if not features[each].features & trial.lacks]
        assert len(sent) >= PORTABLE_SHARE[system] * len(FORMS)
        wrong: dict[str, str] = {}
        for batch in batches(sent):
            wrong |= trial.wrong(batch)
    for table in awkward.tables:
        BACKENDS[job.connections[store].kind].drop(job.connections[store], table)
    assert wrong == {}
