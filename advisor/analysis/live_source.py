"""A live store as a source of a project's workload or catalog."""

from evaluation.live.live import Live
from workloads.errors import ConfigurationError


def live_source(kind: str) -> Live:
    """Return what reads the tables and the statements of live stores of a kind.

    Raises:
        ConfigurationError: Stores of the kind keep none.
    """
    from evaluation.kinds import LIVE

    if kind not in LIVE:
        raise ConfigurationError(
            f"A store of kind '{kind}' keeps no types and no statistics of statements: name one of "
            f"{', '.join(LIVE)} as source, or files."
        )
    return LIVE[kind]
