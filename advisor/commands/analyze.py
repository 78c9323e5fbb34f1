"""``advisor analyze``: what each query touches, and what is used together."""

import argparse
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.commands.command import Command, Parser, add_overriding, options
from advisor.project.chosen_project import AnalyzedChoice
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.report.output import Output


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A project or paths, whether Spark folds the logs, and the page to write."""

    of: AnalyzedChoice
    spark: bool
    html: Path | None


def _add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "sources",
        nargs="+",
        metavar="PROJECT|PATH",
        help="a project file, or files and folders of SQL and logs",
    )
    parser.add_argument(
        "--spark", action="store_true", help="fold logs with Spark, for more than one machine"
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="write the analysis as a page")
    paths = parser.add_argument_group("for paths, without a project file")
    paths.add_argument("--dialect", metavar="D", help="SQL dialect [detected]")
    paths.add_argument(
        "--catalog",
        action="append",
        metavar="SOURCE",
        help="tpcds, tpch, a folder or s3:// of Parquet, or DDL (may be repeated) [tpcds]",
    )
    paths.add_argument("--rows", metavar="FILE", help="rows of the tables of DDL: table,rows")
    paths.add_argument("--frequencies", metavar="FILE", help="executions of the queries by name")
    add_overriding(parser, "skip_invalid", "filters")


def _request(arguments: argparse.Namespace) -> Request:
    catalog: list[str] | None = arguments.catalog
    return Request(
        of=AnalyzedChoice(
            sources=tuple(arguments.sources),
            options=options(arguments),
            dialect=arguments.dialect,
            frequencies=arguments.frequencies,
            catalog=None if catalog is None else tuple(catalog),
            rows=arguments.rows,
        ),
        spark=arguments.spark,
        html=arguments.html,
    )


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Show what the workload touches."""
    from rich.text import Text

    read = request.of.read()
    from advisor.analysis.analyze import analyze
    from advisor.analysis.period_notes import period_notes
    from advisor.analysis.told_notes import tell_notes
    from advisor.measuring.clear_text import tell_clear_text
    from advisor.publishing.publish import refuse_unwritable, write
    from advisor.refusals.refused import refuse
    from advisor.report.analysis_html import render_analysis
    from advisor.report.documents.analysis_json import analysis_document
    from advisor.report.text.analysis_text import analysis_text
    from advisor.report.text.work_text import work_lines

    refuse_unwritable(request.html, "--html")
    project = refuse(read, progress)
    begun = datetime.now(UTC)
    analysis = analyze(project, progress, spark=request.spark)
    output.show_lines(work_lines(project, begun, [request.html]))
    tell_notes(project, analysis, output.note, period_notes(project), again=True)
    tell_clear_text(project, output.note, sources_alone=True)
    output.show(analysis_text(analysis, output.width))
    if request.html is not None:
        with progress.task("Draw the analysis"):
            write(request.html, render_analysis(analysis), "--html")
        output.show(Text(f"\nWritten: {request.html}"))
    output.answer(analysis_document(analysis))


ANALYZE = Command(
    name="analyze",
    summary="what each query touches, and what is used together",
    example="advisor analyze queries/ --catalog schema.sql --html analysis.html",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
