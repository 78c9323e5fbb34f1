"""The statements of one text, each as a query of its own."""

from dataclasses import replace

from workloads.sql.parsing.kinds import first_word
from workloads.sql.parsing.split import split_statements
from workloads.workload import Query


def queries_of(query: Query, dialect: str) -> list[Query]:
    """Return the statements of a text, at their places; the query itself where it is one.

    Raises:
        ConfigurationError: No dialect is called so.
        SqlError: A string or a comment does not end.
    """
    if ";" not in query.sql and first_word(query.sql)[0]:
        return [query]
    parts = split_statements(query.sql, dialect, query.origin)
    if len(parts) == 1:
        return [query]
    return [
        replace(
            query,
            name=f"{query.name}/{number}",
            sql=part.sql,
            line=query.line + part.line - 1,
            column=part.column + (query.column - 1 if part.line == 1 else 0),
        )
        for number, part in enumerate(parts, start=1)
    ]
