"""Damaged inputs, signals, faults on the way to servers, copying that is killed: what is left."""

from collections import Counter
from collections.abc import Sequence

from benchmarks.tables.markdown import seconds, table, wrapped
from benchmarks.tables.results import Answer, Result, by_revision, each_alone, read

GOOD_EXITS = ("0", "2")
INPUTS = "attack_inputs*"
KILLS = "attack_kills*"
WIRE = "attack_wire*"
COPIES = "attack_copies*"
KILLED = (
    "A run of ten seconds and more is ended by SIGKILL, SIGTERM or SIGINT at a random moment of a "
    "stage, again and again in one project. Bad is an exit code of its own, more than 5 s to the "
    "end, a process that is left, a traceback or a password in what was printed."
)
WIRED = (
    "PostgreSQL and MariaDB are reached through proxies that fall silent, lose a direction, reset, "
    "close, damage or pause at a random moment of a phase. Bad is an exit code other than 0 and 2, "
    "a hang, a command that fails by a pause, a traceback or a password in what was printed."
)
COPIED = (
    "Live tables with every type are copied from one store to another by a process that is killed "
    "at a random moment. Bad is half a copy, a wrong count, a session left in the source, a "
    "table of ours there, or a next load that is not exact by digests of both drivers' rows."
)


def section() -> str:
    parts = [by_revision(read(INPUTS), inputs)]
    for title, about, pattern, rendered in (
        ("Signals", KILLED, KILLS, kills),
        ("Faults on the way to servers", WIRED, WIRE, wire),
        ("Copying that is killed", COPIED, COPIES, copies),
    ):
        if found := read(pattern):
            parts += [f"### {title}", wrapped(about), each_alone(found, rendered)]
    return "\n\n".join(parts)


def inputs(results: Sequence[Result]) -> str:
    """Return a row a run over damaged inputs."""
    header = (
        "run",
        "findings are",
        "inputs",
        "exit 0",
        "exit 2",
        "other exits",
        "findings",
    )
    rows = []
    for each in results:
        codes = each.answer["exit_codes"]
        others = sum(number for code, number in codes.items() if code not in GOOD_EXITS)
        found = each.answer["findings"]
        rows.append(
            (
                each.name,
                told(Counter(finding["wrong"] for finding in found)),
                f"{each.answer['inputs']:,}",
                *(f"{codes.get(code, 0):,}" for code in GOOD_EXITS),
                f"{others:,}",
                f"{len(found):,}",
                seconds(each.answer["slowest_s"]),
            )
        )
    return table((*header, "slowest s"), rows, texts=2)


def kills(answer: Answer) -> str:
    """Return a row a stage, and whether the project can be used afterwards."""
    return _ended(answer, "aimed_at", ("aimed at", "kills"))


def wire(answer: Answer) -> str:
    """Return a row a phase and a row a fault, and whether the project can be used afterwards."""
    phases, faults = (_by(answer, key, (key, "faults")) for key in ("phase", "fault"))
    return "\n\n".join([phases, faults, _usable(answer)])


def copies(answer: Answer) -> str:
    """Return a row a source of copies."""
    rows = []
    for source in sorted({each["pair"].partition(" to ")[0] for each in answer["each"]}):
        pairs = [each for each in answer["each"] if each["pair"].startswith(f"{source} to ")]
        killed = [one for pair in pairs for one in pair["kills"]]
        bad = Counter(what for one in killed for what in one["bad"])
        targets = ", ".join(sorted(each["pair"].partition(" to ")[2] for each in pairs))
        exact = sum(each["exact"] for each in pairs)
        rows.append((source, targets, told(bad), f"{len(killed):,}", f"{exact} of {len(pairs)}"))
    return table(("from", "to", "bad is", "kills", "exact pairs"), rows, texts=3)


def _ended(answer: Answer, key: str, header: tuple[str, str]) -> str:
    return f"{_by(answer, key, header)}\n\n{_usable(answer)}"


def _by(answer: Answer, key: str, header: tuple[str, str]) -> str:
    rows = []
    for name in sorted({each[key] for each in answer["each"]}):
        inside = [each for each in answer["each"] if each[key] == name]
        bad = Counter(what for each in inside for what in each["bad"])
        rows.append(
            (
                name,
                told(bad),
                f"{len(inside):,}",
                f"{sum(each['ended_before'] for each in inside):,}",
                f"{sum(bool(each['bad']) for each in inside):,}",
                seconds(max(each["took_s"] for each in inside)),
            )
        )
    columns = (header[0], "bad is", header[1], "ended before", "bad", "longest s to the end")
    return table(columns, rows, texts=2)


def _usable(answer: Answer) -> str:
    return f"Usable afterwards: {'yes' if answer['usable_after'] else '**no**'}."


def told(counts: Counter[str]) -> str:
    """Return what was found and how often."""
    return ", ".join(f"{what} ({number})" for what, number in counts.most_common()) or "none"


def conclusion() -> str:
    asked = [each.answer for each in read(INPUTS)]
    found, inputs_tried = (
        sum(len(each["findings"]) for each in asked),
        sum(each["inputs"] for each in asked),
    )
    parts = [f"{found} of {inputs_tried:,} damaged inputs"]
    for pattern, what in ((KILLS, "signals"), (WIRE, "faults on the way to servers")):
        each = [one for found in read(pattern) for one in found.answer["each"]]
        if each:
            parts.append(f"{sum(bool(one['bad']) for one in each)} of {len(each):,} {what}")
    return f"A command ended badly by {', '.join(parts)}."
