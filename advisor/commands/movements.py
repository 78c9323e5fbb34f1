"""The commands that compare plans and move from one to another: pareto, diff and migrate."""

import argparse
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from rich.text import Text

from advisor.project.chosen_project import named_project
from advisor.project.plan_files import named_plan
from advisor.report.output import Output
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from workloads.errors import ConfigurationError, InfeasibleError
from workloads.progress import Progress

BASELINES = ("single_store", "naive", "proximity")
CURRENT = "current"


def pareto(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Show the frontier over seconds, bytes moved, money and migration."""
    project = named_project(arguments)
    from advisor import pipeline
    from advisor.analysis.notes import notes
    from advisor.planned.plan_origin import recorded
    from advisor.publishing.publish import refuse_unwritable, write
    from advisor.report.documents.movement_json import frontier_document
    from advisor.report.pictures.pareto_picture import frontier_page, frontier_svg
    from advisor.report.text.pareto_text import frontier_text
    from placement.frontier import pareto as frontiers
    from placement.plan_file import write_plan

    for option in ("html", "svg", "output"):
        refuse_unwritable(getattr(arguments, option), f"--{option}")
    analysis = pipeline.analyze(project, progress)
    for note in notes(analysis):
        output.note(note)
    problem = pipeline.placement_problem(project, analysis)
    found = frontiers.pareto(
        problem, progress, points=arguments.points, baselines=_baselines(problem)
    )
    output.show(frontier_text(found))
    if arguments.html is not None:
        command = f"advisor pareto {arguments.project} --points {arguments.points}"
        if arguments.scale_factor is not None:
            command += f" --scale-factor {arguments.scale_factor:g}"
        if arguments.queries is not None:
            command += f" --queries {arguments.queries}"
        write(arguments.html, frontier_page(found, project.name, command), "--html")
    if arguments.svg is not None:
        write(arguments.svg, frontier_svg(found), "--svg")
    if arguments.output is not None:
        write(arguments.output, write_plan(recorded(found.knee.plan, arguments)))
    for file in (arguments.html, arguments.svg, arguments.output):
        if file is not None:
            output.show(Text(f"Written: {file}"))
    output.answer(frontier_document(found))


def _baselines(problem: PlacementProblem) -> Sequence[PlacementPlan]:
    """Return what is there now and the plans that are made without optimising, if they can run."""
    from advisor.pipeline import current
    from placement.strategies import candidates

    made = list(current(problem))
    for name in BASELINES:
        with suppress(InfeasibleError):
            made += candidates(problem, [name])
    return made


def diff(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Show what differs between two plans."""
    from advisor.planned.planned import planned
    from advisor.report.documents.movement_json import difference_document
    from advisor.report.text.migration_text import difference_text
    from placement.movement.difference import difference

    before = named_plan(arguments.before)
    after = planned(arguments.after, output.note, progress, project_file=arguments.project)
    from advisor import pipeline

    pipeline.refuse_foreign(after.project, before, after.problem)
    before = _priced(after.problem, before, arguments.before, output)
    found = difference(after.problem, before, after.plan)
    output.show(difference_text(found, arguments.before.name, arguments.after.name))
    output.answer(difference_document(found))


def _priced(
    problem: PlacementProblem, plan: PlacementPlan, file: Path, output: Output
) -> PlacementPlan:
    """Return the plan as the problem prices it; a note says where the plan said otherwise."""
    from placement.limits.check import check
    from placement.routing.routing import plan_for

    if all(broken in plan.violations for broken in check(problem, plan)):
        return plan
    output.note(
        f"The plan {file} is of another state of the project: its placement is kept, and its "
        "queries are routed and priced anew."
    )
    return plan_for(problem, plan.strategy, plan.placement)


def migrate(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Show the ordered steps from one placement to another, and write their commands."""
    start_file, goal_file = _ends(arguments)
    from advisor import pipeline
    from advisor.planned.planned import planned
    from advisor.project.store_addresses import addresses
    from advisor.publishing.publish import refuse_unwritable, write
    from advisor.report.documents.movement_json import migration_document
    from advisor.report.text.migration_text import migration_script, migration_text
    from evaluation.migration_sql import MigrationCommands
    from placement.movement.migration import migrate as ordered
    from placement.movement.migration_routing import switched

    refuse_unwritable(arguments.sql, "--sql")
    start = None if start_file is None else named_plan(start_file)
    goal = planned(goal_file, output.note, progress, project_file=arguments.project)
    problem = goal.problem
    if start is not None:
        pipeline.refuse_foreign(goal.project, start, problem)
    placement = problem.current if start is None else start.placement
    _refuse_partial(problem, placement)
    with progress.task("Ordering the moves"):
        migration = ordered(problem, placement, goal.plan.placement)
    on_the_way = switched(problem, placement, migration.steps, progress)
    writer = MigrationCommands(
        catalog=goal.analysis.catalog,
        connections=addresses(goal.project),
        exchange=goal.project.folder / "migration",
    )
    preamble, commands = writer.preamble(migration.steps), writer.of(migration.steps)
    capacities = {store.name: store.capacity_bytes for store in problem.stores}
    output.show(migration_text(migration, on_the_way, capacities))
    if arguments.sql is not None:
        title = f"From {start_file or CURRENT} to {goal_file}: {len(migration.steps)} steps"
        write(arguments.sql, migration_script(title, migration.steps, preamble, commands), "--sql")
        output.show(Text(f"Written: {arguments.sql}"))
    elif migration.steps:
        output.show(Text("The commands: --sql FILE writes them, --json prints them.", style="dim"))
    output.answer(migration_document(migration, on_the_way, preamble, commands))


def _ends(arguments: argparse.Namespace) -> tuple[Path | None, Path]:
    """Return the files of the plans to start from and to go to; None is the current placement."""
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
    return start, goal


def _refuse_partial(problem: PlacementProblem, placement: object) -> None:
    """Raise ConfigurationError where the current placement lacks tables or is not given."""
    if placement is not problem.current:
        return
    missing = [table for table in problem.table_bytes if not problem.current.get(table)]
    if missing:
        listed = ", ".join(missing[:3])
        raise ConfigurationError(
            f"[place].current does not say where {listed}"
            f"{f' and {len(missing) - 3} more tables' if len(missing) > 3 else ''} "  # noqa: PLR2004
            "are now: complete it, or name the plan to start from with --from."
        )
