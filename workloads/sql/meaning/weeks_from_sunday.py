"""Numbers of weeks."""

from sqlglot import exp

from workloads.sql.meaning.replacing import UnlikeError, inner_first, put, whole_number

_ISO = 3


def weeks_from_sunday(tree: exp.Query) -> exp.Query:
    """Count weeks from the year's first Sunday, days before it in week 0: DuckDB has ISO weeks."""
    for week in inner_first(tree, exp.Week, exp.Extract):
        if isinstance(week, exp.Extract):
            if week.name.upper() == "WEEK":
                put(week, _from_sunday(week.args["expression"]))
            continue
        day = week.this.this if isinstance(week.this, exp.TsOrDsToDate) else week.this
        mode = week.args.get("mode")
        number = 0 if mode is None else whole_number(mode)
        if number == _ISO:
            week.set("mode", None)
        elif number == 0:
            put(week, _from_sunday(day))
        else:
            reason = "weeks are numbered in several ways: WEEK is known of the modes 0 and 3"
            raise UnlikeError(week, reason)
    return tree


def _from_sunday(day: exp.Expr) -> exp.Expr:
    arguments = [exp.cast(day.copy(), "DATE"), exp.Literal.string("%U")]
    return exp.cast(exp.Anonymous(this="STRFTIME", expressions=arguments), "INT")
