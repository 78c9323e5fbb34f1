"""Temporary views: a statement that reads one counts for the tables of its query."""

from collections import Counter

import pytest

from tests.unit.workloads.plant_logs import READ, counted, log

VIEW = "CREATE TEMP VIEW machine (id) AS SELECT machine_id FROM job WHERE id > 3"


@pytest.mark.parametrize(
    ("made", "sql", "reads", "writes"),
    [
        (VIEW, READ, {"job"}, set()),
        (VIEW, "SELECT id FROM pg_temp.machine", {"job"}, set()),
        (VIEW, "SELECT id FROM public.machine", {"machine"}, set()),
        (VIEW, "SELECT m.id FROM public.machine m JOIN machine USING (id)",
         {"job", "machine"}, set()),
        (VIEW, "WITH p AS (SELECT id FROM part) SELECT p.id FROM machine, p",
         {"job", "part"}, set()),
        (VIEW, "WITH machine AS (SELECT id FROM part) SELECT id FROM machine", {"part"}, set()),
        (VIEW, "(SELECT id FROM machine) UNION (SELECT id FROM part)", {"job", "part"}, set()),
        (VIEW, "INSERT INTO part SELECT id, id FROM machine", {"job"}, {"part"}),
        (VIEW, "INSERT INTO public.machine SELECT id, 'x' FROM machine", {"job"}, {"machine"}),
        (VIEW, "UPDATE part SET id = 1 FROM machine WHERE machine.id = part.id",
         {"job", "part"}, {"part"}),
        (VIEW, "UPDATE machine SET id = 3", set(), set()),
        (VIEW, "DELETE FROM machine WHERE id IN (SELECT id FROM part)", {"part"}, set()),
        (VIEW, "SELECT 'machine' FROM part", {"part"}, set()),
        ("CREATE OR REPLACE TEMPORARY VIEW machine AS SELECT id FROM machine WITH CHECK OPTION",
         READ, {"machine"}, set()),
        ("CREATE TEMP RECURSIVE VIEW machine (id) AS SELECT 1 UNION SELECT id + 1 FROM machine",
         "SELECT j.id FROM machine JOIN job j USING (id)", {"job"}, set()),
        ("CREATE TEMP VIEW v AS SELECT id FROM part; CREATE TEMP VIEW machine AS TABLE v",
         READ, {"part"}, set()),
        ("CREATE VIEW pg_temp.machine WITH (security_barrier) AS SELECT id FROM job",
         READ, {"job"}, set()),
    ],
)  # fmt: skip
def test_what_reads_a_temporary_view_counts_as_its_query(tmp_path, made, sql, reads, writes):
    lines = [*((1, each) for each in made.split("; ")), (1, sql), (2, READ)]
    found = counted(log(tmp_path / "pg.log", *lines))
    assert found[0]["machine"] == 1 + ("machine" in reads)
    assert (set(found[0]) - {"machine"}, set(found[1])) == (reads - {"machine"}, writes)
    assert not found[2]["invalid"]


def test_a_temporary_view_is_gone_with_its_session_or_when_it_is_dropped(tmp_path):
    lines = [(1, VIEW), (1, READ), (1, "DROP VIEW machine"), (1, READ), (2, VIEW), (3, READ)]
    reads, _, left = counted(log(tmp_path / "pg.log", *lines))
    assert (reads["machine"], reads["job"], left["definition"]) == (2, 1, 3)


def test_each_session_has_its_own_view_of_a_name(tmp_path):
    other = "CREATE TEMP VIEW machine AS SELECT id FROM part"
    lines = [(1, VIEW), (2, other), (1, READ), (2, READ), (2, READ), (3, READ)]
    reads, _, left = counted(log(tmp_path / "pg.log", *lines))
    assert (reads, left["invalid"]) == (Counter(job=1, part=2, machine=1), 0)


def test_a_view_of_files_is_the_table_of_the_catalog(tmp_path):
    path = tmp_path / "one.sql"
    path.write_text(f"CREATE TEMPORARY VIEW machine USING parquet OPTIONS (path 'm'); {READ};")
    assert counted(path)[0] == Counter(machine=1)
