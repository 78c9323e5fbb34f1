"""Names of a project that reports and MLflow show: none of them may be a password."""

from advisor.project.project import Project
from workloads.errors import ConfigurationError


def refuse_recorded_passwords(project: Project) -> None:
    """Raise ConfigurationError where a password is a name that reports and MLflow show.

    Nothing else of a project's is recorded: no user, no address, no variable's value.
    """
    named = {
        "the project's name": project.name,
        "[tracking].experiment": project.experiment,
        **{f"the name of [stores.{each.name}]": each.name for each in project.stores},
    }
    secrets = project.secrets()
    for where, name in named.items():
        if name in secrets:
            raise ConfigurationError(
                f"A store's password is also {where}, which reports and MLflow show: change one "
                "of the two."
            )
