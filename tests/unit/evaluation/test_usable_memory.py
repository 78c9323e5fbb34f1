"""The memory of a container counts, and not that of the machine below it."""

from pathlib import Path

import pytest

from evaluation.processes.memory import usable_memory_bytes

MB = 1 << 20


def usable(folder: Path, own: str, limits: dict[str, str]) -> int:
    for name, limit in limits.items():
        file = folder / "groups" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(limit)
    (folder / "own").write_text(own)
    return usable_memory_bytes(folder / "own", folder / "groups")


@pytest.mark.parametrize(
    ("own", "limits"),
    [
        ("0::/a/b\n", {"a/memory.max": f"{64 * MB}\n", "a/b/memory.max": "max\n"}),
        ("0::/outside\n", {"memory.max": f"{64 * MB}\n"}),
        (
            "3:cpu,cpuacct:/a\n2:memory:/a\n0::/\n",
            {
                "memory/a/memory.limit_in_bytes": f"{64 * MB}\n",
                "memory/memory.limit_in_bytes": "9223372036854771712\n",
                "cpu,cpuacct/a/memory.limit_in_bytes": "1\n",
            },
        ),
    ],
)
def test_the_least_limit_of_the_groups_counts(tmp_path: Path, own: str, limits: dict[str, str]):
    assert usable(tmp_path, own, limits) == 64 * MB


@pytest.mark.parametrize("own", ["0::/a\n", "1:name=systemd:/\n", ""])
def test_without_a_limit_it_is_the_machine_s(tmp_path: Path, own: str):
    assert usable(tmp_path, own, {}) == usable_memory_bytes(tmp_path / "none", tmp_path) > 64 * MB
