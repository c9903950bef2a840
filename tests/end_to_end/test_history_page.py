# SPDX-License-Identifier: Apache-2.0
"""The history page in Chromium: several scenarios and branches, zoom, scales, table, files, states."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from history_service import BRANCHED, COMMITS, RELEASE, SLOWER, history_service
from nalm_server.git.commits.models import CommitRow
from nalm_server_harness import Service
from nalm_server_reports import sha
from playwright.sync_api import Page, expect
from service_browser import drawn_box, require_accessible
from sqlalchemy import update

HISTORY = "/p/demo/history"
BEGIN = datetime(2026, 11, 1, tzinfo=UTC)
ALL = COMMITS + 1
"""Number of commits to show, including the branch's."""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, str]]:
    with history_service(tmp_path_factory.mktemp("history")) as served:
        yield served


def shown(page: Page) -> str:
    return page.get_by_role("group", name="Commits shown").get_by_role("status").inner_text()


def test_scenarios_and_branches_stand_together(page: Page) -> None:
    page.goto(f"{HISTORY}?metric=cpp&scenario=sfc_a,sfc_b&branch=main,faster")
    legend = page.locator(".legend")
    for scenario in ("sfc_a", "sfc_b"):
        for branch in ("main", "faster"):
            expect(legend.first).to_contain_text(f"{scenario} chain @{branch}")
    for word in ("Release", "Worse since this commit"):
        expect(legend.last).to_contain_text(word)
    require_accessible(page)


@pytest.mark.nightly
def test_zoom_by_drag_and_by_key_is_in_the_address(page: Page) -> None:
    page.goto(f"{HISTORY}?metric=cpp")
    over = page.locator(".chart .u-over")
    expect(over).to_be_visible()
    assert shown(page) == f"{ALL} commits"
    box = drawn_box(over)
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 60, steps=4)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"from=[0-9a-f]{10}&to=[0-9a-f]{10}"))
    narrow = shown(page)
    assert narrow.endswith(f" of {ALL} commits")
    page.reload()
    expect(page.get_by_text(narrow)).to_be_visible()
    page.keyboard.press("0")
    expect(page.get_by_text(f"{ALL} commits", exact=True)).to_be_visible()
    expect(page).not_to_have_url(re.compile("from="))


def test_a_point_tells_its_release_and_opens_its_run(page: Page) -> None:
    page.goto(f"{HISTORY}?metric=cpp")
    over = page.locator(".chart .u-over")
    box = drawn_box(over)
    at = {"x": box["width"] * (RELEASE - 0.5) / ALL, "y": box["height"] / 2}
    over.hover(position=at)  # type: ignore[arg-type]
    expect(page.locator(".chart-tip")).to_contain_text("v1.0")
    over.click(position=at)  # type: ignore[arg-type]
    expect(page).to_have_url(re.compile(r"/p/demo/runs/[0-9a-f]{32}$"))
    expect(page.get_by_role("region", name="Checks")).to_be_visible()


@pytest.mark.nightly
def test_the_text_of_a_point_is_within_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(f"{HISTORY}?metric=cpp")
    over = page.locator(".chart .u-over")
    box = drawn_box(over)
    for share in (0.1, 0.45, 0.55, 0.9):
        over.hover(position={"x": box["width"] * share, "y": box["height"] / 2})
        tip = drawn_box(page.locator(".chart-tip"))
        assert tip["x"] >= 0 and tip["x"] + tip["width"] <= 390, f"at {share} of the chart"


