# SPDX-License-Identifier: Apache-2.0
"""Runs of rates and soaks in Chromium: history, run, comparison, and the request of one."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from history_service import RATED, SOAK, SWEPT, TAIL, UNMEASURED, rate_service
from nalm_server_harness import Service
from nalm_server_reports import sha
from playwright.sync_api import Page, expect
from rate_runs import SHARES
from service_browser import require_accessible


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, str]]:
    with rate_service(tmp_path_factory.mktemp("rates")) as served:
        yield served


def test_the_history_of_rates(page: Page) -> None:
    page.goto("/p/demo/history?scenario=sfc_a:rate")
    expect(page.get_by_role("heading", name="History of sfc_a:rate")).to_be_visible()
    for title in ("Latency p99", "NDR", "MRR", "Loss"):
        expect(page.get_by_role("heading", name=title, exact=False).first).to_be_visible()
    require_accessible(page)
    page.goto("/p/demo/history?scenario=sfc_a:rate&metric=ndr_pps&view=table")
    table = page.get_by_role("table")
    expect(table).to_contain_text(sha(RATED)[:7])
    row = table.get_by_role("row").filter(has_text=sha(UNMEASURED)[:7])
    expect(row).to_contain_text(re.compile("Inconclusive[12]\u202f[0-9]{3}\u202f000"))
    expect(page.get_by_role("main")).to_contain_text("A commit whose own run has no value has one")
    page.goto("/p/demo/history?scenario=sfc_a:rate&metric=ndr_pps&view=table&values=measured")
    expect(table).to_contain_text(sha(RATED)[:7])
    expect(row).to_contain_text("\u2013")


def test_a_run_shows_both_distributions_and_what_regressed(page: Page) -> None:
    page.goto(f"/p/demo/runs/{TAIL:032x}")
    expect(page.get_by_label("Verdict")).to_contain_text("Latency p99")
    figures = page.get_by_role("region", name="Metrics under load")
    p99 = page.get_by_role("rowheader", name="Latency p99", exact=True)
    expect(figures.get_by_role("row").filter(has=p99)).to_contain_text("regressed")
    expect(page.get_by_role("heading", name="Latency at 1")).to_be_visible()
    expect(page.get_by_role("img", name="Latency of base and head by percentile")).to_be_visible()
    expect(page.get_by_text("No packet was lost in a valid trial")).to_be_visible()
    expect(page.get_by_role("region", name="Searches of NDR and PDR")).to_contain_text("PDR")
    require_accessible(page)


def test_a_rate_that_was_not_found_says_why(page: Page) -> None:
    page.goto(f"/p/demo/runs/{UNMEASURED:032x}")
    figures = page.get_by_role("region", name="Metrics under load")
    row = figures.get_by_role("row").filter(has=page.get_by_role("rowheader", name="NDR", exact=True))
    expect(row).to_contain_text("missing")
    expect(row).to_contain_text("6 trials in a row were invalid")


def test_a_soak_shows_its_course(page: Page) -> None:
    page.goto(f"/p/demo/runs/{SOAK:032x}")
    expect(page.get_by_label("Verdict")).to_contain_text("Buffer growth")
    expect(page.get_by_role("img", name="Buffers in use of base and head over the soak")).to_be_visible()


def test_the_comparison_has_the_distributions(page: Page) -> None:
    base, head = sha(TAIL - 1), sha(TAIL)
    page.goto(f"/p/demo/compare?base={base}&head={head}&scenario=sfc_a:rate")
    expect(page.get_by_role("img", name="Latency of base and head by percentile")).to_be_visible()
    expect(page.get_by_text("Rounds")).to_have_count(0)


def test_a_run_shows_its_figures_over_the_load(page: Page) -> None:
    page.goto(f"/p/demo/runs/{SWEPT:032x}")
    panel = page.get_by_role("region", name="Over the load", exact=True)
    expect(panel.get_by_role("img", name="CPP of base and head over the offered load")).to_be_visible()
    expect(panel.get_by_text("knee of base with its interval", exact=True)).to_be_visible()
    expect(panel).to_contain_text(re.compile("Knee of CPP, base2\\.0.\\s\\[.*\\]\u202fMpackets/s"))
    expect(panel).to_contain_text(re.compile("Change of the knee\u2212[0-9.]+\u202f%\\s\\["))
    table = panel.get_by_role("region", name="CPP by load")
    expect(table.get_by_role("row")).to_have_count(len(SHARES) + 1)
    expect(table.get_by_role("row").nth(1)).to_contain_text(re.compile("5.00\u202f%.*\\+4[0-9]"))
    require_accessible(page)


@pytest.mark.nightly
def test_on_a_phone_the_interval_of_a_knee_stays_on_one_line(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/p/demo/runs/{SWEPT:032x}?stage=rx")
    facts = page.get_by_role("region", name="Over the load", exact=True).get_by_role("definition")
    knees = facts.filter(has_text=re.compile(r"\["))
    expect(knees).not_to_have_count(0)
    lines = """all => all.map(one => {
        const text = document.createRange();
        text.selectNodeContents(one);
        return text.getClientRects().length;
    })"""
    assert set(knees.evaluate_all(lines)) == {1}
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.nightly
def test_the_address_has_the_figure_and_the_stage(page: Page) -> None:
    page.goto(f"/p/demo/runs/{SWEPT:032x}")
    panel = page.get_by_role("region", name="Over the load", exact=True)
    panel.get_by_role("combobox", name="Stage").click()
    page.get_by_role("option", name="rx").click()
    expect(page).to_have_url(re.compile("stage=rx"))
    expect(panel.get_by_role("img", name="CPP of rx of base and head")).to_be_visible()
    panel.get_by_role("combobox", name="Figure").click()
    expect(page.get_by_role("option", name="Latency p99: not recorded")).to_be_disabled()
    page.get_by_role("option", name="Loss").click()
    expect(page).to_have_url(re.compile("over=loss"))
    page.reload()
    expect(panel.get_by_role("img", name="Loss of base and head over the offered load")).to_be_visible()
    last = panel.get_by_role("region", name="Loss by load").get_by_role("row").last
    expect(last).to_contain_text("2.00\u202f%")
    losses = page.get_by_role("region", name="Lost packets by cause")
    expect(losses).to_contain_text("No packet was lost in a valid trial at this load.")
    page.goto(f"/p/demo/runs/{SWEPT:032x}?over=p99")
    expect(panel).to_contain_text("No trial of this run has Latency p99 over the load.")


@pytest.mark.nightly
def test_a_run_without_a_sweep_says_how_to_get_the_curve(page: Page) -> None:
    page.goto(f"/p/demo/runs/{TAIL:032x}")
    panel = page.get_by_role("region", name="Over the load", exact=True)
    expect(panel).to_contain_text("This run has no sweep of loads.")
    expect(panel).to_contain_text("sweep = [")
    page.goto(f"/p/demo/runs/{SOAK:032x}")
    expect(page.get_by_role("heading", name="Buffers in use")).to_be_visible()
    expect(panel).to_have_count(0)


@pytest.mark.nightly
def test_the_comparison_has_the_figures_over_the_load(page: Page) -> None:
    base, head = sha(RATED - 1), sha(RATED)
    page.goto(f"/p/demo/compare?base={base}&head={head}&scenario=sfc_b:rate&over=cur")
    panel = page.get_by_role("region", name="Over the load", exact=True)
    expect(panel.get_by_role("img", name="CUR of base and head over the offered load")).to_be_visible()
    panel.get_by_role("combobox", name="Figure").click()
    page.get_by_role("option", name="Batch").click()
    expect(page).to_have_url(re.compile("over=batch"))
    expect(panel.get_by_role("region", name="Batch by load")).to_be_visible()


@pytest.mark.nightly
def test_an_inconclusive_run_of_rates_is_not_advised_to_take_longer_rounds(page: Page) -> None:
    page.goto(f"/p/demo/runs/{UNMEASURED:032x}")
    advice = page.get_by_role("region", name="What can help")
    expect(advice).to_contain_text("Increase rates.launches in nalm.toml")
    expect(advice).not_to_contain_text("budget_seconds")


def test_a_person_requests_a_soak(page: Page, running: tuple[Service, str]) -> None:
    page.goto("/p/demo/measure")
    page.get_by_role("combobox", name="Commit, branch or tag").fill("main")
    page.get_by_label("What is measured").first.click()
    page.get_by_role("option", name="Soak").click()
    page.get_by_role("main").get_by_role("button", name="Measure", exact=True).click()
    expect(page).to_have_url(re.compile(r"/jobs/\d+"))
    number = page.url.rsplit("/", 1)[1]
    job = running[0].get(f"/jobs/{number}")
    assert (job["kind"], job["head_sha"], job["base_sha"]) == ("soak", sha(RATED), sha(RATED - 1))
    assert (job["state"], job["scenarios"]) == ("queued", ["*:soak"])
