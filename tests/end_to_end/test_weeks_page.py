# SPDX-License-Identifier: Apache-2.0
"""The page of weeks in Chromium: opened to commits, empty, failing, the badge; by keyboard and for axe."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from nalm_server_harness import Service
from playwright.sync_api import Browser, Page, expect
from service_browser import fresh_context, require_accessible


@pytest.fixture
def week(figures: tuple[Service, str]) -> str:
    """The newest week with measured commits."""
    return str(figures[0].get("/projects/demo/weeks")["weeks"][0]["week"])


def test_a_week_is_opened_by_keyboard_to_its_commits_and_the_address_keeps_it(page: Page, week: str) -> None:
    page.goto("/p/demo")
    page.get_by_role("link", name="By week").click()
    expect(page.get_by_role("heading", level=1, name="Weeks")).to_be_visible()
    tabs = page.get_by_role("navigation", name="Project")
    expect(tabs.get_by_role("link", name="Commits")).to_have_attribute("aria-current", "page")
    weeks = page.get_by_role("region", name="Weeks")
    button = weeks.get_by_role("button", name=week)
    rows = weeks.get_by_role("row").count()
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(weeks.get_by_role("row", name="sfc_b_pipeline ±")).to_be_visible()
    assert weeks.get_by_role("row").count() > rows
    require_accessible(page)
    assert f"week={week}" in page.url
    page.reload()
    expect(button).to_have_attribute("aria-expanded", "true")


def test_the_figures_are_those_of_the_api(page: Page, figures: tuple[Service, str], week: str) -> None:
    overall = figures[0].get("/projects/demo/weeks")["weeks"][0]["overall"]
    page.goto("/p/demo/weeks")
    row = page.get_by_role("region", name="Weeks").get_by_role("row", name=week)
    expect(row).to_contain_text(f"over {overall['averaged']} scenarios")
    expect(row).to_contain_text(f"{overall['same']} same")
    percent = f"{abs(overall['ratio'] - 1) * 100:.2f}"[:3]
    expect(row).to_contain_text(percent)


def test_the_badge_is_drawn_and_its_markdown_can_be_copied(page: Page) -> None:
    page.goto("/p/demo/weeks")
    badges = page.get_by_role("region", name="Badge for a README")
    picture = badges.get_by_role("img", name="Badge: the change of this week")
    expect(picture).to_be_visible()
    assert picture.evaluate("one => one.decode().then(() => one.naturalWidth > 100)")
    address = picture.get_attribute("src")
    assert address is not None
    expect(badges.get_by_text(f"[![nalm]({address})]")).to_be_visible()
    svg = ET.fromstring(page.request.get(address).body())
    assert svg.get("role") == "img" and "cycles per packet" in svg.get("aria-label", "")


def test_without_a_commit_the_page_says_what_makes_a_week(page: Page) -> None:
    page.goto("/p/empty/weeks")
    expect(page.get_by_role("heading", name="No week yet")).to_be_visible()
    require_accessible(page)


@pytest.mark.nightly
def test_a_failing_server_is_said_so(page: Page) -> None:
    error = {"name": "internal", "message": "The database does not answer.", "request_id": "7f3a"}
    page.route(
        "**/api/v1/projects/demo/weeks*", lambda route: route.fulfill(status=500, json={"error": error})
    )
    page.goto("/p/demo/weeks")
    expect(page.get_by_role("alert")).to_contain_text("The database does not answer.", timeout=20_000)
    require_accessible(page)


def test_a_private_project_has_an_address_for_its_badge_that_opens_nothing_else(
    browser: Browser, page: Page, figures: tuple[Service, str]
) -> None:
    service, address = figures
    service.post("/projects", "admin", 201, {"name": "quiet", "repository": "/srv/quiet.git"})
    page.goto("/p/quiet/weeks")
    page.get_by_role("button", name="Create a badge address").click()
    markdown = page.get_by_role("status").get_by_text("badge.svg?token=").inner_text()
    require_accessible(page)
    token = markdown.partition("token=")[2].partition(")")[0]
    with fresh_context(browser, base_url=address) as stranger:
        path = "/api/v1/projects/quiet"
        assert stranger.request.get(f"{path}/badge.svg?token={token}").ok
        assert stranger.request.get(f"{path}/weeks?token={token}").status == 404
