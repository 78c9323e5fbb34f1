"""``advisor export``: the evaluation as a job for spark-submit, the stores as Trino's catalogs."""

import argparse
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.commands.command import (
    Command,
    Parser,
    add_optional_stores,
    add_overriding,
    add_project,
    choice,
)
from advisor.project.chosen_project import ProjectChoice
from workloads.errors import ConfigurationError
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.report.output import Output


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The project, the job's file, and the folder of Trino's catalogs; one of the two is given."""

    project: ProjectChoice
    output: Path | None
    trino: Path | None


def _add_arguments(parser: Parser) -> None:
    add_project(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the job here")
    parser.add_argument(
        "--trino", type=Path, metavar="FOLDER", help="write the stores as Trino's catalogs here"
    )
    add_overriding(parser, "repeats", "clients", "skip_invalid", "filters", "engine", "spark")
    add_optional_stores(parser)


def _request(arguments: argparse.Namespace) -> Request:
    return Request(project=choice(arguments), output=arguments.output, trino=arguments.trino)


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Write the evaluation's job for spark-submit, or the stores as catalogs of a Trino."""
    from rich.text import Text

    if request.output is None and request.trino is None:
        raise ConfigurationError(
            "Say what to write: -o FILE, a job for spark-submit, or --trino FOLDER."
        )
    project = request.project.project()
    from advisor.analysis.analyze import analyze
    from advisor.measuring.clear_text import tell_clear_text
    from advisor.measuring.connections import refuse_asleep
    from advisor.measuring.exports import exported_job, trino_catalogs
    from advisor.publishing.publish import write, write_folder
    from advisor.report.exported import export_document, trino_text
    from advisor.report.text.work_text import work_lines
    from evaluation.installation.trino_plugin import NAME, plugin_jars

    refuse_asleep(project)
    begun = datetime.now(UTC)
    analysis = analyze(project, progress, needs_data=request.output is not None)
    output.show_lines(work_lines(project, begun, [request.output, request.trino]))
    tell_clear_text(project, output.note)
    catalogs = None
    if request.output is not None:
        write(request.output, exported_job(project, analysis, progress))
        output.show(Text(f"Written: {request.output}"))
    if request.trino is not None:
        catalogs = trino_catalogs(project, analysis, progress)
        for catalog in catalogs:
            write(request.trino / catalog.file_name, catalog.text, "--trino")
        plugin = None
        if any(catalog.needs_plugin for catalog in catalogs):
            plugin = request.trino / "plugin" / NAME
            write_folder(plugin, plugin_jars(progress), "--trino")
        output.show(trino_text(request.trino, catalogs, plugin))
    output.answer(export_document(request.output, request.trino, catalogs))


EXPORT = Command(
    name="export",
    summary="the evaluation as a job for spark-submit, the stores as catalogs of Trino",
    example="advisor export p.toml -o job.json",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
