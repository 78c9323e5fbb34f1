"""Semi-joins by 100 to 10 million keys, in each store."""

from benchmarks.tables.markdown import Cells, seconds, span, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read

WAYS = ("statement", "table", "none")
MOST_IN_STATEMENT = 50_000
ROWS_A_KEY = 5


def section() -> str:
    return each_alone(read("many_keys"), readings)


def readings(answer: Answer) -> str:
    """Return a row for each store and number of keys: what each way takes."""
    header: Cells = ("store", "keys", "statement s", "table s", "none s")
    header = (*header, "statement CPU s", "table CPU s", "none CPU s")
    runs = {(each["store"], each["keys"], each["way"]): each for each in answer["runs"]}
    cells = dict.fromkeys((store, keys) for store, keys, _ in runs)
    rows = [
        (
            store,
            f"{keys:,}",
            *(
                _told(runs.get((store, keys, way), {}), figure)
                for figure in ("seconds", "cpu_s")
                for way in WAYS
            ),
        )
        for store, keys in cells
    ]
    about = f"{answer['rows']:,} rows in each store; medians of {answer['repeats']} run(s)."
    return f"{table(header, rows)}\n\n{wrapped(about)}"


def _told(run: Answer, figure: str) -> str:
    if "error" in run:
        return "failed"
    return seconds(run[figure]) if figure in run else "-"


def conclusion() -> str:
    shares = []
    for result in read("many_keys"):
        runs = {(e["store"], e["keys"], e["way"]): e for e in result.answer["runs"]}
        for (store, keys, way), each in runs.items():
            whole = runs.get((store, keys, "none"), {})
            if way != "table" or keys <= MOST_IN_STATEMENT or "error" in (each | whole):
                continue
            if whole["rows_moved"] - each["rows_moved"] >= ROWS_A_KEY * keys:
                shares.append(each["seconds"] / whole["seconds"])
    return (
        "Semi-joins by more than 50,000 keys, as a table of the store: "
        f"{span(shares, '.2f')} times as long as without, where a plan loads them."
    )
