"""The rows of a sample, and counts where samples alone would mislead."""

from dataclasses import replace

import pytest

from tests.footprints import block, footprint, join, source
from tests.unit.workloads.sampling.conftest import SAMPLED
from workloads.errors import CatalogError
from workloads.estimation.cardinality import Estimator
from workloads.estimation.sample_database import SampleDatabase
from workloads.measuring import samples
from workloads.progress import Silent
from workloads.sources import parquet


def test_a_sample_is_not_joined_with_itself(catalog, monkeypatch):
    """A row that is drawn would be there on both sides: ten times too many meet themselves."""
    monkeypatch.setattr("workloads.estimation.sample_database.LOOKUP_ROWS", 1_000)
    pair = (source("one", table="part"), source("other", table="part"))
    made = footprint(block(*pair, joins=(join("one.sale", "other.sale"),)))
    with SampleDatabase(catalog) as opened:
        found = Estimator(catalog, made, samples=opened).rows_of_sources("b0", ["one", "other"])
    assert found == pytest.approx(40_000, rel=0.2)


def test_the_same_files_give_the_same_sample(folder, catalog, tmp_path, monkeypatch):
    monkeypatch.setattr(samples, "SAMPLE_ROWS", SAMPLED)
    again = parquet.catalog(folder, cache=tmp_path, progress=Silent())
    for name, table in catalog.tables.items():
        assert table.sample.read_bytes() == again.table(name).sample.read_bytes(), name
        assert table.columns == again.table(name).columns, name


def test_a_large_table_is_sampled_and_a_small_one_is_its_own_sample(catalog, database):
    assert database.is_whole(catalog.table("model"))
    sale = catalog.table("sale")
    assert database.sample_rows(sale) == pytest.approx(SAMPLED, rel=0.1)
    assert database.scale(sale) == pytest.approx(10, rel=0.1)


def test_a_table_that_is_too_large_to_be_looked_up_is_joined_by_its_sample(
    catalog, estimated, monkeypatch
):
    monkeypatch.setattr("workloads.estimation.sample_database.LOOKUP_ROWS", 1_000)
    joins = (join("part.sale", "sale.id"),)
    fresh = SampleDatabase(catalog)
    made = footprint(block(source("part"), source("sale"), joins=joins))
    found = Estimator(catalog, made, samples=fresh).rows_of_sources("b0", ["part", "sale"])
    assert found == pytest.approx(20_000, rel=0.6)


def test_a_sample_that_is_gone_is_an_error_that_names_its_table(catalog, tmp_path):
    gone = replace(catalog.table("sale"), sample=tmp_path / "gone.parquet")
    with SampleDatabase(catalog) as opened, pytest.raises(CatalogError, match=r"'sale'.*run again"):
        opened.sample(gone)
