"""The kinds of numbers that a project file may say; TOML's ``inf`` and ``nan`` are none."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from advisor.project.sizes import Capacity, parse_share, parse_size


def _size(value: object) -> Capacity:
    return value if isinstance(value, Capacity) else parse_size(value)


Count = Annotated[int, Field(ge=0, strict=True)]
Amount = Annotated[float, Field(ge=0, strict=True, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, strict=True, allow_inf_nan=False)]
Share = Annotated[float, BeforeValidator(parse_share)]
Size = Annotated[Capacity, BeforeValidator(_size)]
