# SPDX-License-Identifier: Apache-2.0
"""Every page of the router: with nothing there, with work there, failing and slow, and for axe each time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from every_page import address, pages
from figures_service import LAST
from keyboard_walk import require_walkable
from nalm_server_harness import Service
from nalm_server_reports import sha
from playwright.sync_api import Browser, Page, Route, expect
from service_browser import VIEWS, fresh_page, require_accessible

NAMES = {"project": "demo", "host": "bench-vm-2"}
NONE = {"project": "empty", "host": "no-such-host", "id": "999", "jobId": "999", "runId": "f" * 32}
NEEDS = {
    "/p/$project/compare": f"base={sha(LAST - 1)}&head={sha(LAST)}",
    "/p/$project/settings": "part=audit",
    "/server": "part=agents",
}
"""What a page is asked for beyond its path, to have something to show."""
ASKS_NOTHING = ("/sign-in", "/account", "/new", "/p/$project/measure")
"""Forms, whose first view needs nothing of the server but who is signed in."""
FAULT = {"error": {"name": "internal", "message": "The database does not answer.", "request_id": "7f3a"}}
ALWAYS = ("/api/v1/session", "/api/v1/live", "/api/v1/metrics-catalogue", "/api/v1/sign-in/")
"""Answered as ever, so that a page is reached at all."""
TRIES, RETRIED_MS = 3, 5_000
"""A page asks so often, within this time, before it says that the server fails."""


@pytest.fixture(scope="module")
def names(figures: tuple[Service, str]) -> dict[str, str]:
    """What stands in the addresses of pages that have something to show."""
    return NAMES | numbers(figures[0])


def numbers(service: Service) -> dict[str, str]:
    """Of a run and of a job; ids of alerts, backfills and bisects are all 1."""
    head = service.get(f"/projects/demo/commits/{sha(LAST)}")
    asked = {"first": sha(0), "last": sha(LAST), "every": 1}
    service.post("/projects/demo/backfills", "admin", 201, asked)
    service.post(
        "/projects/demo/bisects", "admin", 201, {"good": sha(1), "bad": sha(LAST), "scenario": "sfc_a"}
    )
    job = service.post("/projects/demo/jobs", "admin", 201, {"head": sha(LAST), "base": sha(1)})
    return {"runId": head["runs"][0]["run_id"], "jobId": str(job["id"]), "id": "1"}


@pytest.fixture
def page(browser: Browser, figures: tuple[Service, str]) -> Iterator[Page]:
    """An administrator's."""
    service, url = figures
    headers = {"Authorization": f"Bearer {service.tokens['root']}"}
    with fresh_page(browser, base_url=url, extra_http_headers=headers) as page:
        yield page


def opened(page: Page, route: str, names: dict[str, str]) -> None:
    page.goto(f"{address(route, names)}?{NEEDS.get(route, '')}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def settled(page: Page) -> None:
    expect(page.get_by_role("status", name="Loading")).to_have_count(0)


@pytest.mark.parametrize("route", pages())
def test_a_page_with_nothing_and_with_all_there(page: Page, names: dict[str, str], route: str) -> None:
    if "$" in route:
        opened(page, route, NONE)
        settled(page)
        require_accessible(page, VIEWS[1:])
    opened(page, route, names)
    settled(page)
    require_accessible(page)
    require_walkable(page)


@pytest.mark.parametrize("route", [one for one in pages() if one not in ASKS_NOTHING])
def test_a_page_that_waits_shows_so_and_one_that_fails_says_why(
    page: Page, names: dict[str, str], route: str
) -> None:
    held: list[Route] = []
    failing = False

    def answer(asked: Route) -> None:
        if any(one in asked.request.url for one in ALWAYS):
            asked.continue_()
        elif failing:
            asked.fulfill(status=500, json=FAULT)
        else:
            held.append(asked)

    page.clock.install()
    page.route("**/api/v1/**", answer)
    opened(page, route, names)
    expect(page.get_by_role("status", name="Loading").first).to_be_visible()
    failing = True
    for asked in held:
        asked.fulfill(status=500, json=FAULT)
    for _ in range(TRIES):
        page.clock.fast_forward(RETRIED_MS)
    expect(page.get_by_role("alert").first).to_contain_text(FAULT["error"]["message"], timeout=20_000)
