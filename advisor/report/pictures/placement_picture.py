"""The placement as a picture: a shelf a store, a box a table, as wide as its bytes."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from advisor.figures import size
from advisor.report.parts.setting import Setting
from advisor.report.pictures.groups import SHARED, UNUSED, groups
from placement.plan import PlacementPlan

WIDTH = 960
LEFT = 132
RIGHT = 24
BOX_HEIGHT = 34
SHELF_HEIGHT = 86
LEGEND_HEIGHT = 26
SMALLEST_BOX = 13
SHORTEST_LABEL = 5
CHARACTER = 6.1
"""Width of a character of an 11 px label, on average."""

STYLE = """
.pp{--ink:#1c1c1a;--soft:#6b6b66;--line:#8a8a84;--over:#b3261e;--paper:#fff;
--g0:#9ec3de;--g1:#f0b98a;--g2:#a5cf9f;--g3:#cdb7de;--g4:#e6d37e;--g5:#d9d8d2;--g6:#f2f1ed;
font:11px system-ui,sans-serif}
@media (prefers-color-scheme:dark){.pp{--ink:#e9e8e3;--soft:#a09f98;--line:#77766f;--over:#ff8a80;
--paper:#191917;--g0:#2f5f82;--g1:#8a5426;--g2:#3c6b38;--g3:#664a80;--g4:#6f6120;--g5:#4a4944;
--g6:#2b2a27}}
.pp text{fill:var(--ink)}.pp .soft{fill:var(--soft)}.pp .name{font-size:13px;font-weight:600}
.pp .over{fill:var(--over);font-weight:600}.pp .box{stroke:var(--paper);stroke-width:1.5}
.pp .copy{stroke:var(--ink);stroke-width:1.2;stroke-dasharray:3 2}
.pp .room{fill:none;stroke:var(--line);stroke-width:1}
.pp .limit{stroke:var(--over);stroke-width:2}.pp .excess{fill:var(--over);fill-opacity:.28}
"""
STYLE += "".join(f".pp .g{i}{{fill:var(--g{i})}}" for i in range(7))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shelf:
    """One store's row: its tables in order, each with its group's number and its bytes."""

    store: str
    kind: str
    capacity_bytes: int | None
    boxes: tuple[tuple[str, int, int], ...]
    copies: frozenset[str]

    @property
    def held_bytes(self) -> int:
        return sum(size_bytes for _, _, size_bytes in self.boxes)


def placement_svg(plan: PlacementPlan, setting: Setting) -> str:
    """Return a self-contained SVG of the plan's placement.

    All shelves have one scale (bytes to pixels). A store's outline is its capacity; what lies
    beyond it is marked. A table in several stores is drawn in each with a dashed edge; tables too
    small to draw are named below the shelf.
    """
    of_table = groups(setting.table_bytes, setting.graph)
    numbers = group_numbers(of_table, setting)
    shelves = _shelves(plan, setting, of_table, numbers)
    widest = max(max(s.held_bytes, s.capacity_bytes or 0) for s in shelves) or 1
    scale = (WIDTH - LEFT - RIGHT) / widest
    parts = [_legend(shelves, numbers)]
    for row, shelf in enumerate(shelves):
        parts.append(_draw(shelf, scale, LEGEND_HEIGHT + row * SHELF_HEIGHT))
    height = LEGEND_HEIGHT + len(shelves) * SHELF_HEIGHT
    title = escape(f"Placement {plan.strategy}: tables in their stores, as wide as their bytes")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pp" viewBox="0 0 {WIDTH} {height}" '
        f'role="img" aria-label="{title}"><style>{STYLE}</style>{"".join(parts)}</svg>'
    )


def group_numbers(of_table: Mapping[str, str], setting: Setting) -> Mapping[str, int]:
    """Return group → number of its colour; the same in every plan's picture."""
    named = sorted(
        {group for group in of_table.values() if group not in (SHARED, UNUSED)},
        key=lambda group: -setting.table_bytes[group],
    )
    return {group: number for number, group in enumerate(named)} | {SHARED: 5, UNUSED: 6}


def _shelves(
    plan: PlacementPlan,
    setting: Setting,
    of_table: Mapping[str, str],
    numbers: Mapping[str, int],
) -> list[_Shelf]:
    copies = frozenset(table for table, stores in plan.placement.items() if len(stores) > 1)
    shelves = []
    for store, capacity in setting.capacities_bytes.items():
        held = [table for table, stores in plan.placement.items() if store in stores]
        boxes = [(t, numbers[of_table.get(t, UNUSED)], setting.table_bytes.get(t, 0)) for t in held]
        boxes.sort(key=lambda box: (box[1], -box[2], box[0]))
        shelves.append(
            _Shelf(
                store=store,
                kind=setting.kinds.get(store, ""),
                capacity_bytes=capacity,
                boxes=tuple(boxes),
                copies=copies,
            )
        )
    return shelves


def _legend(shelves: list[_Shelf], numbers: Mapping[str, int]) -> str:
    """Name the colours that occur."""
    seen = {group for shelf in shelves for _, group, _ in shelf.boxes}
    parts, x = ['<text class="soft" x="0" y="13">used together with</text>'], LEFT
    for group, number in numbers.items():
        if number not in seen:
            continue
        parts.append(f'<rect class="g{number}" x="{x}" y="4" width="10" height="10"/>')
        parts.append(f'<text class="soft" x="{x + 14}" y="13">{escape(group)}</text>')
        x += int(len(group) * CHARACTER * 1.1) + 28
    return "".join(parts)


def _draw(shelf: _Shelf, scale: float, top: int) -> str:
    y = top + 10
    parts = [
        f'<text class="name" x="0" y="{y + 14}">{escape(shelf.store)}</text>',
        f'<text class="soft" x="0" y="{y + 29}">{escape(_filling(shelf))}</text>',
    ]
    x, small = float(LEFT), []
    small_width = 0.0
    for box in shelf.boxes:
        table, _, size_bytes = box
        width = size_bytes * scale
        if width < SMALLEST_BOX:
            small.append((table, size_bytes))
            small_width += width
            continue
        parts.append(_box(box, x, y, width, copy=table in shelf.copies))
        x += width
    if small:
        title = escape(", ".join(table for table, _ in small))
        parts.append(
            f'<rect class="box g5" x="{x:.1f}" y="{y}" width="{max(small_width, 2):.1f}" '
            f'height="{BOX_HEIGHT}"><title>{title}</title></rect>'
        )
    parts.append(_capacity(shelf, scale, y))
    parts.append(_small_names(small, shelf, y + BOX_HEIGHT + 14))
    return "".join(parts)


def _filling(shelf: _Shelf) -> str:
    held = size(shelf.held_bytes)
    if not shelf.capacity_bytes:
        return f"{held}, no limit"
    return f"{held}, {shelf.held_bytes / shelf.capacity_bytes:.0%} full"


def _box(box: tuple[str, int, int], x: float, y: int, width: float, *, copy: bool) -> str:
    table, group, size_bytes = box
    kind = "box copy" if copy else "box"
    mark = ", a copy" if copy else ""
    parts = [
        f'<rect class="{kind} g{group}" x="{x:.1f}" y="{y}" width="{width:.1f}" ',
        f'height="{BOX_HEIGHT}"><title>{escape(table)} {size(size_bytes)}{mark}</title></rect>',
    ]
    room = int((width - 8) / CHARACTER)
    label = table if len(table) <= room else table[: max(room - 1, 0)] + "…"
    if room >= SHORTEST_LABEL:
        parts.append(f'<text x="{x + 5:.1f}" y="{y + 15}">{escape(label)}</text>')
    if room >= len(size(size_bytes)):
        parts.append(
            f'<text class="soft" x="{x + 5:.1f}" y="{y + 28}">{escape(size(size_bytes))}</text>'
        )
    return "".join(parts)


def _capacity(shelf: _Shelf, scale: float, y: int) -> str:
    if not shelf.capacity_bytes:
        return ""
    edge = LEFT + shelf.capacity_bytes * scale
    outline = (
        f'<rect class="room" x="{LEFT}" y="{y - 3}" width="{edge - LEFT:.1f}" '
        f'height="{BOX_HEIGHT + 6}"/>'
    )
    excess = shelf.held_bytes - shelf.capacity_bytes
    if excess <= 0:
        return outline
    return outline + (
        f'<rect class="excess" x="{edge:.1f}" y="{y}" width="{excess * scale:.1f}" '
        f'height="{BOX_HEIGHT}"/>'
        f'<line class="limit" x1="{edge:.1f}" x2="{edge:.1f}" y1="{y - 7}" '
        f'y2="{y + BOX_HEIGHT + 5}"/>'
        f'<text class="over" x="0" y="{y + 44}">{size(excess)} over</text>'
    )


def _small_names(small: list[tuple[str, int]], shelf: _Shelf, y: int) -> str:
    if not small:
        return ""
    room = int((WIDTH - LEFT - RIGHT) / CHARACTER)
    text, left_out = "", 0
    total = size(sum(size_bytes for _, size_bytes in small))
    for table, _ in sorted(small, key=lambda item: -item[1]):
        name = f"{table}*" if table in shelf.copies else table
        if len(text) + len(name) + 24 > room:
            left_out += 1
        else:
            text += f", {name}" if text else name
    more = f" and {left_out} more" if left_out else ""
    return (
        f'<text class="soft" x="{LEFT}" y="{y}">'
        f"{escape(f'small, {total} together: {text}{more}')}</text>"
    )
