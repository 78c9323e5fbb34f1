"""``advisor migrate``: the ordered steps from one placement to another, as commands."""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.commands.command import Command, Parser
from advisor.commands.diff import add_plans_project
from workloads.catalog import Catalog
from workloads.errors import ConfigurationError
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.planned.planned import Planned
    from advisor.report.output import Output
    from placement.movement.copy_indexes import Indexes
    from placement.movement.migration import Migration
    from placement.movement.migration_routing import Switched
    from placement.movement.migration_steps import Step
    from placement.plan import PlacementPlan
    from placement.problem import PlacementProblem

CURRENT = "current"
_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The files of the plans to go from and to, of their project, and the place for the commands.

    `start` None is the current placement of the project.
    """

    start: Path | None
    goal: Path
    project: Path | None
    sql: Path | None

    @property
    def is_folder(self) -> bool:
        """Whether the commands go into files of their own in a folder."""
        return self.sql is not None and (self.sql.suffix != ".sql" or self.sql.is_dir())


def _add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "plans", type=Path, nargs="*", metavar="A B", help="plans from `place -o`: from A to B"
    )
    parser.add_argument(
        "--from",
        dest="start",
        type=Path,
        metavar="A",
        help="the plan to start from [[place].current of the project]",
    )
    parser.add_argument("--to", dest="goal", type=Path, metavar="B", help="the plan to go to")
    parser.add_argument(
        "--sql",
        type=Path,
        metavar="PLACE",
        help="write the commands of all steps: into one file that ends in .sql, or into a folder, "
        "one file a command",
    )
    add_plans_project(parser)


def _request(arguments: argparse.Namespace) -> Request:
    plans: list[Path] = list(arguments.plans)
    start, goal = arguments.start, arguments.goal
    if goal is None and plans:
        goal = plans.pop()
    if start is None and plans:
        start = plans.pop()
    if goal is None or plans:
        raise ConfigurationError(
            "Name the plans to go from and to: 'advisor migrate A B', or 'advisor migrate "
            "--to B', which starts from [place].current of the project."
        )
    return Request(start=start, goal=goal, project=arguments.project, sql=arguments.sql)


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Show the ordered steps from one placement to another, and write their commands."""
    from rich.text import Text

    from advisor.figures import counted
    from advisor.planned.planned import planned, refuse_unreadable
    from advisor.project.plan_files import named_plan
    from advisor.project.store_addresses import addresses
    from advisor.publishing.publish import refuse_unwritable, refuse_used_folder, write
    from advisor.report.documents.movement_json import migration_document
    from advisor.report.text.migration_files import migration_files
    from advisor.report.text.migration_text import migration_script, migration_text
    from advisor.report.text.work_text import work_lines
    from evaluation.migration_sql import MigrationCommands

    start = None if request.start is None else named_plan(request.start)
    refuse_unreadable(request.goal, request.project)
    if request.is_folder:
        refuse_used_folder(request.sql, "--sql")
    else:
        refuse_unwritable(request.sql, "--sql")
    begun = datetime.now(UTC)
    goal = planned(request.goal, output.note, progress, project_file=request.project)
    output.show_lines(work_lines(goal.project, begun, [request.sql]))
    ordered, on_the_way = _ordered(goal, start, progress)
    writer = MigrationCommands(
        catalog=goal.analysis.catalog,
        connections=addresses(goal.project),
        exchange=goal.project.folder / "migration",
    )
    preamble, commands = writer.preamble(ordered.steps), writer.of(ordered.steps)
    capacities = {store.name: store.capacity_bytes for store in goal.problem.stores}
    output.show(migration_text(ordered, on_the_way, capacities))
    if request.sql is not None:
        number = counted(len(ordered.steps), "step")
        title = f"From {request.start or CURRENT} to {request.goal}: {number}"
        if request.is_folder:
            files = migration_files(title, ordered.steps, preamble, commands)
            for name, text in files.items():
                write(request.sql / name, text, "--sql")
        else:
            script = migration_script(title, ordered.steps, preamble, commands)
            write(request.sql, script, "--sql")
        output.show(Text(f"Written: {request.sql}"))
    elif ordered.steps:
        output.show(Text("The commands: --sql PLACE writes them, --json prints them.", style="dim"))
    output.answer(migration_document(ordered, on_the_way, preamble, commands))


def _kept(catalog: Catalog, steps: Iterable["Step"]) -> Iterator["Step"]:
    """Yield the steps without those that drop live tables: queries leave these, and they stay."""
    for step in steps:
        origin = catalog.table(step.table).origin
        if step.kind != "drop" or origin is None or origin.store != step.source:
            yield step


def _ordered(
    goal: "Planned", start: "PlacementPlan | None", progress: Progress
) -> "tuple[Migration, Sequence[Switched]]":
    """Return the ordered steps, and what the queries take at the start and on the way."""
    from placement.movement.migration import migrate
    from placement.movement.migration_routing import switched
    from workloads.copied_indexes import known_of, of_copies

    if start is not None:
        goal.refuse_foreign(start)
    else:
        _refuse_partial(goal.problem)
    catalog = goal.analysis.catalog
    placement = goal.problem.current if start is None else start.placement
    there = goal.project.current_indexes if start is None else start.indexes
    had = of_copies(catalog, known_of(catalog, there))
    problem = _knowing(goal.problem, catalog, had, of_copies(catalog, goal.plan.indexes))
    with progress.task("Ordering the moves"):
        migration = migrate(problem, placement, goal.plan.placement, had)
    migration = replace(migration, steps=tuple(_kept(catalog, migration.steps)))
    return migration, switched(problem, placement, migration.steps, progress, had)


def _knowing(
    problem: "PlacementProblem", catalog: Catalog, had: "Indexes", wanted: "Indexes"
) -> "PlacementProblem":
    """Return the problem with the indexes that are wanted, and with the bytes of all of them.

    A plan may have some that are no candidates any more.
    """
    from workloads.copied_indexes import index_bytes

    named = {each for indexes in (*had.values(), *wanted.values()) for each in indexes}
    sizes = {
        each: index_bytes(catalog.table(each.table), each.columns)
        for each in sorted(named - problem.index_bytes.keys())
    }
    known = replace(problem, index_bytes={**problem.index_bytes, **sizes})
    return known.with_indexes(wanted)


def _refuse_partial(problem: "PlacementProblem") -> None:
    """Raise ConfigurationError where the current placement lacks tables or is not given."""
    missing = [table for table in problem.table_bytes if not problem.current.get(table)]
    if missing:
        listed = ", ".join(missing[:_NAMED])
        more = len(missing) - _NAMED
        raise ConfigurationError(
            f"[place].current does not say where {listed}"
            f"{f' and {more} more tables' if more > 0 else ''} "
            "are now: complete it, or name the plan to start from with --from."
        )


MIGRATE = Command(
    name="migrate",
    summary="the ordered steps from one placement to another, as commands",
    example="advisor migrate --to plan.json --sql steps.sql",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
