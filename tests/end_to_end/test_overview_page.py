# SPDX-License-Identifier: Apache-2.0
"""The overview in Chromium: full, seen, empty, without sign-in, and with one failing panel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from nalm_server_harness import Service
from nalm_server_reports import body_of, make_report, sha
from playwright.sync_api import Browser, Locator, Page, Route, expect
from service_browser import administrator, fresh_page, require_accessible
from thread_service import new_service, served

FAULT = {"error": {"name": "internal", "message": "The database does not answer.", "request_id": "7f3a"}}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, str]]:
    """Two projects, one of them private, with an alert each; a job in progress and one that waits."""
    with new_service(tmp_path_factory.mktemp("overview")) as service:
        fill(service)
        with served(service) as address:
            yield service, address


def fill(service: Service) -> None:
    requested: dict[str, Any] = {"name": "quiet", "repository": "/srv/quiet.git"}
    service.tokens["quiet"] = service.post("/projects", "admin", 201, requested)["upload_token"]
    service.upload(body_of(make_report(1, head_costs={"nat": 165.0})))
    slower = make_report(2, head_costs={"nat": 250.0}, project="quiet")
    service.upload(body_of(slower), token="quiet")
    service.confirm_alerts()
    for base in (0, 1):
        service.post("/projects/demo/jobs", "admin", 201, {"head": sha(1 - base), "base": sha(base)})
    service.lease()


def panel(page: Page, title: str) -> Locator:
    return page.get_by_role("region", name=title)


def test_all_of_it_at_a_glance(page: Page) -> None:
    page.goto("/")
    expect(panel(page, "Projects").get_by_role("listitem")).to_have_count(2)
    expect(panel(page, "Projects")).to_contain_text("1 open alert")
    alerts = panel(page, "Open alerts, by severity").get_by_role("listitem")
    expect(alerts).to_contain_text(["quiet", "demo"])
    expect(panel(page, "Queue")).to_contain_text("1 job waiting")
    expect(panel(page, "Hosts")).to_contain_text("bench-1")
    require_accessible(page)
    alerts.first.get_by_role("link").click()
    expect(page).to_have_url(re.compile("/p/quiet/alerts/"))


@pytest.mark.nightly
def test_what_was_seen_is_kept_in_this_browser_and_can_be_taken_back(page: Page) -> None:
    page.goto("/")
    changes = panel(page, "Since your last visit")
    expect(changes).to_contain_text("Nothing has been marked as seen in this browser")
    expect(changes.get_by_role("list", name="Verdicts")).to_contain_text("1 regressed")
    expect(changes.get_by_role("list", name="Alerts that changed").get_by_role("listitem")).to_have_count(2)
    page.evaluate("localStorage.setItem('nalm.seen', '2026-11-21T10:00:00Z')")
    page.reload()
    expect(changes).to_contain_text("Nothing changed since then.")
    changes.get_by_role("button", name="Mark as seen").click()
    kept = page.evaluate("localStorage.getItem('nalm.seen')")
    assert kept.startswith("2026-11-21T09:00:00"), "the server's time, not the browser's"
    changes.get_by_role("button", name="Take back").click()
    assert page.evaluate("localStorage.getItem('nalm.seen')") == "2026-11-21T10:00:00Z"


def test_a_stranger_sees_what_is_public_and_no_hosts(browser: Browser, running: tuple[Service, str]) -> None:
    with fresh_page(browser, base_url=running[1]) as page:
        page.goto("/")
        expect(panel(page, "Projects").get_by_role("listitem")).to_have_count(1)
        expect(panel(page, "Open alerts, by severity").get_by_role("listitem")).to_have_count(1)
        expect(panel(page, "Hosts")).to_have_count(0)
        page.route("**/api/v1/projects", lambda one: one.fulfill(json=[]))
        page.reload()
        expect(page.get_by_role("heading", name="A new server")).to_be_visible()
        page.route("**/api/v1/session", somebody_signed_in)
        page.reload()
        expect(page.get_by_role("heading", name="No project is public here")).to_be_visible()


def somebody_signed_in(route: Route) -> None:
    route.fulfill(json=route.fetch().json() | {"new_server": False})


def test_an_empty_server_leads_to_the_first_project_and_that_to_its_first_verdict(page: Page) -> None:
    page.route("**/api/v1/projects", lambda one: one.fulfill(json=[]))
    page.goto("/")
    expect(page.get_by_role("heading", name="No project yet")).to_be_visible()
    require_accessible(page)
    page.get_by_role("link", name="Create a project").click()
    expect(page).to_have_url(re.compile("/new$"))


def test_a_panel_fails_alone(browser: Browser, running: tuple[Service, str]) -> None:
    """With a clock of its own, which would be that of every page of a context."""
    failing = True

    def answer(requested: Any) -> None:
        if failing:
            requested.fulfill(status=500, json=FAULT)
        else:
            requested.continue_()

    with fresh_page(browser, **administrator(running)) as page:
        page.clock.install()
        page.route("**/api/v1/hosts", answer)
        page.goto("/")
        expect(panel(page, "Open alerts, by severity").get_by_role("listitem")).to_have_count(2)
        page.clock.run_for(10_000)
        expect(panel(page, "Hosts").get_by_role("alert")).to_contain_text("The database does not answer.")
        expect(page.get_by_role("alert")).to_have_count(1)
        require_accessible(page)
        failing = False
        panel(page, "Hosts").get_by_role("button", name="Try again").click()
        expect(panel(page, "Hosts")).to_contain_text("bench-1")
