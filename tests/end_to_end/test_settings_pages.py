# SPDX-License-Identifier: Apache-2.0
"""Actions of people on the pages of settings, of the server, of hosts and of the first verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from nalm_server_harness import Service
from playwright.sync_api import Browser, BrowserContext, Page, expect
from service_browser import administrator, fresh_context, fresh_page, page_of


@pytest.fixture(scope="module")
def context(browser: Browser, figures: tuple[Service, str]) -> Iterator[BrowserContext]:
    """An administrator's context with the server's clock, so that nothing has expired."""
    with fresh_context(browser, **administrator(figures)) as context:
        context.clock.set_fixed_time(figures[0].context.clock())
        yield context


def test_a_project_is_made_renamed_and_led_to_its_first_verdict(
    page: Page, figures: tuple[Service, str]
) -> None:
    service, url = figures
    page.goto("/new")
    page.get_by_label("Name").fill("made")
    page.get_by_label("Repository").fill("http://127.0.0.1:9/made.git")
    page.get_by_role("button", name="Create the project").click()
    expect(page.get_by_role("textbox", name="Repository")).to_have_accessible_description(
        re.compile("The server cannot read http://127.0.0.1:9/made.git")
    )
    page.get_by_label("Only the bench hosts can reach it: do not check the repository").check()
    page.get_by_role("button", name="Create the project").click()
    branch = page.get_by_role("textbox", name="Default branch")
    expect(branch).to_have_accessible_description(re.compile("HEAD is not known"))
    branch.fill("main")
    page.get_by_role("button", name="Create the project").click()
    webhook = page.get_by_role("listitem").filter(has_text="Set up the webhook")
    expect(webhook.get_by_text("Webhook secret. Copy it now")).to_be_visible()
    expect(webhook).to_contain_text(f"{url}/api/v1/hooks/gitlab?project=made")
    expect(page.get_by_role("heading", name=re.compile("Push to main"))).to_contain_text("open")
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("textbox", name="Name").fill("renamed")
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(f"{url}/p/renamed/settings")
    page.goto("/p/renamed/settings?part=audit&action=project.change")
    expect(page.get_by_role("row").nth(1)).to_contain_text("name from made to renamed")
    assert service.request("GET", "/projects/renamed", "admin")["repository"].endswith("made.git")


def test_what_is_done_is_ticked(page: Page) -> None:
    page.goto("/p/demo/start")
    for step in ("Describe", "Connect a bench host", "Push to", "Read the first"):
        expect(page.get_by_role("heading", name=re.compile(step))).to_contain_text("done")


def test_an_agent_is_invited_with_the_commands_of_its_host(page: Page, figures: tuple[Service, str]) -> None:
    page.goto("/server?part=agents")
    page.get_by_role("textbox", name="Host").fill("bench-9")
    page.get_by_role("button", name="Invite an agent").click()
    expect(page.get_by_text(f"nalm agent register --server {figures[1]}")).to_be_visible()
    row = page.get_by_role("listitem").filter(has_text="bench-9")
    row.get_by_role("button", name=re.compile("Withdraw")).click()
    expect(row).to_have_count(0)


def test_somebody_is_invited_by_a_link_and_shut_out(page: Page) -> None:
    page.goto("/server")
    page.get_by_label("Invite a user").fill("ada")
    page.get_by_role("button", name="Invite", exact=True).click()
    expect(page.get_by_text(re.compile("/sign-in#link="))).to_be_visible()
    page.get_by_role("button", name="Disable account ada").click()
    expect(page.get_by_role("button", name="Enable account ada")).to_be_visible()


def test_a_watch_finds_alerts_until_it_is_removed(page: Page) -> None:
    page.goto("/mine")
    page.get_by_label("Scenario").fill("sfc_[ab]")
    page.get_by_role("button", name="Subscribe", exact=True).click()
    expect(page.locator("[data-alert]").first).to_be_visible()
    page.get_by_role("button", name="Remove subscription: scenario sfc_[ab]").click()
    expect(page.get_by_text("Nothing for you")).to_be_visible()


def test_a_host_says_what_it_can_see_and_what_it_was(page: Page) -> None:
    page.goto("/hosts")
    page.get_by_role("link", name="bench-vm-2").click()
    table = page.get_by_role("region", name="Smallest detectable changes on this host")
    expect(table.get_by_role("row").filter(has_text="sfc_a").first).to_contain_text("%")
    page.get_by_text("The whole fingerprint").first.click()
    expect(page.get_by_text("Host class")).to_be_visible()


def test_a_hosts_page_lists_its_jobs_and_saves_its_noise(page: Page) -> None:
    page.goto("/hosts/bench-vm-2")
    jobs = page.get_by_role("region", name="Jobs, newest first")
    expect(jobs.get_by_role("rowheader")).to_have_count(1)
    page.get_by_role("group", name="Scenarios shown").get_by_role("button", name="demo: sfc_a").click()
    expect(page).to_have_url(re.compile("shown="))
    page.reload()
    expect(page.get_by_role("button", name="demo: sfc_a")).to_have_attribute("aria-pressed", "false")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Export noise of bench-vm-2").click()
        page.get_by_role("menuitem", name="CSV").click()
    assert saved.value.suggested_filename == "nalm-bench-vm-2-noise.csv"
    page.get_by_role("navigation", name="Way up").get_by_role("link", name="Hosts").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hosts")


def test_a_webhook_is_tried_before_the_forge_calls(page: Page) -> None:
    page.goto("/p/demo/settings?part=repository")
    page.get_by_role("button", name="Send a test delivery").click()
    expect(page.get_by_text("ping: the webhook works")).to_be_visible()


def test_comparisons_over_distances_are_planned(page: Page, figures: tuple[Service, str]) -> None:
    page.goto("/p/demo/settings?part=judgement")
    plan = page.get_by_role("region", name="Comparisons over distances")
    expect(plan.get_by_text("None is planned.")).to_be_visible()
    plan.get_by_label("Comparisons a day").fill("4")
    plan.get_by_role("button", name="Save").click()
    expect(plan.get_by_text("The next ones are planned from")).to_be_visible()
    assert figures[0].get("/projects/demo/links/plan")["links_per_day"] == 4
    plan.get_by_label("Comparisons a day").fill("0")
    plan.get_by_role("button", name="Save").click()
    expect(plan.get_by_text("None is planned.")).to_be_visible()


@pytest.mark.nightly
def test_finer_margins_are_planned(page: Page, figures: tuple[Service, str]) -> None:
    page.goto("/p/demo/settings?part=judgement")
    plan = page.get_by_role("region", name="Finer margins")
    expect(plan.get_by_text("None is planned.")).to_be_visible()
    plan.get_by_label("Minutes of hosts a day").fill("30")
    plan.get_by_label("Margin, %").fill("0.5")
    plan.get_by_role("button", name="Save").click()
    expect(plan.get_by_text("The next ones are planned from")).to_be_visible()
    stored = figures[0].get("/projects/demo/refinements/plan")
    assert (stored["minutes_per_day"], stored["margin"]) == (30, pytest.approx(0.005))
    plan.get_by_label("Minutes of hosts a day").fill("0")
    plan.get_by_role("button", name="Save").click()
    expect(plan.get_by_text("None is planned.")).to_be_visible()


def test_a_configuration_is_checked_set_and_removed(page: Page) -> None:
    page.goto("/p/demo/settings?part=repository")
    form = page.locator("form").filter(has=page.get_by_label("nalm.toml"))
    text, save = form.get_by_label("nalm.toml"), form.get_by_role("button", name="Save")
    text.fill("[project")
    save.click()
    expect(form.get_by_role("alert")).to_contain_text("This is no nalm.toml: it is not valid TOML")
    text.fill('[project]\nname = "demo"\n')
    save.click()
    expect(form.get_by_role("alert")).to_contain_text("it has no table [build]")
    text.fill('[project]\nname = "demo"\n[build]\n[run]\n[scenarios.sfc]\n')
    save.click()
    expect(form.get_by_text("All commits are measured by this text")).to_be_visible()
    expect(form.get_by_role("alert")).to_have_count(0)
    form.get_by_role("button", name="Remove").click()
    expect(form.get_by_text("Each commit is measured by the nalm.toml in it.")).to_be_visible()
    expect(text).to_have_value("")


def test_a_form_keeps_what_somebody_else_changed_meanwhile(
    page: Page, context: BrowserContext, figures: tuple[Service, str]
) -> None:
    page.goto("/p/demo/settings?part=repository")
    page.get_by_label("Paths to ignore").fill("docs/*")
    with page_of(context) as other:
        other.goto("/p/demo/settings?part=repository")
        other.get_by_label("Measure tags").check()
        other.get_by_role("region", name="Measured commits").get_by_role("button", name="Save").click()
        expect(other.get_by_text("Saved.")).to_be_visible()
    page.clock.set_fixed_time(figures[0].context.clock() + timedelta(minutes=1))
    page.evaluate("dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_label("Measure tags")).to_be_checked()
    page.get_by_role("region", name="Measured commits").get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    stored = figures[0].request("GET", "/projects/demo/branch-filters", "admin")
    assert (stored["paths_ignore"], stored["measure_tags"]) == (["docs/*"], True)


def test_the_way_by_a_forge_keeps_where_one_was(browser: Browser, figures: tuple[Service, str]) -> None:
    with fresh_page(browser, base_url=figures[1]) as page:
        offered = [{"name": "forge", "label": "The Forge"}]
        page.route("**/api/v1/sign-in/providers", lambda route: route.fulfill(json=offered))
        page.goto("/sign-in?to=/p/demo/alerts")
        expect(page.get_by_role("link", name="Sign in with The Forge")).to_have_attribute(
            "href", "/api/v1/sign-in/forge/start?to=%2Fp%2Fdemo%2Falerts"
        )
