"""Addresses of stores for commands that are printed: those of embedded servers have a folder."""

from pathlib import Path

import pytest

from advisor.project.store_addresses import addresses
from tests.unit.advisor.project_files import load


@pytest.mark.parametrize(
    ("server", "folder"), [("", "mysql-my"), ('server = "mysql8"', "mysql8-my")]
)
def test_the_password_of_an_embedded_server_lies_in_its_own_folder(
    tmp_path: Path, server: str, folder: str
):
    store = f'kind = "mysql"\nembedded = true\n{server}'
    found = addresses(load(tmp_path, stores__my=store))["my"]
    assert found.password is None
    assert found.password_file is not None
    assert found.password_file.parent.name == folder
