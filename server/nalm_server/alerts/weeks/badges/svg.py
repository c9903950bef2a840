# SPDX-License-Identifier: Apache-2.0
"""A badge as SVG, without anything from outside. Pure."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from enum import StrEnum

from nalm_core.render.xml_text import xml_text

NAMESPACE = "http://www.w3.org/2000/svg"
HEIGHT, SIZE, PADDING = 20, 11, 6
NARROW, WIDE = frozenset("fijlrtI .,:;'|()[]-"), frozenset("mwMW%+")
NARROW_WIDTH, USUAL_WIDTH, WIDE_WIDTH = 4.2, 6.6, 9.6
"""Pixels of a character at SIZE; `textLength` fits any font to their sum."""
LABEL_COLOR = "#444444"


class Color(StrEnum):
    """White text on each has a contrast of at least 4.5:1."""

    BETTER = "#1a7f37"
    WORSE = "#b3261e"
    NEUTRAL = "#5a6270"


@dataclass(frozen=True)
class Badge:
    label: str
    said: str
    color: Color
    title: str
    """In full, for a pointer and for screen readers."""


def render(badge: Badge) -> bytes:
    ET.register_namespace("", NAMESPACE)
    label, said = width_of(badge.label), width_of(badge.said)
    total = label + said
    size = {"width": f"{total:g}", "height": str(HEIGHT)}
    svg = ET.Element(f"{{{NAMESPACE}}}svg", size | {"role": "img", "aria-label": xml_text(badge.title)})
    _add(svg, "title", badge.title)
    _add(svg, "rect", **size, rx="3", fill=LABEL_COLOR)
    _add(svg, "rect", x=f"{label:g}", width=f"{said:g}", height=str(HEIGHT), rx="3", fill=badge.color)
    # The corners where both meet are not round.
    _add(svg, "rect", x=f"{label:g}", width="4", height=str(HEIGHT), fill=badge.color)
    for text, start, width in ((badge.label, 0.0, label), (badge.said, label, said)):
        _add(
            svg,
            "text",
            text,
            x=f"{start + PADDING:g}",
            y="14",
            fill="#ffffff",
            textLength=f"{width - 2 * PADDING:g}",
            **{"font-family": "Verdana,DejaVu Sans,sans-serif", "font-size": str(SIZE)},
        )
    made: bytes = ET.tostring(svg, encoding="utf-8", xml_declaration=True)
    return made


def width_of(text: str) -> float:
    """Of its part of the badge, px."""
    sizes = (NARROW_WIDTH if one in NARROW else WIDE_WIDTH if one in WIDE else USUAL_WIDTH for one in text)
    return round(sum(sizes) + 2 * PADDING, 1)


def _add(parent: ET.Element, tag: str, text: str | None = None, **attributes: str) -> None:
    element = ET.SubElement(parent, f"{{{NAMESPACE}}}{tag}", attributes)
    element.text = xml_text(text) if text is not None else None
