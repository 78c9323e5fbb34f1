"""Small queries with connections that are lent again, and with logins."""

from benchmarks.tables.markdown import Cells, percent, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read

_MS = 1_000


def section() -> str:
    return each_alone(read("connection_pool"), readings)


def readings(answer: Answer) -> str:
    """Return a row for each kind of servers, store and case."""
    header: Cells = ("store", "case", "login ms", "lent ms", "login CPU ms", "lent CPU ms")
    rows = [
        (
            f"{store}{', TLS' if tls else ''}",
            case,
            *(
                f"{_MS * ways[way][figure]:.1f}"
                for figure in ("seconds", "cpu_s")
                for way in ("login", "lent")
            ),
        )
        for (tls, store, case), ways in _by_way(answer).items()
    ]
    executions = answer["blocks"] * answer["executions"]
    about = f"{executions} executions of each; medians of seconds, means of CPU seconds."
    return f"{table(header, rows, texts=2)}\n\n{wrapped(about)}"


def _by_way(answer: Answer) -> dict[tuple[bool, str, str], dict[str, Answer]]:
    found: dict[tuple[bool, str, str], dict[str, Answer]] = {}
    for each in answer["runs"]:
        key = each["tls"], each["store"], each["case"]
        found.setdefault(key, {})[each["way"]] = each
    return found


def conclusion() -> str:
    shares: dict[bool, list[float]] = {False: [], True: []}
    for result in read("connection_pool"):
        for (tls, _, _), ways in _by_way(result.answer).items():
            shares[tls].append(ways["lent"]["cpu_s"] / ways["login"]["cpu_s"])
    clear, encrypted = (
        f"{percent(min(each))} to {percent(max(each))}" for each in (shares[False], shares[True])
    )
    return (
        "With connections that are lent again a small query takes "
        f"{clear} of its CPU seconds with a login for each read, and {encrypted} with TLS."
    )
