"""Writes the experiments' page, and the same as Markdown and JSON."""

import json
from pathlib import Path

from advisor.experiments.findings import Findings
from advisor.publishing.publish import write
from advisor.report.documents.experiments_json import findings_document
from advisor.report.documents.experiments_markdown import experiments_markdown
from advisor.report.experiments_html import experiments_page

NAME = "experiments"


def publish(found: Findings, folder: Path) -> tuple[Path, ...]:
    """Write the three files into `folder`, and return them.

    Raises:
        ConfigurationError: They cannot be written.
    """
    texts = {
        "html": experiments_page(found),
        "md": experiments_markdown(found),
        "json": json.dumps(findings_document(found), indent=1) + "\n",
    }
    files = []
    for ending, text in texts.items():
        file = folder / f"{NAME}.{ending}"
        write(file, text)
        files.append(file)
    return tuple(files)
