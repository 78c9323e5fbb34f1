"""SQL laid out over lines, to be read; only where it says the same as what is run."""

import sqlglot
from sqlglot import ErrorLevel
from sqlglot.errors import SqlglotError


def laid_out(sql: str, dialect: str) -> str:
    """Return `sql` over several lines; as it is where reading it back would change a character."""
    try:
        tree = sqlglot.parse_one(sql, read=dialect)
        pretty = tree.sql(dialect, identify=True, pretty=True, unsupported_level=ErrorLevel.RAISE)
        again = sqlglot.parse_one(pretty, read=dialect).sql(dialect, identify=True)
    except SqlglotError:
        return sql
    return pretty if again == sql else sql
