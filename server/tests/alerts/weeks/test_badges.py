# SPDX-License-Identifier: Apache-2.0
"""The badge: what it says, that it can be read, and who may see a private project's."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nalm_server.alerts.weeks.badges.svg import LABEL_COLOR, Badge, Color, render, width_of
from nalm_server_harness import Service
from nalm_server_reports import body_of, make_report

pytestmark = pytest.mark.dialects

SVG = {"s": "http://www.w3.org/2000/svg"}
BADGE = "/api/v1/projects/demo/badge.svg"
SLOWER = {"nat": 180.0}


def read(service: Service, show: str = "week") -> tuple[list[str], str, str]:
    """Texts, title and colour."""
    answer = service.client.get(BADGE, params={"show": show})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml")
    svg = ET.fromstring(answer.content)
    assert svg.get("role") == "img"
    title = svg.findtext("s:title", None, SVG)
    assert title is not None and svg.get("aria-label") == title
    colors = [one.get("fill", "") for one in svg.findall("s:rect", SVG)]
    return [one.text or "" for one in svg.findall("s:text", SVG)], title, colors[-1]


def test_this_weeks_change_with_its_interval_in_the_title(service: Service) -> None:
    assert read(service)[0] == ["cycles per packet", "nothing measured this week"]
    service.upload(body_of(make_report(1, head_costs=SLOWER)))
    texts, title, color = read(service)
    assert texts == ["cycles per packet", "+11.5 % this week"] and color == Color.WORSE
    assert title.startswith("demo, 2026-W47: cycles per packet +11.5 % [+")
    assert title.endswith("over 1 scenario: 1 regressed")
    service.clock.pass_seconds(7 * 86_400)
    assert read(service)[0][1] == "nothing measured this week"


def test_a_week_that_changed_nothing_is_neutral_and_a_faster_one_better(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    texts, _, color = read(service)
    assert (texts[1], color) == ("unchanged this week", Color.NEUTRAL)
    service.upload(body_of(make_report(2, head_costs={"nat": 120.0})))
    assert read(service)[2] == Color.BETTER


def test_open_alerts_once_they_are_confirmed(service: Service) -> None:
    service.upload(body_of(make_report(1, head_costs=SLOWER)))
    service.upload(body_of(make_report(3, status="broken")))
    assert read(service, "alerts") == (
        ["nalm", "no regression open"],
        "demo: no regression open",
        Color.BETTER,
    )
    service.confirm_alerts()
    texts, _, color = read(service, "alerts")
    assert texts == ["nalm", "1 regression, 1 broken commit open"] and color == Color.WORSE


def test_a_private_badge_has_a_token_of_its_own_that_a_new_one_replaces(service: Service) -> None:
    service.post("/projects", "admin", 201, {"name": "quiet", "repository": "/srv/quiet.git"})
    path = "/api/v1/projects/quiet/badge.svg"
    assert service.client.get(path).status_code == 404
    addresses = [service.post("/projects/quiet/badge-token", "admin", 201, None)["url"] for _ in range(2)]
    old, new = (urlsplit(one) for one in addresses)
    assert service.client.get(f"{new.path}?{new.query}").status_code == 200
    assert service.client.get(f"{new.path}?show=alerts&{new.query}").status_code == 200
    assert service.client.get(f"{old.path}?{old.query}").status_code == 404
    for other in ("feed.atom", "weeks"):
        answer = service.client.get(f"/api/v1/projects/quiet/{other}?{new.query}")
        assert answer.status_code == 404, "for the badge alone"
    feed = urlsplit(service.post("/projects/quiet/feed-token", "admin", 201, None)["url"])
    assert service.client.get(f"{path}?{feed.query}").status_code == 404, "nor does the feed's open it"


@given(st.text(), st.text(), st.text())
def test_any_text_makes_readable_xml_as_wide_as_its_parts(label: str, said: str, title: str) -> None:
    svg = ET.fromstring(render(Badge(label, said, Color.NEUTRAL, title)))
    assert float(svg.get("width", "0")) == pytest.approx(width_of(label) + width_of(said))


@pytest.mark.parametrize("color", [*Color, LABEL_COLOR])
def test_white_text_can_be_read(color: str) -> None:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    luminance = sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    assert 1.05 / (luminance + 0.05) >= 4.5
