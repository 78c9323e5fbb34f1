"""The table of the shop on servers that are only read: seconds of commands, ends of queries."""

from collections import Counter

from benchmarks.tables.markdown import seconds, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read


def section() -> str:
    return each_alone(read("web_shop_live"), ran)


def ran(answer: Answer) -> str:
    """Return a row a command, and how the queries of all candidates ended."""
    rows = [(command, seconds(took)) for command, took in answer["seconds"].items()]
    ended = Counter[str]()
    for candidate in answer["candidates"]:
        ended.update(candidate["outcomes"])
    queries = ", ".join(f"{count} {outcome}" for outcome, count in ended.items())
    names = ", ".join(candidate["strategy"] for candidate in answer["candidates"])
    about = (
        f"{answer['rows']:,} rows in {answer['tables']} tables, beside {answer['mysql']}. Until "
        f"there is a plan: {seconds(answer['until_plan_s'])} s. Queries of {names}: {queries}, "
        f"each with its reason in the JSON. {_statements(answer)}."
    )
    return f"{table(('command', 's'), rows, texts=1)}\n\n{wrapped(about)}"


def conclusion() -> str:
    answer = read("web_shop_live")[0].answer
    return (
        f"On live servers behind TLS it takes {seconds(answer['until_plan_s'])} s from `init` to a "
        f"plan. {_statements(answer)}."
    )


def _statements(answer: Answer) -> str:
    logged, others = answer["statements_logged"], len(answer["not_reading"])
    return f"The servers logged {logged:,} statements of ours, and {others} that are no reading"
