"""One node's memory of 8 MiB."""

from pathlib import Path

import pytest

from evaluation.objects.memory import Memory
from tests.unit.evaluation.objects_memory.stored import MIB


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "node", 8 * MIB)
