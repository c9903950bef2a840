# SPDX-License-Identifier: Apache-2.0
"""A server that goes away while a page is open: the page reports it at once and recovers by itself."""

from __future__ import annotations

from nalm_server_harness import Service
from playwright.sync_api import Browser, Route, expect
from service_browser import fresh_page, require_accessible

AWAY = "The server is not responding"


def test_a_server_that_goes_away_and_comes_back(browser: Browser, figures: tuple[Service, str]) -> None:
    with fresh_page(browser, base_url=figures[1]) as page:
        page.goto("/p/demo")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.route("**", unanswered)
        page.get_by_role("navigation", name="Project").get_by_role("link", name="Quality").click()
        expect(page.get_by_role("status").filter(has_text=AWAY)).to_be_visible()
        expect(page.get_by_role("alert")).to_contain_text(AWAY)
        expect(page.get_by_role("navigation", name="Project")).to_be_visible()
        require_accessible(page)
        page.unroute("**")
        expect(page.get_by_role("status").filter(has_text=AWAY)).to_have_count(0)
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_role("heading", level=1, name="Detection quality")).to_be_visible()


def unanswered(route: Route) -> None:
    """Fails like a server that does not listen."""
    route.abort("connectionrefused")
