"""TPC-DS that lies live on two servers: our placements, and two peers on the same tables."""

from benchmarks.tables.engines import OURS, against, of, outcomes, ran
from benchmarks.tables.markdown import seconds, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read

CURRENT = "current"


def section() -> str:
    return each_alone(read("live_tpcds_*"), compared)


def compared(answer: Answer) -> str:
    """Return what lay where, the plans, and each engine's outcomes and ours beside each other."""
    parts = (outcomes(answer["results"]), against(answer["results"]))
    return "\n\n".join([wrapped(_about(answer)), _plans(answer), *parts])


def _about(answer: Answer) -> str:
    lying = " and ".join(
        f"{each['tables']} tables with {each['rows']:,} rows in {name}"
        for name, each in answer["tables"].items()
    )
    stages = ", ".join(f"{name} {took:.0f} s" for name, took in answer["seconds"].items())
    asked = len({each["query"] for each in answer["results"]})
    queries = (
        f"{asked} queries"
        if asked == answer["queries"]
        else f"{asked} of {answer['queries']} queries"
    )
    warmed = "after a warm-up" if answer["warmed_up"] else "without a warm-up"
    return (
        f"Scale factor {answer['scale_factor']:g}: {lying}. {queries}, rounds: "
        f"{answer['repeats']}, {warmed}, at most {answer['timeout_s']:g} s a query. A DuckDB may "
        f"hold copies of {answer['capacity']} of all bytes. Stages: {stages}."
    )


def _plans(answer: Answer) -> str:
    """Return a row a plan: what was predicted, and what it has beside the live tables."""
    ours = {
        name: of(answer["results"], name, OURS).values()
        for name, engine in ran(answer["results"])
        if engine == OURS
    }
    rows = []
    for name, found in ours.items():
        plan = answer["plans"][name]
        copies = sum(len(stores) > 1 for stores in plan["placement"].values())
        moved = sum(
            not set(stores) & answer["tables"].keys() for stores in plan["placement"].values()
        )
        right = [each for each in found if each["median_s"] is not None]
        sums = (sum(each[key] for each in right) for key in ("predicted_s", "median_s"))
        figures = (*map(seconds, sums), seconds(plan["load_s"]))
        rows.append((name, *figures, f"{copies}", f"{moved}"))
    header = ("placement", "predicted s", "measured s", "load s", "tables copied", "tables moved")
    return table(header, rows)


def conclusion() -> str:
    """Tell how many answers were right where the tables lie, and how many of ours were wrong."""
    told, wrong = [], 0
    for each in read("live_tpcds_*"):
        results = each.answer["results"]
        counts = ", ".join(
            f"{engine} {sum(one['outcome'] == 'verified' for one in found)} of {len(found)}"
            for placement, engine in ran(results)
            if placement == CURRENT and (found := of(results, placement, engine).values())
        )
        told.append(f"at scale factor {each.answer['scale_factor']:g} {counts}")
        wrong += sum(one["outcome"] == "wrong" for one in results if one["engine"] == OURS)
    return (
        f"TPC-DS's queries whose answers are right where its tables lie live: {'; '.join(told)}. "
        f"Wrong answers of ours, there and on the best plan: {wrong}."
    )
