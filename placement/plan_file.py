"""A plan as JSON: ``plan.json``, which one command writes and another evaluates."""

import json

from pydantic import ValidationError

from placement.plan import PlacementPlan
from workloads.adapters import adapter
from workloads.errors import ConfigurationError


def write_plan(plan: PlacementPlan) -> str:
    """Return the plan as JSON; `read_plan` gives it back unchanged. Equal plans, equal text."""
    # Sets have no order of their own: left to pydantic, the text would differ between runs.
    return json.dumps(adapter(PlacementPlan).dump_python(plan), default=sorted, indent=2) + "\n"


def read_plan(text: str) -> PlacementPlan:
    """Return the plan that `write_plan` wrote.

    Raises:
        ConfigurationError: The text is not JSON or not a plan; the message names the key.
    """
    try:
        return adapter(PlacementPlan).validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        reason = f"{where}: {first['msg']}" if where else first["msg"]
        raise ConfigurationError(
            f"This is not a plan: {reason}. Make one with 'advisor place -o plan.json'."
        ) from None
