# SPDX-License-Identifier: Apache-2.0
from xml.etree import ElementTree as ET

import pytest
from nalm_core.profiles.flame import Frame, instruction_flame
from nalm_core.render.flame_svg import EDGE, WIDTH, Legend, flame_svg
from nalm_core.report.run_report import Arm
from nalm_core_calls import with_calls

SVG = "{http://www.w3.org/2000/svg}"
LEGEND = Legend("sfc_a", "instructions a packet", base="aaaa", head="bbbb")
GONE = Frame("gone<&\x00", None, None, 30, 0)
GREW = Frame("grew", "a.c", 7, 20, 60)
ROOT = Frame("all", None, None, 100, 120, (GREW, Frame("same", None, None, 40, 40), GONE))


def drawn(text: str) -> dict[str, ET.Element]:
    groups = ET.fromstring(text).iter(f"{SVG}g")
    return {(group.findtext(f"{SVG}title") or "").split("\n")[0].split(" ")[0]: group for group in groups}


def width(group: ET.Element) -> float:
    rect = group.find(f"{SVG}rect")
    assert rect is not None
    return float(rect.get("width", "nan"))


def test_widths_are_an_arms_costs_and_what_is_not_drawn_is_said() -> None:
    text = flame_svg(ROOT, LEGEND)
    found = drawn(text)
    assert set(found) == {"all", "grew", "same"}
    assert width(found["all"]) == pytest.approx(WIDTH - 2 * EDGE)
    assert width(found["grew"]) == pytest.approx(width(found["all"]) / 2)
    assert "Widths: head (bbbb)" in text
    assert "Not drawn: 30.0 of paths that only base has" in text
    other = flame_svg(ROOT, Legend("sfc_a", "instructions a packet", "aaaa", "bbbb", Arm.BASE))
    assert "gone" in "".join(drawn(other))
    assert "Widths: base (aaaa)" in other


def test_a_change_reads_without_colour_and_hovering_tells_the_figures() -> None:
    grew = drawn(flame_svg(ROOT, LEGEND))["grew"]
    assert grew.findtext(f"{SVG}text") == "▲ grew +40.0"
    assert grew.get("class") == "moved"
    assert "(a.c:7)" in (grew.findtext(f"{SVG}title") or "")
    assert "20.0 to 60.0 (+40.0, +200 %)" in (grew.findtext(f"{SVG}title") or "")
    fell = drawn(flame_svg(Frame("all", None, None, 9, 3), LEGEND))["all"]
    assert (fell.findtext(f"{SVG}text") or "").startswith("▼ all -6.0")


def test_the_picture_holds_nothing_from_outside_and_no_script() -> None:
    flame = instruction_flame(with_calls())
    assert flame is not None
    text = flame_svg(flame, LEGEND)
    tags = {element.tag.removeprefix(SVG) for element in ET.fromstring(text).iter()}
    assert tags == {"svg", "style", "rect", "text", "g", "title"}
    assert text.count("://") == 1  # the namespace
    assert "@import" not in text


def test_frames_lie_within_their_callers() -> None:
    flame = instruction_flame(with_calls())
    assert flame is not None
    for rect in ET.fromstring(flame_svg(flame, LEGEND)).iter(f"{SVG}rect"):
        left = float(rect.get("x", "0"))
        assert left + float(rect.get("width", "0")) <= WIDTH


def test_nothing_to_draw_is_a_picture_too() -> None:
    assert drawn(flame_svg(Frame("all", None, None, 0, 0), LEGEND)) == {}
