"""What tests of several packages share."""

import pytest

from evaluation.tracking.track import prepare


@pytest.fixture(scope="session")
def empty_tracking(tmp_path_factory) -> bytes:
    """A database that MLflow has made, as bytes: its making takes seconds."""
    file = tmp_path_factory.mktemp("made") / "tracking.db"
    assert prepare(f"sqlite:///{file}") == ""
    assert [each.name for each in file.parent.iterdir()] == ["tracking.db"]
    return file.read_bytes()
