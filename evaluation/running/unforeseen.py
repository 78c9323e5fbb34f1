"""Errors of a query that nobody foresaw, told in one line."""

from evaluation.running.job import Job

_MESSAGE_CHARACTERS = 500


def unforeseen(job: Job, error: Exception) -> str:
    """Tell in one line, without a password, of an error that is none of those foreseen.

    Such are values that Python cannot hold, like a day of the year 10000, and faults of a driver.
    """
    said = " ".join(str(error).split())
    for connection in job.connections.values():
        said = connection.masked(said)
    return f"{type(error).__name__}: {said[:_MESSAGE_CHARACTERS]}"
