"""Parts that all HTML pages share: the templates, and filters that format figures."""

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from advisor import figures

FILTERS = (
    "seconds",
    "spread",
    "size",
    "count",
    "weight",
    "percent",
    "signed_percent",
    "factor",
    "gap",
    "candidate_name",
    "money",
)


def template(name: str) -> Template:
    """Return a template of ours; what is put into it is escaped."""
    environment = Environment(
        loader=PackageLoader("advisor", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for each in FILTERS:
        environment.filters[each] = getattr(figures, each)
    return environment.get_template(name)
