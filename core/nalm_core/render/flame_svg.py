# SPDX-License-Identifier: Apache-2.0
"""A differential flame graph as one SVG picture, which fetches nothing and runs no script.

Callers are above their callees. The width of a frame is its cost in one of the arms. Red and an up arrow: its
own cost (without callees) rose from base to head. Blue and a down arrow: its own cost fell. Hovering over a
frame shows its figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from nalm_core.profiles.flame import Frame
from nalm_core.render.xml_text import xml_text
from nalm_core.report.run_report import Arm
from nalm_core.text.percents import change_percent

WIDTH, ROW, TOP, EDGE = 1200.0, 20.0, 64.0, 10.0
LETTER = 6.7
"""Width of a letter in pixels, by which labels are cut."""
NARROWEST = 0.4
"""Pixels; narrower frames are not drawn."""
NOTICEABLE = 0.001
"""Change of a frame's own cost, relative to the root, from which it is marked."""
STYLE = """
text { font: 11px ui-monospace, monospace; fill: #111 } .head { font: 600 14px system-ui, sans-serif }
.note { font: 12px system-ui, sans-serif } .back { fill: #fff } rect { stroke: #fff; stroke-width: .6 }
.moved rect { stroke: #111; stroke-width: 1 } g:hover > rect { stroke: #111; stroke-width: 2 }
@media (prefers-color-scheme: dark) { .back { fill: #15181c } .head, .note { fill: #eee }
rect { stroke: #15181c } .moved rect { stroke: #fff } }
"""


@dataclass(frozen=True)
class Legend:
    """Texts of the picture."""

    title: str
    unit: str
    """Unit of the costs, such as `instructions a packet`."""
    base: str
    head: str
    """Names of the two sides."""
    width_of: Arm = Arm.HEAD
    """The arm whose costs determine the widths."""
    note: str = ""


def flame_svg(root: Frame, legend: Legend) -> str:
    """The picture. Paths without a cost in the arm of the widths are not drawn; a note states their sum."""
    placed = list(_placed(root, legend.width_of))
    depth = max((row for row, *_ in placed), default=0) + 1
    height = TOP + depth * ROW + EDGE
    svg = ET.Element(
        "svg",
        {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {WIDTH:g} {height:g}", "role": "img"},
    )
    svg.set("aria-label", xml_text(f"{legend.title}. {_totals(root, legend)}"))
    ET.SubElement(svg, "style").text = STYLE
    ET.SubElement(svg, "rect", {"class": "back", "width": f"{WIDTH:g}", "height": f"{height:g}"})
    for y, kind, line in (
        (18, "head", legend.title),
        (36, "note", _totals(root, legend)),
        (53, "note", _how(root, legend)),
    ):
        ET.SubElement(svg, "text", {"class": kind, "x": f"{EDGE:g}", "y": str(y)}).text = xml_text(line)
    most = max((abs(_own_change(frame)) for *_, frame in placed), default=0.0)
    for row, left, width, frame in placed:
        svg.append(_drawn(frame, (left, TOP + row * ROW, width), _Scale(root, most, legend)))
    return ET.tostring(svg, encoding="unicode") + "\n"


@dataclass(frozen=True)
class _Scale:
    root: Frame
    most: float
    """Largest change of a frame's own cost."""
    legend: Legend


def _placed(root: Frame, arm: Arm) -> Iterator[tuple[int, float, float, Frame]]:
    """Row, left edge, width and frame of each drawn frame."""
    total = _cost(root, arm)
    each = (WIDTH - 2 * EDGE) / total if total > 0 else 0.0
    waiting = [(0, EDGE, root)]
    while waiting:
        row, left, frame = waiting.pop()
        width = _cost(frame, arm) * each
        if width < NARROWEST:
            continue
        yield row, left, width, frame
        for child in frame.children:
            waiting.append((row + 1, left, child))
            left += _cost(child, arm) * each


def _drawn(frame: Frame, at: tuple[float, float, float], scale: _Scale) -> ET.Element:
    left, top, width = at
    change = _own_change(frame)
    moved = abs(change) >= NOTICEABLE * max(scale.root.base, scale.root.head)
    group = ET.Element("g", {"class": "moved"} if moved else {})
    ET.SubElement(group, "title").text = xml_text(_title_of(frame, scale.legend))
    size = {"x": f"{left:.2f}", "y": f"{top:g}", "width": f"{width:.2f}", "height": f"{ROW - 1:g}", "rx": "2"}
    ET.SubElement(group, "rect", size | {"fill": _colour(change / scale.most if moved else 0.0)})
    label = f"{_arrow(change)} {frame.name} {change:+.1f}" if moved else frame.name
    letters = int((width - 6) / LETTER)
    if letters >= 3:
        shown = label if len(label) <= letters else label[: letters - 1] + "…"
        place = {"x": f"{left + 3:.2f}", "y": f"{top + ROW - 6:g}"}
        ET.SubElement(group, "text", place).text = xml_text(shown)
    return group


def _colour(share: float) -> str:
    """From blue (-1) over grey (0) to red (1), always light enough for black letters."""
    pale = round(225 - 95 * abs(share))
    if share > 0:
        return f"rgb(250,{pale},{pale})"
    return f"rgb({pale},{round(228 - 48 * abs(share))},250)" if share < 0 else "rgb(226,226,226)"


def _arrow(change: float) -> str:
    return "▲" if change > 0 else "▼"


def _own_change(frame: Frame) -> float:
    return frame.own_head - frame.own_base


def _cost(frame: Frame, arm: Arm) -> float:
    return frame.base if arm is Arm.BASE else frame.head


def _title_of(frame: Frame, legend: Legend) -> str:
    where = f" ({frame.file}:{frame.line})" if frame.file and frame.line else ""
    return (
        f"{frame.name}{where}\nwith callees: {_from_to(frame.base, frame.head)} {legend.unit}\n"
        f"its own: {_from_to(frame.own_base, frame.own_head)} {legend.unit}"
    )


def _from_to(base: float, head: float) -> str:
    share = f", {change_percent(head / base - 1)}" if base > 0 else ""
    return f"{base:.1f} to {head:.1f} ({head - base:+.1f}{share})"


def _totals(root: Frame, legend: Legend) -> str:
    return f"{legend.base} to {legend.head}: {_from_to(root.base, root.head)} {legend.unit}"


def _how(root: Frame, legend: Legend) -> str:
    """How to read the picture, and which costs are not drawn."""
    arm = legend.width_of
    other = Arm.HEAD if arm is Arm.BASE else Arm.BASE
    lost = sum(_cost(frame, other) for frame in _beginnings(root, arm))
    gone = f" Not drawn: {lost:.1f} of paths that only {other} has." if lost else ""
    side = legend.base if arm is Arm.BASE else legend.head
    note = f" {legend.note}" if legend.note else ""
    return f"Widths: {arm} ({side}). ▲ red: its own cost rose, ▼ blue: it fell.{gone}{note}"


def _beginnings(frame: Frame, arm: Arm) -> Iterator[Frame]:
    """Topmost frames without a cost in an arm."""
    for child in frame.children:
        if _cost(child, arm) == 0:
            yield child
        else:
            yield from _beginnings(child, arm)
