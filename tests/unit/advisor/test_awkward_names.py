"""Names that could end a comment or a number, where a script or a project file is written."""

import pytest

from advisor.project.sizes import parse_size
from advisor.report.text.migration_files import migration_files
from advisor.report.text.migration_text import migration_script
from advisor.starting.store_text import capacity_lines
from evaluation.migration_sql import Command
from placement.movement.migration_steps import Step

NAME = "a\nDROP SCHEMA shop CASCADE; --"
STEP = Step(
    kind="drop", table=NAME, source="pg", target=None, bytes=1, held_bytes={}, estimated_s=1.0
)
NOTHING = Command(store=None, language="pyspark", text=())
DROPS = Command(store="pg", language="sql", text=('DROP TABLE "a b"',))


def test_a_line_feed_in_a_tables_name_ends_no_comment_of_a_script():
    script = migration_script("t", [STEP], NOTHING, [[DROPS]])
    files = migration_files("t", [STEP], NOTHING, [[DROPS]])
    for text in (script, *(text for name, text in files.items() if name.endswith(".sql"))):
        commands = [line for line in text.splitlines() if line and not line.startswith("--")]
        assert commands == ['DROP TABLE "a b";']


@pytest.mark.parametrize("free_bytes", [3 << 20, 5 << 30, 8 << 60])
def test_a_capacity_is_written_as_it_is_read(free_bytes: int):
    (line,) = capacity_lines(free_bytes, "the disk")
    written = line.partition('"')[2].partition('"')[0]
    assert parse_size(written).size_bytes == pytest.approx(free_bytes // 2, rel=0.1)
