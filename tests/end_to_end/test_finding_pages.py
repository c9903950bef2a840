# SPDX-License-Identifier: Apache-2.0
"""Pages of alerts in Chromium, on a service with findings. Tests run in this order."""

from __future__ import annotations

import re
from typing import Any

import pytest
from finding_service import BROKEN, CULPRIT, SUSPECTED, costs, fill_findings
from nalm_server_git import make_repo
from playwright.sync_api import Browser, Page, expect
from service_browser import drawn_box, opened, require_accessible
from service_process import Service

NF, EMPTY = "my-nf", "quiet-nf"
NOTHING = {"name": "not_found", "message": "Nothing has been measured.", "request_id": "7f3a"}


@pytest.fixture(scope="module")
def found(service: Service, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    repo = make_repo(tmp_path_factory.mktemp("repository"))
    service.add_project(EMPTY, repo.path)
    return fill_findings(service, repo, NF)


@pytest.fixture(scope="module")
def options(signed_in: dict[str, Any]) -> dict[str, Any]:
    return signed_in


def address(found: dict[str, Any], name: str) -> str:
    return f"/p/{NF}/alerts/{found[name]}"


def test_with_nothing_open_the_page_says_so(page: Page, found: dict[str, Any]) -> None:
    assert found
    page.goto(f"/p/{EMPTY}/alerts")
    expect(page.get_by_role("main")).to_contain_text("No open alerts")
    require_accessible(page)


def test_the_list_is_walked_by_keys_and_its_filter_is_in_the_address(
    page: Page, found: dict[str, Any]
) -> None:
    page.goto(f"/p/{NF}/alerts")
    links = page.locator("[data-alert]")
    expect(links).to_have_count(3)
    reported = [int(links.nth(place).get_attribute("data-alert") or 0) for place in range(3)]
    assert reported == [found["broken"], found["confirmed"], found["suspected"]], (
        "by worth, suspected ones apart"
    )
    require_accessible(page)
    page.get_by_role("group", name="States shown").get_by_role("button", name="Suspected").click()
    expect(page).to_have_url(re.compile("state=confirmed,acknowledged,reopened"))
    page.reload()
    expect(links).to_have_count(2)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/alerts/{found['confirmed']}$"))


def test_open_ones_are_counted_and_stand_above_the_commits(page: Page, found: dict[str, Any]) -> None:
    assert found
    page.goto(f"/p/{NF}")
    expect(page.get_by_role("link", name="Alerts 2 open")).to_be_visible()
    above = page.get_by_role("region", name="2 open alerts")
    expect(above.locator("[data-alert]")).to_have_count(2)
    require_accessible(page)


def test_a_finding_says_who_pays_why_and_what_it_rests_on(page: Page, found: dict[str, Any]) -> None:
    page.goto(address(found, "confirmed"))
    main = page.get_by_role("main")
    for text in (
        "cycles per packet in sfc_a and 1 more scenario",
        "Time goes into nat.",
        "more instructions",
        "Measured at this commit, and the same: nop.",
        "regressed again on bench-vm-2",
        "Move work off the data path",
        "in the feed; no integration subscribes to it",
    ):
        expect(main).to_contain_text(text)
    expect(page.get_by_role("img", name=re.compile("rounds in"))).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("commits around the culprit"))).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("nat: compare keys in full"))).to_have_attribute(
        "href", re.compile(f"head={found['shas'][CULPRIT]}")
    )
    require_accessible(page)
    page.get_by_role("combobox", name="Scenario of the evidence").click()
    page.get_by_role("option", name="sfc_b").click()
    expect(page).to_have_url(re.compile("scenario=sfc_b"))
    expect(page.get_by_role("heading", name="History of sfc_b")).to_be_visible()


@pytest.mark.nightly
def test_advice_says_what_its_practice_gained_in_this_project(page: Page, found: dict[str, Any]) -> None:
    page.goto(address(found, "confirmed"))
    practices = page.locator("ol.advice > li")
    measured = practices.filter(has_text="Move work off the data path").get_by_text("In this project")
    expect(measured).to_have_text(re.compile(r"of sfc_a's cycles.*\(not side by side\)$"))
    newest = len(found["shas"]) - 1
    off, on = (sum(costs(newest, scenario).values()) for scenario in ("sfc_a", "sfc_a_offload"))
    saved = re.search(r"offload saved ([\d.]+)\s%", measured.inner_text())
    assert saved is not None and float(saved[1]) == pytest.approx(100 * (1 - on / off), abs=0.5)
    expect(page.get_by_text("In this project")).to_have_count(1)
    page.route("**/practices", lambda route: route.fulfill(status=404, json={"error": NOTHING}))
    page.reload()
    expect(practices.first).to_be_visible()
    expect(page.get_by_text("In this project")).to_have_count(0)


