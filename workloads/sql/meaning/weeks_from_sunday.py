"""Numbers of weeks."""

from sqlglot import exp


def weeks_from_sunday(tree: exp.Query) -> exp.Query:
    """Count weeks from the year's first Sunday, days before it in week 0: DuckDB has ISO weeks."""
    for week in list(tree.find_all(exp.Week)):
        if week.args.get("mode") is None:
            day = week.this.this if isinstance(week.this, exp.TsOrDsToDate) else week.this
            text = exp.Anonymous(
                this="STRFTIME",
                expressions=[exp.cast(day.copy(), "DATE"), exp.Literal.string("%U")],
            )
            week.replace(exp.cast(text, "INT"))
    return tree
