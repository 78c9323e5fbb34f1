"""Names beside circles, none over another."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.report.pictures.join_layout import Point

CHARACTER = 6.9
LINE = 13.0
GAP = 4.0
DISTANCES = (0.0, 12.0, 26.0, 42.0)
"""The distance that a name may have from its circle; those not beside it have a leader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A name's place: `x` and `y` of its anchor; `far` where a leader is needed."""

    text: str
    x: float
    y: float
    anchor: str
    far: bool

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom."""
        wide = len(self.text) * CHARACTER
        shift = {"start": 0.0, "middle": wide / 2, "end": wide}[self.anchor]
        return (self.x - shift, self.y - LINE + 3, self.x - shift + wide, self.y + 3)


def labels(
    order: Sequence[str],
    places: Mapping[str, Point],
    radii: Mapping[str, float],
    *,
    width: float,
    all_of_them: bool,
) -> dict[str, Label]:
    """Return a place for each name, in `order` of importance; a name without room has none.

    With `all_of_them` a name without room is put where it covers least of circles.
    """
    found: dict[str, Label] = {}
    boxes: list[tuple[float, float, float, float]] = []
    circles = [(*places[name], radii[name]) for name in places]
    for name in order:
        best: tuple[float, Label] | None = None
        for label in _candidates(name, places[name], radii[name], far=all_of_them):
            left, _, right, _ = label.box
            if left < 0 or right > width or any(_overlap(label.box, box) for box in boxes):
                continue
            hidden = sum(_covers(label.box, circle) for circle in circles)
            cost = 2.0 * hidden + label.far
            if best is None or cost < best[0]:
                best = (cost, label)
            if not cost:
                break
        if best is not None and (all_of_them or best[0] < 1):
            found[name] = best[1]
            boxes.append(best[1].box)
    return found


def _candidates(name: str, place: Point, radius: float, *, far: bool) -> Iterator[Label]:
    x, y = place
    for distance in DISTANCES if far else DISTANCES[:1]:
        r = radius + GAP + distance
        slant = 0.75 * r
        for at_x, at_y, anchor in (
            (x, y + r + LINE - 4, "middle"),
            (x, y - r, "middle"),
            (x + r, y + 4, "start"),
            (x - r, y + 4, "end"),
            (x + slant, y + slant + 8, "start"),
            (x + slant, y - slant, "start"),
            (x - slant, y + slant + 8, "end"),
            (x - slant, y - slant, "end"),
        ):
            yield Label(text=name, x=at_x, y=at_y, anchor=anchor, far=distance > 0)


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _covers(box: tuple[float, float, float, float], circle: tuple[float, float, float]) -> bool:
    x, y, radius = circle
    near_x, near_y = min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3])
    return (near_x - x) ** 2 + (near_y - y) ** 2 < radius**2
