"""What tests of several packages share."""

import pytest

from evaluation.tracking.track import prepare
from tests.dialect_facts import catalog
from workloads.catalog import Catalog


@pytest.fixture(scope="session")
def empty_tracking(tmp_path_factory) -> bytes:
    """A database that MLflow has made, as bytes: its making takes seconds."""
    file = tmp_path_factory.mktemp("made") / "tracking.db"
    assert prepare(f"sqlite:///{file}") == ""
    assert [each.name for each in file.parent.iterdir()] == ["tracking.db"]
    return file.read_bytes()


@pytest.fixture(scope="session")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """The two small tables of `dialect_facts`, with their rows."""
    return catalog(tmp_path_factory.mktemp("facts"))
