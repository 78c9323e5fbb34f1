"""DuckDB's TPC-DS generator, run in a process of its own.

It does not look up until it is done: in our process, Ctrl-C would wait for it. The process ends
with ours, whatever happens to us.
"""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from workloads.duck import connect, literal
from workloads.errors import AdvisorError, CatalogError, SetUpError

_REPORTED = {error.__name__: error for error in (CatalogError, SetUpError)}
_FAILED = 2


@contextmanager
def connect_tpcds(
    work: str, *, scratch: Path | None = None, database: Path | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open DuckDB with its tpcds extension, loaded by path: INSTALL would want the network.

    Raises:
        SetUpError: The extension is missing; or as `workloads.duck.connect`.
        CatalogError: As `workloads.duck.connect`.
    """
    extension = _extension()
    with connect(work, scratch=scratch, database=database) as connection:
        connection.execute(f"LOAD {literal(extension)}")
        yield connection


def _extension() -> Path:
    wheel = importlib.util.find_spec("duckdb_extension_tpcds")
    if wheel is None or not wheel.submodule_search_locations:
        raise SetUpError(
            "DuckDB's tpcds extension is not installed:"
            f" pip install duckdb-extension-tpcds=={duckdb.__version__}"
        )
    folder = Path(wheel.submodule_search_locations[0]) / "extensions"
    path = folder / f"v{duckdb.__version__}" / "tpcds.duckdb_extension"
    if not path.is_file():
        found = ", ".join(sorted(child.name for child in folder.glob("v*"))) or "none"
        raise SetUpError(
            f"DuckDB {duckdb.__version__} has no tpcds extension (installed: {found}):"
            f" pip install duckdb-extension-tpcds=={duckdb.__version__}"
        )
    return path


def generate_aside(scale_factor: float, database: Path) -> None:
    """Generate all tables into the new file `database`.

    Raises:
        SetUpError: Memory or disk ran out.
        CatalogError: DuckDB failed otherwise.
    """
    # -P: a folder of the user's that is called workloads is not ours.
    module = [sys.executable, "-P", "-m", "workloads.dsdgen"]
    command = [*module, repr(scale_factor), str(database)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            if process.stdout is None or process.stderr is None:
                raise TypeError("a pipe was asked for")
            answer, complaint = process.stdout.read(), process.stderr.read()
            code = process.wait()
        finally:
            process.kill()
    if code == _FAILED and answer:
        kind, message = json.loads(answer)
        raise _REPORTED.get(kind, CatalogError)(message)
    if code == -signal.SIGKILL:
        raise SetUpError(
            f"The generator of TPC-DS at scale factor {scale_factor:g} was killed, as systems do"
            " when memory runs out: free memory, or take a smaller scale factor."
        )
    if code:
        reason = (complaint.strip().splitlines() or [f"code {code}"])[-1]
        raise CatalogError(f"The generator of TPC-DS failed: {reason}.")


def _end_with_parent() -> None:
    """End this process when the other end of its standard input is gone."""
    sys.stdin.read()
    os._exit(1)


def _main() -> int:
    scale_factor, database = float(sys.argv[1]), Path(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then kills us
    threading.Thread(target=_end_with_parent, daemon=True).start()
    work = f"generating TPC-DS at scale factor {scale_factor:g}"
    try:
        with connect_tpcds(work, scratch=database.parent, database=database) as connection:
            connection.execute("CALL dsdgen(sf = ?)", [scale_factor])
    except AdvisorError as error:
        sys.stdout.write(json.dumps([type(error).__name__, str(error)]))
        sys.stdout.flush()
        return _FAILED
    return 0


if __name__ == "__main__":
    # Not sys.exit: it would wait for the thread that watches the parent.
    os._exit(_main())
