# SPDX-License-Identifier: Apache-2.0
"""Pages of features, models and quality in Chromium: full, empty and failing, by keyboard and for axe."""

from __future__ import annotations

import pytest
from figures_service import LAST
from nalm_server_harness import Service
from nalm_server_reports import sha
from playwright.sync_api import Browser, Page, Route, expect
from service_browser import drawn_box, require_accessible
from tiers import by_night

APART = "as measured"
LINES = """cell => [...cell.childNodes].map(part => {
    const range = document.createRange();
    range.selectNodeContents(part);
    return new Set([...range.getClientRects()].map(box => box.top)).size;
})"""
"""The number of lines on which each part of a cell stands."""


@pytest.mark.parametrize(
    ("path", "texts"),
    [
        ("features", ("its merge", "Cost model of sfc_a", "Measured 1 of")),
        (
            "models",
            (
                *("fewest cycles", "faster in 1 of 3 chains, slower in 1", "ft: computational scale"),
                *("A rank correlation needs four scenarios", "per lcore, Mpackets/s", "sfc_b_pipeline"),
            ),
        ),
        ("detection-quality", ("By size of the change", "a commit against itself", "Oct\u00a02026")),
        (f"compare?base={sha(1)}&head={sha(LAST)}&scenario=sfc_a", ("not side by side: shown, not judged",)),
        *by_night(
            ("features?feature=nat", ("History of nat", "Measured by experiment")),
            ("features?view=table", ("at the price it came with",)),
            ("features?by=release&view=table", ("v1.0", "v1.1")),
            ("features?by=branch", ("main",)),
        ),
    ],
)
def test_a_page_shows_its_figures(page: Page, path: str, texts: tuple[str, ...]) -> None:
    page.goto(f"/p/demo/{path}")
    for text in texts:
        expect(page.get_by_role("main")).to_contain_text(text)
    require_accessible(page)


@pytest.mark.nightly
def test_probabilities_of_change_points_are_a_curve_beside_their_table(page: Page) -> None:
    page.goto("/p/demo/detection-quality")
    panel = page.get_by_role("region", name="Probabilities of change points", exact=True)
    plot = panel.get_by_role("img", name="Share of change points that still holds")
    expect(plot).to_be_visible()
    for number in (7, 10, 12, 40):
        expect(plot.get_by_text(str(number), exact=True)).to_be_visible()
    expect(panel.get_by_text("as predicted")).to_be_visible()
    row = panel.get_by_role("row").filter(has_text="95 to 99\u202f%")
    expect(row).to_contain_text("7 of 12")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for line in row.get_by_role("rowheader").evaluate(LINES):
            assert line == 1, f"a line of the first column is broken at {width} pixels"
    require_accessible(page)


@pytest.mark.nightly
def test_ncpp_says_what_its_values_follow_from(page: Page) -> None:
    panel = page.get_by_role("region").filter(has=page.get_by_role("heading", name="NCPP on one scale"))
    page.goto("/p/demo/features?view=table")
    expect(panel).to_contain_text("Values follow from comparisons side by side that lead from the reference")
    expect(panel.get_by_role("row").filter(has_text=APART)).to_have_count(0)
    page.goto("/p/demo/history?metric=ncpp")
    expect(page.get_by_role("main")).to_contain_text("that lead from the reference to each commit")


@pytest.mark.nightly
@pytest.mark.parametrize("alone", [True, False])
def test_a_value_that_no_comparison_leads_to_is_named(page: Page, alone: bool) -> None:
    """alone: the newest commit has such a value, otherwise each has."""

    def without_links(route: Route) -> None:
        table = route.fetch().json()
        for line in table["lines"]:
            for point in line["points"][-1:] if alone else line["points"]:
                point["linked"] = False
        route.fulfill(json=table)

    page.route("**/api/v1/projects/demo/ncpp*", without_links)
    page.goto("/p/demo/features?view=table")
    rows = page.get_by_role("region", name="NCPP of sfc_a on vm-2").get_by_role("row")
    expect(rows.filter(has_text=sha(LAST)[:7])).to_be_visible()
    expect(rows.filter(has_text=APART)).to_have_count(1 if alone else 0)
    if alone:
        expect(rows.filter(has_text=sha(LAST)[:7])).to_contain_text(APART)
    else:
        expect(page.get_by_role("main")).to_contain_text("Values of separate runs")
    require_accessible(page)
    if alone:
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto("/p/demo/features")
        over = page.locator(".u-over")
        over.scroll_into_view_if_needed()
        box = drawn_box(over)
        over.hover(position={"x": box["width"] - 1, "y": box["height"] / 2})
        expect(page.locator(".chart-tip")).to_contain_text(APART)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("features", "Choose it here; it can be changed later."),
        ("models", "nalm check --submit --server http"),
        *by_night(
            ("models", "Nothing has been measured"),
            ("models/predicted", "Experiments on core counts"),
            ("models/predicted", "Needs the run of a scenario whose execution model is a pipeline"),
            ("detection-quality", "nalm-mutants run --sample 6 --upload --project empty"),
        ),
    ],
)
def test_with_nothing_there_a_page_says_what_to_do(page: Page, path: str, text: str) -> None:
    page.goto(f"/p/empty/{path}")
    expect(page.get_by_role("main")).to_contain_text(text)
    require_accessible(page)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("alerts/abc", "This page does not exist"),
        ("alerts/99999999999999999999", "This page does not exist"),
        ("backfills/1.5", "This page does not exist"),
        ("runs/latest", "This page does not exist"),
        ("history?scenario=gone", "There is no scenario gone in this project. The page shows sfc_a."),
    ],
)
def test_an_address_of_nothing_is_said_to_be_one(page: Page, path: str, text: str) -> None:
    page.goto(f"/p/demo/{path}")
    expect(page.get_by_role("main")).to_contain_text(text)


