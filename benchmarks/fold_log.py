"""Measure how fast a query log is folded into templates, and print the figures as Markdown.

python -m benchmarks.fold_log [--lines N] [--repeats R] [--spark] [--folder F] [-o results.json]

Writes a seeded log of so many lines (benchmarks/log_of_templates.py), folds it `repeats` times in
processes of this machine and, with --spark, as often in Spark, by turns, each in a fresh process
whose tree's memory is watched. Every result must equal the first, and have the executions and the
templates that the log was made of. A sample is normalised once more by sqlglot's tokenizer, which
must part it into the same templates.
"""

import argparse
import hashlib
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sqlglot import TokenType, tokenize

from benchmarks import log_of_templates
from benchmarks.provenance import provenance
from benchmarks.tables.fold_log import runs
from workloads.folding.normalise import Normaliser
from workloads.sources.logs.recorded import workload
from workloads.sql.parsing.lexis import lexis

_SAMPLE = 5_000
_DIALECT = "duckdb"
_WATCHED_EVERY_S = 0.1
_LITERALS = {TokenType.STRING, TokenType.NUMBER, TokenType.PARAMETER}
_BEFORE_OPERANDS = {"(", ",", "=", "<", ">", "<>", "<=", ">=", "+", "-", "*", "/", "AND", "BETWEEN"}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("-o", "--output", type=Path, default=None)
    parser.add_argument("--fold", choices=("processes", "Spark"), help=argparse.SUPPRESS)
    parser.add_argument("--log", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.fold:
        print(json.dumps(folded(arguments.log, arguments.fold)))
        return
    answer = measure(arguments.lines, arguments.repeats, arguments.folder, spark=arguments.spark)
    default = Path(__file__).parent / "results" / f"fold_log_{arguments.lines}.json"
    output = arguments.output or default
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")
    print(runs(answer))


def measure(lines: int, repeats: int, folder: Path, *, spark: bool) -> dict:
    """Make the log and fold it by turns."""
    with tempfile.TemporaryDirectory(dir=folder) as work:
        log = Path(work) / "log.csv"
        made = log_of_templates.write(log, lines)
        folds = []
        before = os.getloadavg()[0]
        for _ in range(repeats):
            folds += [watched(log, how) for how in ("processes", *(["Spark"] if spark else []))]
    expected = (made["templates"], made["executions"])
    for run in folds:
        if (run["templates"], run["executions"]) != expected or run["sha256"] != folds[0]["sha256"]:
            raise SystemExit(f"{run} differs from {folds[0]} or from {made}")
    return {
        **provenance("benchmarks.fold_log", before),
        "lines": lines,
        "log": made,
        "runs": folds,
        "sample": compared(_SAMPLE),
    }


def watched(log: Path, how: str) -> dict:
    """Fold in a fresh process; add the most memory that its tree held, sampled."""
    command = [sys.executable, "-m", "benchmarks.fold_log", "--fold", how, "--log", str(log)]
    load = os.getloadavg()[0]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        peak = 0
        while process.poll() is None:
            peak = max(peak, tree_bytes(process.pid))
            time.sleep(_WATCHED_EVERY_S)
        answer = json.loads(process.stdout.read())
    return {"how": how, **answer, "peak_bytes": peak, "load_average": load}


def tree_bytes(root: int) -> int:
    """The proportional set size of a process and all below it: shared pages count once."""
    total, waiting = 0, [root]
    while waiting:
        pid = waiting.pop()
        try:
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            for task in Path(f"/proc/{pid}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        except (OSError, ProcessLookupError):
            continue
        sizes = [line.split()[1] for line in rollup.splitlines() if line.startswith("Pss:")]
        total += 1024 * sum(map(int, sizes))
    return total


def folded(log: Path, how: str) -> dict:
    """Fold, and say how long it took and what came out."""
    if how == "Spark":
        from evaluation.fold import fold_in
        from evaluation.installation.java import java_home
        from evaluation.spark.session import session
        from workloads.progress import Silent

        with session(java_home=java_home(Silent()), driver_memory="1g") as spark:
            started = time.perf_counter()
            found = fold_in(spark, log, _DIALECT)
            seconds = time.perf_counter() - started
    else:
        started = time.perf_counter()
        found = workload(log, _DIALECT)
        seconds = time.perf_counter() - started
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    # Spark's Python workers are no children that we wait for.
    cpu_s = None if how == "Spark" else sum(each.ru_utime + each.ru_stime for each in used)
    text = repr((found.queries, found.skipped))
    return {
        "seconds": seconds,
        "cpu_s": cpu_s,
        "templates": len(found.queries),
        "executions": sum(query.executions for query in found.queries),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }


def compared(size: int) -> dict:
    """Part a sample into templates twice, and count where the two disagree."""
    normaliser = Normaliser(lexis(_DIALECT))
    draw = random.Random(size)
    ours: dict[str, set[str]] = {}
    theirs: dict[str, set[str]] = {}
    for _, sql in log_of_templates.statements(draw, size):
        one, other = normaliser.text(sql), by_tokens(sql)
        ours.setdefault(one, set()).add(other)
        theirs.setdefault(other, set()).add(one)
    return {
        "statements": size,
        "templates": len(ours),
        "templates_by_sqlglot": len(theirs),
        "different": sum(len(each) > 1 for each in (*ours.values(), *theirs.values())),
    }


def by_tokens(sql: str) -> str:
    """The text of a template by sqlglot's tokens: slow, and of nothing that ours is made of."""
    texts: list[str] = []
    for token in tokenize(sql, dialect=_DIALECT):
        if token.token_type in _LITERALS:
            if texts[-1:] == ["-"] and (texts[-2:-1] or ["("])[0] in _BEFORE_OPERANDS:
                texts.pop()
            texts.append("?")
        elif token.token_type is TokenType.IDENTIFIER:
            texts.append(f'"{token.text}"')
        elif token.token_type is not TokenType.SEMICOLON:
            texts.append(token.text.upper())
    return " ".join(_short(texts))


def _short(texts: list[str]) -> list[str]:
    """Leave one literal of a list of literals after IN."""
    kept: list[str] = []
    in_list = False
    for text in texts:
        if in_list and text in ("?", ",") and kept[-1] == "?":
            continue
        in_list = (in_list and text != ")") or (text == "(" and kept[-1:] == ["IN"])
        kept.append(text)
    return kept


if __name__ == "__main__":
    main()
