"""Plans that the user names: the files that ``advisor place -o`` wrote."""

from pathlib import Path

from placement.plan import PlacementPlan
from workloads.errors import ConfigurationError


def named_plan(path: Path) -> PlacementPlan:
    """Return the plan in a file.

    Raises:
        ConfigurationError: The file is missing, cannot be read, or is no plan.
    """
    from placement.plan_file import read_plan

    try:
        return read_plan(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigurationError(
            f"There is no plan {path}: make one with 'advisor place PROJECT -o {path}'."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The plan {path} cannot be read: {error}.") from None
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from None