def test_one_that_is_measured_again_shows_how_far_it_is(page: Page, found: dict[str, Any]) -> None:
    page.goto(address(found, "suspected"))
    again = page.get_by_role("region", name="Measured again")
    expect(again.get_by_text("Live", exact=True)).to_be_visible()
    expect(again).to_contain_text("round 41 of 64")
    require_accessible(page)


def test_one_that_does_not_work_shows_what_was_seen(page: Page, found: dict[str, Any]) -> None:
    page.goto(address(found, "broken"))
    expect(page.get_by_role("main")).to_contain_text("Broken in sfc_a and 1 more scenario.")
    expect(page.get_by_text("ninja: build stopped: nat.c:12: error").last).to_be_visible()
    require_accessible(page)


@pytest.mark.nightly
def test_the_history_marks_it_and_a_click_there_opens_it(page: Page, found: dict[str, Any]) -> None:
    page.goto(f"/p/{NF}/history?scenario=sfc_a&metric=cpp")
    legend = page.locator(".legend").last
    for word in ("Alert", "Worse since this commit", "History restarts"):
        expect(legend).to_contain_text(word)
    over = page.locator(".chart .u-over")
    box = drawn_box(over)
    points = len(found["shas"]) - 1
    at = {"x": box["width"] * (CULPRIT - 0.5) / points, "y": box["height"] / 2}
    over.hover(position=at)  # type: ignore[arg-type]
    expect(page.locator(".chart-tip")).to_contain_text(f"Alert {found['confirmed']}, confirmed")
    require_accessible(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(over).to_be_visible()
    over.click(position=at)  # type: ignore[arg-type]
    expect(page).to_have_url(re.compile(f"/alerts/{found['confirmed']}$"))


@pytest.mark.nightly
def test_the_historys_table_links_to_it(page: Page, found: dict[str, Any]) -> None:
    page.goto(f"/p/{NF}/history?scenario=sfc_a&metric=cpp&view=table")
    expect(page.get_by_role("main")).to_contain_text("The history restarts: the host or the compiler")
    for name, number in (("confirmed", CULPRIT), ("broken", BROKEN), ("suspected", SUSPECTED)):
        row = page.get_by_role("row").filter(has_text=found["shas"][number][:7])
        link = row.get_by_role("link", name=f"Alert {found[name]},")
        expect(link).to_have_attribute("href", address(found, name))


@pytest.mark.nightly
def test_what_moved_leads_to_its_history(page: Page, found: dict[str, Any]) -> None:
    page.goto(address(found, "confirmed"))
    moved = page.get_by_role("region", name="What changed").get_by_role("row").filter(has_text="nat")
    moved.get_by_role("link", name="change point").first.click()
    expect(page).to_have_url(re.compile(r"/history\?.*stages=nat"))
    expect(page.get_by_role("heading", name=re.compile("History of sfc_"))).to_be_visible()


def test_it_is_shown_in_its_own_project(page: Page, found: dict[str, Any]) -> None:
    page.goto(f"/p/{EMPTY}/alerts/{found['confirmed']}")
    expect(page).to_have_url(re.compile(f"{address(found, 'confirmed')}$"))


def test_a_comment_stays_with_the_alert_that_it_was_typed_for(page: Page, found: dict[str, Any]) -> None:
    heading, comment = page.get_by_role("heading", level=1), page.get_by_label("Comment", exact=True)
    page.goto(address(found, "broken"))
    expect(comment).to_be_visible()
    broken = heading.inner_text()
    page.evaluate("path => history.pushState({}, '', path)", address(found, "confirmed"))
    expect(heading).not_to_have_text(broken)
    comment.fill("caused by the new table")
    page.go_back()
    expect(heading).to_have_text(broken)
    expect(comment).to_have_value("")


@pytest.mark.nightly
def test_keys_open_dialogs_that_are_in_the_address(page: Page, found: dict[str, Any]) -> None:
    page.goto(address(found, "confirmed"))
    expect(page.get_by_role("button", name="Acknowledge")).to_be_visible()
    for key, state in (("e", "expected"), ("f", "false_alarm"), ("x", "fixed"), ("m", "mute")):
        page.keyboard.press(key)
        expect(page).to_have_url(re.compile(f"do={state}"))
        expect(page.get_by_role("dialog")).to_be_visible()
        require_accessible(page)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
        expect(page).not_to_have_url(re.compile("do="))


def test_a_wrong_bound_is_said_before_it_is_sent(page: Page, found: dict[str, Any]) -> None:
    page.goto(f"{address(found, 'confirmed')}?do=expected")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Up to, in per cent").fill("much")
    expect(dialog).to_contain_text("A number of per cent")


def test_it_is_triaged_by_keys_and_its_lifecycle_is_shown(page: Page, found: dict[str, Any]) -> None:
    page.goto(address(found, "confirmed"))
    banner = page.get_by_role("region", name="Finding")
    life = page.get_by_role("region", name="Activity")
    expect(page.get_by_role("button", name="Acknowledge")).to_be_visible()
    page.keyboard.press("a")
    expect(banner).to_contain_text("Acknowledged")
    expect(page.get_by_text("Acknowledged and assigned to you.")).to_be_visible()
    page.keyboard.press("u")
    expect(banner).to_contain_text("Confirmed")
    expect(page.get_by_role("region", name="Assignee")).to_contain_text("Nobody is assigned.")
    page.keyboard.press("a")
    expect(page.get_by_role("region", name="Assignee")).to_contain_text("is assigned.")
    life.get_by_label("Comment").fill("the keys, I think")
    life.get_by_role("button", name="Add comment").click()
    expect(life).to_contain_text("the keys, I think")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Expected…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Why").fill("keys are twice as long")
    dialog.get_by_label("Up to, in per cent").fill("+20 %")
    dialog.get_by_role("button", name="Expected").click()
    expect(dialog).to_be_hidden()
    expect(banner).to_contain_text("Expected")
    expect(banner).to_contain_text("expected up to +20.0")
    expect(life).to_contain_text("keys are twice as long")
    expect(page.get_by_role("link", name="Alerts 1 open")).to_be_visible()
    require_accessible(page)


@pytest.mark.nightly
def test_the_list_filters_by_who_has_it(page: Page, service: Service, found: dict[str, Any]) -> None:
    name = service.get("/accounts")[0]["name"]
    service.post(f"/alerts/{found['confirmed']}/assign", {"assignee": name})
    page.goto(f"/p/{NF}/alerts?state=any&assignee={name}")
    expect(page.locator("[data-alert]")).to_have_count(1)
    expect(page.locator(f"[data-alert='{found['confirmed']}']")).to_be_visible()


def test_a_scenario_is_muted_and_that_is_ended(page: Page, found: dict[str, Any]) -> None:
    assert found
    page.goto(f"/p/{NF}/alerts")
    page.get_by_role("button", name="Mute…").click()
    expect(page).to_have_url(re.compile("do=mute"))
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox", name="Scenario").fill("sfc_*")
    dialog.get_by_label("Why").fill("the host moves")
    dialog.get_by_role("button", name="Mute").click()
    expect(dialog).to_be_hidden()
    muted = page.get_by_role("region", name="Active mutes")
    expect(muted).to_contain_text("the host moves")
    require_accessible(page)
    muted.get_by_role("button", name="End the mute of sfc_*").click()
    expect(muted).to_be_hidden()


def test_what_the_server_refuses_is_said_where_it_was_requested(page: Page, found: dict[str, Any]) -> None:
    page.goto(address(found, "broken"))
    page.get_by_role("button", name="Bisect").click()
    expect(page.get_by_role("alert")).to_contain_text("no commit between them to bisect")
    page.get_by_role("button", name="Measure again").click()
    expect(page.get_by_role("region", name="Measured again")).to_contain_text("Live")


def test_strangers_read_and_are_offered_nothing_to_press(
    browser: Browser, service: Service, found: dict[str, Any]
) -> None:
    with opened(browser, service) as page:
        page.goto(address(found, "suspected"))
        expect(page.get_by_role("main")).to_contain_text("Time goes into l3fwd")
        for name in ("Acknowledge", "Mute…", "Assign to me", "Add comment", "Measure again"):
            expect(page.get_by_role("button", name=name)).to_have_count(0)
        page.keyboard.press("a")
        expect(page.get_by_role("region", name="Finding")).to_contain_text("Suspected")


@pytest.mark.nightly
@pytest.mark.parametrize("path", [f"/p/{NF}/alerts", f"/p/{NF}/alerts/1"])
def test_a_failing_server_is_said_so(page: Page, found: dict[str, Any], path: str) -> None:
    assert found
    reported = {
        "error": {"name": "internal", "message": "The database does not answer.", "request_id": "7f3a"}
    }
    page.route(
        lambda url: re.search(r"/api/v1/(.*/)?alerts", url) is not None,
        lambda route: route.fulfill(status=500, json=reported),
    )
    page.goto(path)
    expect(page.get_by_role("alert")).to_contain_text("The database does not answer.", timeout=20_000)
    require_accessible(page)
