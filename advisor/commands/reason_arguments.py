"""The options and arguments of explain, what-if and sensitivity."""

import argparse
from collections.abc import Callable
from pathlib import Path

Add = Callable[[str, str, str], argparse.ArgumentParser]


def add_reasons(add: Add) -> None:
    """Add the three commands."""
    _explain(add)
    _what_if(add)
    _sensitivity(add)


def _explain(add: Add) -> None:
    explain = add(
        "explain",
        "why a table is where it is, or a query runs as it does",
        "advisor explain plan.json --query 80",
    )
    _plan_or_project(explain)
    explain.add_argument(
        "table", nargs="?", metavar="TABLE", help="the table to explain [an overview of all]"
    )
    explain.add_argument(
        "--query",
        metavar="NAME",
        help="the query to explain, such as q80 or 80: its fragments, their SQL, predicted and "
        "measured",
    )
    explain.add_argument(
        "--measured",
        type=Path,
        metavar="FILE",
        help="with --query: the run to take measured figures from, as printed by `run --json` or "
        "written beside a report [the project's latest of this plan]",
    )
    explain.add_argument(
        "--fixed-only",
        action="store_true",
        help="leave out what elsewhere costs with everything else solved anew",
    )
    _project(explain)


def _what_if(add: Add) -> None:
    what_if = add(
        "what-if",
        "the best plan if stores, queries, capacities, prices or rates were others",
        "advisor what-if plan.json --capacity pg=80% --without-query q9",
    )
    _plan_or_project(what_if)
    _project(what_if)
    changes = what_if.add_argument_group("the changes (all at once)")
    for option, metavar, text in (
        ("--without-store", "NAME", "leave a store out"),
        ("--add-store", "NAME=KIND[:CAPACITY]", "a store more, such as lake=duckdb:20%%"),
        ("--capacity", "STORE=SIZE", "such as pg=80%%, pg='200 GiB' or pg=none"),
        ("--price", "STORE.PRICE=VALUE", "such as pg.storage_gb_month=0.2"),
        ("--rate", "STORE.RATE=VALUE", "such as pg.scan_bytes_per_s=2x, or engine.start_s=0.3"),
        ("--without-query", "NAME", "leave a query out"),
        ("--executions", "QUERY=N", "such as q9=100"),
        ("--add-query", "FILE", "statements more, from a file of SQL or a log"),
    ):
        changes.add_argument(option, action="append", default=[], metavar=metavar, help=text)
    changes.add_argument(
        "--max-copies", type=int, metavar="N", help="the most stores a table may be in"
    )


def _sensitivity(add: Add) -> None:
    sensitivity = add(
        "sensitivity",
        "how wrong each cost rate must be before the plan changes",
        "advisor sensitivity plan.json --rate pg",
    )
    _plan_or_project(sensitivity)
    _project(sensitivity)
    sensitivity.add_argument(
        "--rate",
        action="append",
        default=[],
        metavar="STORE[.RATE]",
        help="only these rates, such as pg or pg.scan_bytes_per_s, or engine [all that matter]",
    )
    sensitivity.add_argument(
        "--top-queries",
        type=int,
        default=3,
        metavar="N",
        help="also the executions of the N queries that cost the most [3]",
    )


def _plan_or_project(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "plan",
        type=Path,
        metavar="PROJECT|PLAN",
        help="a plan from `place -o`, or a project file (TOML), whose best plan is solved for",
    )


def _project(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--project", type=Path, metavar="PROJECT", help="the plan's project [that it was made of]"
    )
