"""Literals for the benchmarks' queries, from which all were taken as pg_stat_statements takes them.

python -m benchmarks.literals -o benchmarks/results/literals.json
"""

import argparse
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlglot import Token, TokenType

from benchmarks.provenance import provenance
from workloads.cache import cache_folder
from workloads.literals.filling import fill
from workloads.progress import Silent
from workloads.sources.benchmarks import BENCHMARKS
from workloads.sql.parsing.parse import tokens_of
from workloads.sql.statements import understand
from workloads.workload import Query

_LITERALS = frozenset({TokenType.STRING, TokenType.NUMBER})
_TYPES = frozenset({"DECIMAL", "NUMERIC", "VARCHAR", "CHAR"})


def main() -> None:
    """Fill every query of both benchmarks, and write how many could be."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--scale-factor", type=float, default=0.01)
    arguments.add_argument("-o", "--output", type=Path, required=True)
    given = arguments.parse_args()
    load_before = os.getloadavg()[0]
    found = {name: _filled(name, given.scale_factor) for name in ("tpch", "tpcds")}
    document = {**found, "scale_factor": given.scale_factor, **provenance(__name__, load_before)}
    document["command"] = str(document["command"]).replace("__main__", "benchmarks.literals")
    given.output.write_text(json.dumps(document, indent=2) + "\n")


def _filled(name: str, scale_factor: float) -> Mapping[str, Any]:
    benchmark = BENCHMARKS[name]
    catalog = benchmark.generate(scale_factor, cache_folder(), Silent())
    given = benchmark.queries("all")
    templates = replace(given, queries=tuple(map(_template, given.queries)))
    read = understand(templates, catalog, Silent())
    started = time.process_time()
    found = fill(
        read.workload, read.footprints, read.passed_through, read.catalog, Silent(), seed=0
    )
    return {
        "queries": len(given.queries),
        "understood": len(read.workload.queries),
        "filled": len(found.filled),
        "sets": sum(len(each.sets) for each in found.filled.values()),
        "unfilled": dict(found.unfilled),
        "cpu_s": round(time.process_time() - started, 2),
    }


def _template(query: Query) -> Query:
    """Return a query with ``$1``, ``$2`` … for its literals: not of types and of positions."""
    sql = query.sql
    literals = list(_literals(tokens_of(query, "duckdb")))
    for number, token in reversed(list(enumerate(literals, start=1))):
        sql = sql[: token.start] + f"${number}" + sql[token.end + 1 :]
    return replace(query, sql=sql)


def _literals(tokens: Sequence[Token]) -> Iterator[Token]:
    clause, depth, typed = "", 0, 0
    for place, token in enumerate(tokens):
        word = token.text.upper()
        if token.token_type is TokenType.L_PAREN:
            depth += 1
            typed = depth if tokens[place - 1].text.upper() in _TYPES else typed
        elif token.token_type is TokenType.R_PAREN:
            typed = 0 if typed == depth else typed
            depth -= 1
            clause = ""
        elif token.token_type in {TokenType.ORDER_BY, TokenType.GROUP_BY}:
            clause = word
        elif word in {"SELECT", "LIMIT", "HAVING", "UNION", "WHERE"}:
            clause = ""
        is_position = clause and tokens[place - 1].text.upper() in {"ORDER BY", "GROUP BY", ","}
        if token.token_type in _LITERALS and not typed and not is_position:
            yield token


if __name__ == "__main__":
    main()
