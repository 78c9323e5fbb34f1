"""Damaged inputs: every command ends with 0 or 2, in time, with one line and without a secret.

python -m benchmarks.attack_inputs [--inputs N] [--first N] [--seed N] [--processes N]
    [--fresh-every N] [--kinds K …] [--keep FOLDER] [-o results.json]

An input is a file of a kind (`mutants.KINDS`: project files, statements, DDL, logs, plans) with
mistakes in it, drawn from the seed and its number. Commands run in a process that lives from input
to input, and each `--fresh-every`-th input in a process of its own as well, by which both have to
end alike. What counts as a finding: another exit code than 0, 2 and 130, a signal, more than 60 s,
more than one line of error, a traceback, a password in any output. Findings go to standard error
and, with `--keep`, their files into a folder.
"""

import argparse
import json
import os
import shlex
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory

from benchmarks.attacks.mutants import KINDS, SECRETS, Input, draw_input, good_files
from benchmarks.attacks.process import LATE_S, Ended, Served, run_fresh
from benchmarks.provenance import provenance

_ALLOWED = (0, 2, 130)
_TOLD_EVERY = 500
_MOST_CHARACTERS = 3_000
"""More than this in a line of error is no message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A command that ended as none should, with the number and kind of its input."""

    number: int
    kind: str
    wrong: str
    command: str
    said: str


def wrong_of(ended: Ended) -> str:
    """Return what is wrong with how a command ended; nothing where all is well."""
    if ended.late:
        return f"not done after {LATE_S:g} s"
    if ended.code not in _ALLOWED:
        return f"exit code {ended.code}"
    if any(secret in text for secret in SECRETS for text in (ended.out, ended.err)):
        return "a password is told"
    if "Traceback (most recent call last)" in ended.err + ended.out:
        return "a traceback"
    return _wrong_line(ended) if ended.code == 2 else ""


def _wrong_line(ended: Ended) -> str:
    last = ended.err.strip().splitlines()[-1:] or [""]
    if not last[0].startswith("advisor: "):
        return "no line of error"
    return f"a line of {len(last[0]):,} characters" if len(last[0]) > _MOST_CHARACTERS else ""


def main() -> None:
    """Try the inputs, and write what came of them."""
    arguments = _arguments()
    codes: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    findings: list[Finding] = []
    fresh, began, load_before = 0, time.monotonic(), os.getloadavg()[0]
    numbers = range(arguments.first, arguments.first + arguments.inputs)
    slowest = 0.0
    with TemporaryDirectory(prefix="attack-") as name:
        folder = Path(name)
        good_files(folder / "good")
        with ExitStack() as stack, ThreadPoolExecutor(arguments.processes) as threads:
            idle: Queue[Served] = Queue()
            for _ in range(arguments.processes):
                idle.put(stack.enter_context(Served(folder)))

            def tried(number: int) -> tuple[int, Input, Ended]:
                asked = draw_input(arguments.seed, number, arguments.kinds, folder)
                served = idle.get()
                try:
                    return number, asked, served.run(asked.arguments, asked.folder)
                finally:
                    idle.put(served)

            for number, asked, ended in threads.map(tried, numbers):
                slowest = max(slowest, ended.seconds)
                kinds[asked.kind] += 1
                codes[str(ended.code)] += 1
                findings += _found(number, asked, ended, arguments.keep)
                if number % arguments.fresh_every == 0:
                    fresh += 1
                    again = run_fresh(asked.arguments, asked.folder, folder)
                    findings += _found(number, asked, again, arguments.keep)
                    if again.code != ended.code and not (again.late or ended.late):
                        said = f"{ended.code}, in a new process {again.code}: {again.err[-300:]}"
                        findings.append(_finding(number, asked, "ends otherwise", said))
                shutil.rmtree(asked.folder)
                if (number + 1) % _TOLD_EVERY == 0:
                    seconds = time.monotonic() - began
                    print(f"{number + 1} in {seconds:.0f} s, {len(findings)} findings, "
                          f"{dict(codes)}", file=sys.stderr, flush=True)  # fmt: skip
    document = {
        **provenance("benchmarks.attack_inputs", load_before),
        "seed": arguments.seed,
        "first": arguments.first,
        "inputs": arguments.inputs,
        "seconds": round(time.monotonic() - began, 1),
        "slowest_s": round(slowest, 2),
        "in_new_processes": fresh,
        "kinds": dict(sorted(kinds.items())),
        "exit_codes": dict(sorted(codes.items())),
        "findings": [asdict(each) for each in findings],
    }
    print(json.dumps({key: document[key] for key in ("exit_codes", "kinds", "seconds")}))
    if arguments.output is not None:
        arguments.output.write_text(json.dumps(document, indent=2) + "\n")
    sys.exit(bool(findings))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--fresh-every", type=int, default=100)
    parser.add_argument("--kinds", nargs="+", choices=sorted(KINDS), default=sorted(KINDS))
    parser.add_argument("--keep", type=Path, default=None)
    parser.add_argument("-o", "--output", type=Path, default=None)
    return parser.parse_args()


def _found(number: int, asked: Input, ended: Ended, keep: Path | None) -> Iterator[Finding]:
    wrong = wrong_of(ended)
    if not wrong:
        return
    said = ended.err.strip()[-1_000:]
    for secret in SECRETS:
        said = said.replace(secret, "***")
    found = _finding(number, asked, wrong, said)
    print(f"{found.number} {found.kind}: {wrong}: {found.command}\n    {said}", file=sys.stderr)
    if keep is not None:
        shutil.copytree(asked.folder, keep / str(number), dirs_exist_ok=True)
    yield found


def _finding(number: int, asked: Input, wrong: str, said: str) -> Finding:
    command = shlex.join(["advisor", *asked.arguments])
    return Finding(number=number, kind=asked.kind, wrong=wrong, command=command, said=said)


if __name__ == "__main__":
    main()
