"""DuckDB's generators of TPC-DS and TPC-H, each run in a process of its own.

They do not look up until they are done: in our process, Ctrl-C would wait for them. The process
ends with ours, whatever happens to us.
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
from dataclasses import dataclass
from pathlib import Path

import duckdb

from workloads.duck import connect, literal
from workloads.errors import AdvisorError, CatalogError, SetUpError

_REPORTED = {error.__name__: error for error in (CatalogError, SetUpError)}
_FAILED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Generator:
    """One of DuckDB's extensions: its name, the benchmark's, and the procedure that generates."""

    extension: str
    title: str
    procedure: str

    @contextmanager
    def connect(
        self, work: str, *, scratch: Path | None = None, database: Path | None = None
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open DuckDB with the extension, loaded by path: INSTALL would want the network.

        Raises:
            SetUpError: The extension is missing; or as `workloads.duck.connect`.
            CatalogError: As `workloads.duck.connect`.
        """
        path = self._path()
        with connect(work, scratch=scratch, database=database) as connection:
            connection.execute(f"LOAD {literal(path)}")
            yield connection

    def work(self, scale_factor: float) -> str:
        """Return what generating is called, in errors and in progress."""
        return f"generating {self.title} at scale factor {scale_factor:g}"

    def generate_aside(self, scale_factor: float, database: Path) -> None:
        """Generate all tables into the new file `database`.

        Raises:
            SetUpError: Memory or disk ran out.
            CatalogError: DuckDB failed otherwise.
        """
        # -P: a folder of the user's that is called workloads is not ours.
        module = [sys.executable, "-P", "-m", "workloads.benchmarks.generator"]
        command = [*module, self.extension, repr(scale_factor), str(database)]
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
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
                f"The generator of {self.title} at scale factor {scale_factor:g} was killed, as"
                " systems do when memory runs out: free memory, or take a smaller scale factor."
            )
        if code:
            reason = (complaint.strip().splitlines() or [f"code {code}"])[-1]
            raise CatalogError(f"The generator of {self.title} failed: {reason}.")

    def _path(self) -> Path:
        package = f"duckdb-extension-{self.extension}=={duckdb.__version__}"
        wheel = importlib.util.find_spec(f"duckdb_extension_{self.extension}")
        if wheel is None or not wheel.submodule_search_locations:
            raise SetUpError(
                f"DuckDB's {self.extension} extension is not installed: pip install {package}"
            )
        folder = Path(wheel.submodule_search_locations[0]) / "extensions"
        path = folder / f"v{duckdb.__version__}" / f"{self.extension}.duckdb_extension"
        if not path.is_file():
            found = ", ".join(sorted(child.name for child in folder.glob("v*"))) or "none"
            raise SetUpError(
                f"DuckDB {duckdb.__version__} has no {self.extension} extension (installed:"
                f" {found}): pip install {package}"
            )
        return path


TPCDS = Generator(extension="tpcds", title="TPC-DS", procedure="dsdgen")
TPCH = Generator(extension="tpch", title="TPC-H", procedure="dbgen")


def _end_with_parent() -> None:
    """End this process when the other end of its standard input is gone."""
    sys.stdin.read()
    os._exit(1)


def _main() -> int:
    extension, scale_factor, database = sys.argv[1], float(sys.argv[2]), Path(sys.argv[3])
    generator = next(each for each in (TPCDS, TPCH) if each.extension == extension)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then kills us
    threading.Thread(target=_end_with_parent, daemon=True).start()
    work = generator.work(scale_factor)
    try:
        with generator.connect(work, scratch=database.parent, database=database) as connection:
            connection.execute(f"CALL {generator.procedure}(sf = ?)", [scale_factor])
    except AdvisorError as error:
        sys.stdout.write(json.dumps([type(error).__name__, str(error)]))
        sys.stdout.flush()
        return _FAILED
    return 0


if __name__ == "__main__":
    # Not sys.exit: it would wait for the thread that watches the parent.
    os._exit(_main())