@pytest.mark.nightly
@pytest.mark.parametrize("path", ["features", "models", "detection-quality"])
def test_a_failing_server_is_said_so(page: Page, path: str) -> None:
    error = {"name": "internal", "message": "The database does not answer.", "request_id": "7f3a"}
    page.route(
        f"**/api/v1/projects/demo/{path}*", lambda route: route.fulfill(status=500, json={"error": error})
    )
    page.goto(f"/p/demo/{path}")
    expect(page.get_by_role("alert")).to_contain_text("The database does not answer.", timeout=20_000)
    require_accessible(page)


def test_the_parts_of_a_change_add_up_as_shown(page: Page) -> None:
    page.goto(f"/p/demo/compare?base={sha(2)}&head={sha(3)}&scenario=sfc_a")
    table = page.get_by_role("region", name="Parts of the change per stage")
    expect(table.get_by_role("row").last).to_be_visible()
    rows = [
        [figure_of(cell) for cell in row.get_by_role("cell").all_inner_texts()]
        for row in table.get_by_role("row").all()[1:]
    ]
    *stages, chain = rows
    for row in rows:
        assert round(sum(row[:-1]), 2) == row[-1]
    assert [round(sum(column), 2) for column in zip(*stages, strict=True)] == chain


def figure_of(text: str) -> float:
    return float(text.replace("\u2212", "-").replace("\u00b1", ""))


def test_a_feature_is_opened_by_keyboard_and_the_address_keeps_it(page: Page) -> None:
    page.goto("/p/demo/features")
    button = page.get_by_role("button", name="nat", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_role("heading", name="History of nat")).to_be_visible()
    assert "feature=nat" in page.url
    page.reload()
    expect(page.get_by_role("heading", name="History of nat")).to_be_visible()


@pytest.mark.nightly
def test_a_release_is_chosen_and_the_address_keeps_it(page: Page) -> None:
    page.goto("/p/demo/features")
    page.get_by_text("Releases", exact=True).click()
    page.get_by_text("Table", exact=True).click()
    expect(page.get_by_role("region", name="NCPP of sfc_a on vm-2")).to_contain_text("v1.1")
    assert "by=release" in page.url and "view=table" in page.url


def test_an_experiment_is_requested_and_cancelled(page: Page) -> None:
    page.goto("/p/demo/models")
    panel = page.get_by_role("region", name="Ablation experiments")
    panel.get_by_role("button", name="Run an experiment").click()
    expect(panel.get_by_text("Waits for a bench host")).to_be_visible()
    panel.get_by_role("button", name="Cancel experiment").click()
    expect(panel.get_by_text("Cancelled", exact=True)).to_be_visible()


@pytest.mark.nightly
def test_an_experiments_cells_are_opened(page: Page) -> None:
    page.goto("/p/demo/features")
    page.get_by_text("Cells of experiment 1").click()
    cells = page.get_by_role("region", name="Cells of experiment 1")
    expect(cells.get_by_role("row")).to_have_count(2)
    expect(cells).to_contain_text("sfc_a:0")
    require_accessible(page)


def test_controls_are_set(page: Page) -> None:
    page.goto("/p/demo/detection-quality")
    page.get_by_label("Controls a day").fill("3")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("3 times a day")).to_be_visible()


def test_a_stranger_gets_the_command_for_those_who_may(
    browser: Browser, figures: tuple[Service, str]
) -> None:
    page = browser.new_page(base_url=figures[1])
    page.goto("/p/empty/features")
    expect(page.get_by_text("nalm-server experiment empty features")).to_be_visible()
    require_accessible(page)
    page.close()