@pytest.mark.nightly
def test_by_date_commits_stand_where_they_were_made(page: Page, running: tuple[Service, str]) -> None:
    """A half of them within an hour, the others ten days later: between them the nearest commit is read."""
    with running[0].context.sessions() as session:
        for number in range(1, COMMITS + 1):
            at = BEGIN + timedelta(minutes=number, days=10 * (number > COMMITS // 2))
            session.execute(update(CommitRow).where(CommitRow.sha == sha(number)).values(committed_at=at))
        session.commit()
    page.goto(f"{HISTORY}?metric=cpp")
    page.get_by_role("radiogroup", name="Time axis").get_by_text("By date").click()
    expect(page).to_have_url(re.compile("axis=dates"))
    page.reload()
    over = page.locator(".chart .u-over")
    box = drawn_box(over)
    for share, number in ((0.3, COMMITS // 2), (0.7, COMMITS // 2 + 1)):
        over.hover(position={"x": box["width"] * share, "y": box["height"] / 2})
        expect(page.locator(".chart-tip")).to_contain_text(sha(number)[:7])
    require_accessible(page)


@pytest.mark.nightly
def test_relative_to_a_commit_and_logarithmic(page: Page) -> None:
    page.goto(f"{HISTORY}?metric=cpp&scale=relative&against={sha(SLOWER)[:10]}&view=chart")
    expect(page.get_by_role("combobox", name="Relative to")).to_have_value(re.compile(sha(SLOWER)[:7]))
    require_accessible(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_text("Log", exact=True).click()
    expect(page).to_have_url(re.compile("scale=log"))
    expect(page.locator("canvas")).to_be_visible()


def test_the_table_is_paged_and_saved_whole(page: Page, tmp_path: Path) -> None:
    page.goto(f"{HISTORY}?metric=cpp&view=table&branch=main&stages=nat")
    expect(page.get_by_role("row")).to_have_count(51)
    require_accessible(page)
    page.get_by_role("button", name="Page 2").click()
    expect(page).to_have_url(re.compile("page=2"))
    expect(page.get_by_role("row").filter(has_text=sha(1)[:7])).to_contain_text("150.0")
    with page.expect_download() as file:
        page.get_by_role("button", name="CSV of CPP per commit").click()
    file.value.save_as(tmp_path / "saved.csv")
    head, *rows = list(csv.reader((tmp_path / "saved.csv").open(encoding="utf-8")))
    assert head[3] == "nat [cycles/packet]"
    assert [row[0] for row in rows] == [sha(number) for number in range(1, COMMITS + 1)]
    assert sha(BRANCHED) not in {row[0] for row in rows}


@pytest.mark.nightly
def test_the_picture_is_saved(page: Page) -> None:
    page.goto(f"{HISTORY}?metric=cpp")
    with page.expect_download() as file:
        page.get_by_role("button", name="Export CPP per commit").click()
        page.get_by_role("menuitem", name="PNG").click()
    assert file.value.suggested_filename == "demo-sfc_a-cpp.png"
    assert file.value.path().read_bytes().startswith(b"\x89PNG")


def test_functions_are_searched_chosen_and_shown_beside_stages_or_alone(page: Page, tmp_path: Path) -> None:
    page.goto(f"{HISTORY}?scenario=sfc_a&metric=ipp")
    picker = page.get_by_role("combobox", name="Functions")
    picker.fill("FLOW_")
    offered = page.get_by_role("option")
    expect(offered).to_have_text([re.compile("^flow_find.*IPP$"), re.compile("^flow_hash.*IPP$")])
    picker.press("ArrowDown")
    picker.press("Enter")
    expect(page).to_have_url(re.compile(r"functions=nat%3Eflow_find"))
    picker.fill("int, int")
    offered.click()
    picker.press("Escape")
    chips = page.get_by_role("group", name="Stages and functions shown")
    expect(chips.get_by_role("button", name="nat > std::map<int, int>::find")).to_be_visible()
    expect(page.locator(".chart canvas")).to_be_visible()
    require_accessible(page)
    page.goto(f"{HISTORY}?scenario=sfc_a&stages=-&functions=nat%3Eflow_find;nat%3Eflow_hash&view=table")
    expect(page.get_by_role("heading", name="Calls")).to_be_visible()
    table = page.get_by_role("region", name="IPP per commit")
    expect(table.get_by_role("row").filter(has_text=sha(SLOWER)[:7])).to_contain_text("80.0")
    expect(table.get_by_role("row").filter(has_text=sha(SLOWER - 1)[:7])).not_to_contain_text("80.0")
    page.get_by_role("button", name="nat > flow_hash").click()
    expect(page).to_have_url(re.compile(r"functions=nat%3Eflow_find&"))
    require_accessible(page)


@pytest.mark.nightly
def test_what_functions_do_not_have_is_said(page: Page) -> None:
    page.goto(f"{HISTORY}?scenario=sfc_a&metric=pps&functions=nat%3Eflow_find&stages=-")
    expect(page.get_by_role("main")).to_contain_text(
        "C functions are not drawn: they have IPP, calls, CPP and eIPC"
    )
    page.goto(f"{HISTORY}?scenario=sfc_a&metric=cpp&functions=nat%3Eflow_find")
    expect(page.get_by_role("main")).to_contain_text(
        "No figure for nat > flow_find: its runs have no samples"
    )
    expect(page.locator(".chart canvas")).to_be_visible()
    page.goto(f"{HISTORY}?scenario=sfc_a&metric=calls")
    expect(page.get_by_role("main")).to_contain_text(
        "Only C functions have this metric: choose at least one."
    )
    page.goto(f"{HISTORY}?scenario=sfc_a&metric=ipp&functions=nat%3Enever_dear")
    expect(page.get_by_role("alert")).to_contain_text("Function 'nat>never_dear' has no history here.")


@pytest.mark.nightly
def test_empty_missing_and_failing(page: Page) -> None:
    page.goto("/p/empty/history")
    expect(page.get_by_role("main")).to_contain_text("No history yet")
    page.goto(f"{HISTORY}?metric=ncpp")
    expect(page.get_by_role("main")).to_contain_text("nalm-server reference demo")
    error = {"name": "internal", "message": "The database does not answer.", "request_id": "7f3a"}
    page.route("**/demo/lines/columns*", lambda one: one.fulfill(status=500, json={"error": error}))
    page.goto(f"{HISTORY}?metric=cpp")
    expect(page.get_by_role("alert")).to_contain_text("The database does not answer.", timeout=20_000)
    require_accessible(page)
