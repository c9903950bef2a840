# SPDX-License-Identifier: Apache-2.0
"""Pages of predictions and practices in Chromium: three clicks to an answer, pictures with assumptions."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_core.report.batch_sizes import LcoreBatches
from nalm_core.report.host_supply import HostSupply
from nalm_core.report.run_report import Arm, RunReport
from nalm_server.campaigns import engine as campaigns
from nalm_server_experiments import UNDER_LOAD, Agent
from nalm_server_harness import Service
from nalm_server_reports import body_of, make_report, on_lcores
from playwright.sync_api import Page, expect
from service_browser import require_accessible
from tiers import by_night

LCORES = {1: 1.0, 2: 1.23, 4: 1.93, 8: 4.29}
"""Cycles of a packet with that many lcores, relative to one: the fastest is 5 lcores."""
BATCHES = {0: (900, 45_000), 16: (900, 3_900_000), 32: (90_000, 749_000_000)}
"""Number and cycles of batches by size; full ones take about as long as the reports' packets."""
SUPPLY = HostSupply(
    one={"instructions": 9e9, "L2": 0.6e9, "memory": 60e6},
    together={"instructions": 16e9, "L2": 1.2e9, "memory": 90e6},
    cpus=2,
    core_hz=3e9,
    line_ns={"clean": 20.0, "dirty": 31.0},
    missing={"dirty_other_node": "one node", "memory_other_node": "one node", "watts": "no powercap"},
)
MOST_SHIFT = 0.1
"""Of the layout, which people do not notice (web.dev, CLS)."""
PREDICTED = "/p/demo/models/predicted"


@pytest.fixture(scope="module")
def scaled(figures: tuple[Service, str]) -> str:
    """A project with one chain on 1, 2, 4 and 8 lcores."""
    service, _ = figures
    new = {"name": "scaled", "repository": "/srv/scaled.git", "public": True}
    service.tokens["scaled"] = service.post("/projects", "admin", 201, new)["upload_token"]
    for lcores, cpp in LCORES.items():
        report = make_report(500 + lcores, head=1, base=0, project="scaled", scenario=f"sfc_{lcores}")
        service.upload(body_of(on_lcores(report, lcores, cpp)), token="scaled")
    text = make_report(521, head=1, base=0, project="scaled", scenario="piped").model_dump_json(by_alias=True)
    report = RunReport.model_validate_json(text.replace('"l3fwd"', '"handover_worker"'))
    scenario = report.scenario.model_copy(update={"model": "pipeline", "lcores": 4})
    service.upload(body_of(report.model_copy(update={"scenario": scenario})), token="scaled")
    report = make_report(520, head=1, base=0, project="scaled", scenario="batched", host_class="metal")
    host = report.host.model_copy(
        update={"caches": {"L1d": 48 << 10}, "supply": SUPPLY, "latencies_at": report.finished_at}
    )
    batches = {Arm.HEAD: [LcoreBatches(lcore=0, sizes=BATCHES)]}
    service.upload(body_of(report.model_copy(update={"host": host, "batches": batches})), token="scaled")
    return "/p/scaled/models/predicted"


@pytest.mark.nightly
def test_three_clicks_answer_what_happens_at_20_mpps_on_8_lcores(page: Page) -> None:
    page.goto("/p/demo")
    page.get_by_role("navigation", name="Project").get_by_role("link", name="Models").click()
    page.get_by_role("link", name="Predicted").click()
    page.get_by_label("Load, Mpackets/s").fill("20")
    page.get_by_role("textbox", name="Lcores").fill("8")
    page.get_by_role("button", name="Predict").click()
    answer = page.get_by_role("region", name="20 Mpackets/s on 8 lcores")
    expect(answer).to_contain_text("Yes: 8 lcores carry all of it")
    expect(answer).to_contain_text("extrapolated")
    expect(answer).to_contain_text("delay")
    assert "mpps=20" in page.url and "lcores=8" in page.url
    assumed = page.get_by_text("Assumes: ")
    expect(assumed.nth(3)).to_be_visible()
    require_accessible(page)


@pytest.mark.nightly
def test_pictures_of_measured_lcores(page: Page, scaled: str) -> None:
    page.goto(scaled)
    page.get_by_role("combobox", name="Run to predict from").click()
    page.get_by_role("option", name="sfc_8").click()
    panel = page.get_by_role("region", name="Speedup with lcores")
    expect(panel.get_by_role("img", name="measured at 1, 2, 4, 8")).to_be_visible()
    expect(panel).to_contain_text("95 % interval")
    expect(panel).to_contain_text("the peak", ignore_case=True)
    expect(page.get_by_role("img", name="Batch sizes")).to_be_visible()
    expect(page.get_by_role("img", name="Share of packets lost")).to_be_visible()
    page.get_by_text("Paper's NPU").click()
    capacity = page.get_by_role("region", name="Capacity by resource")
    expect(capacity).to_contain_text("bottleneck")
    expect(capacity).to_contain_text("inferred")
    require_accessible(page)


def chosen(page: Page, scaled: str, scenario: str, **requested: str) -> None:
    page.goto(scaled)
    page.get_by_role("combobox", name="Run to predict from").click()
    page.get_by_role("option", name=scenario).click()
    for label, value in requested.items():
        page.get_by_label(label.replace("_", " ")).fill(value)
    expect(page.get_by_role("heading", name=scenario)).to_be_visible()


@pytest.mark.nightly
def test_measured_batches_stand_beside_predicted_ones_at_their_own_load(page: Page, scaled: str) -> None:
    chosen(page, scaled, "batched")
    expect(page.get_by_label("Empty poll, ns")).to_have_count(0)
    answer = page.get_by_role("region", name="on 1 lcore")
    expect(answer).to_contain_text("from batch times that are measured")
    expect(answer).to_contain_text("At least 1 lcore for a loss of at most 1 in")
    batches = page.get_by_role("region", name="Batches at")
    expect(batches).to_contain_text("are not compared with another load")
    expect(batches.get_by_text("JSD")).to_have_count(0)
    page.get_by_label("Load, Mpackets/s").fill("9")
    page.get_by_role("button", name="Predict").click()
    expect(batches).to_contain_text("divergence (JSD) 0.0")
    expect(batches.locator(".legend")).to_contain_text("measured")
    capacity = page.get_by_role("region", name="Capacity by resource")
    expect(capacity).to_contain_text("the supply is measured, of 1 of the host's 2 CPUs")
    bounds = page.get_by_role("region", name="Bound and measured rate of every scenario")
    expect(bounds.get_by_role("row", name="batched")).to_contain_text("%")
    expect(bounds.get_by_role("row", name="sfc_8")).to_contain_text("cores")
    expect(bounds).to_contain_text("cores are assumed to do 4 instructions per cycle")
    lines = page.get_by_role("region", name="Cache lines", exact=True)
    expect(lines).to_contain_text("fit up to 32 bytes per packet")
    lines.get_by_role("radiogroup").get_by_text("1024").click()
    expect(lines).to_contain_text("Not even the packets fit")
    require_accessible(page)


def test_lcores_of_a_pipelines_roles(page: Page, scaled: str) -> None:
    chosen(page, scaled, "piped")
    roles = page.get_by_role("region", name="Roles", exact=True)
    best = roles.get_by_role("row", name="best in whole lcores")
    expect(best).to_contain_text("workers")
    expect(best.get_by_role("cell").nth(1)).to_have_text("2")
    expect(page.get_by_role("region", name="Batches at")).to_contain_text("assumed, not measured")
    require_accessible(page)
    chosen(page, scaled, "sfc_8")
    expect(roles).to_contain_text("Choose the run of a pipeline")


def test_what_doctor_measured_stands_on_the_hosts_page(page: Page, scaled: str) -> None:
    page.goto("/hosts/bench-metal")
    expect(page.get_by_role("row", name="clean line")).to_contain_text("60.0")
    expect(page.get_by_role("row", name="dirty line, cache of another node")).to_contain_text("one node")
    supply = page.get_by_role("region", name="Supply", exact=True)
    expect(supply.get_by_role("row", name="second level")).to_contain_text("600")
    expect(supply).to_contain_text("no powercap")
    require_accessible(page)


def test_an_input_that_a_model_cannot_carry_is_named(page: Page) -> None:
    page.goto(f"{PREDICTED}?mpps=100000&queue=16")
    expect(page.get_by_text("No answer: core counts: 1 given, expected at least 3")).to_be_visible()
    expect(
        page.get_by_text("No answer: queue: 16 packets are fewer than the largest batch").first
    ).to_be_visible()
    require_accessible(page)


def test_designs_are_compared(page: Page) -> None:
    page.goto(PREDICTED)
    page.get_by_label("Designs, one a line").fill("one=900,800,900,800\nmany=400,350,9000,8900")
    page.get_by_role("button", name="Compare designs").click()
    panel = page.get_by_role("region", name="Cost of designs")
    expect(panel.get_by_role("img", name="Cost of 2 designs")).to_be_visible()
    expect(panel).to_contain_text("one up to 0.9")
    expect(panel.get_by_text("no other is better in both")).to_have_count(2)


def leased(agent: Agent, kind: str) -> Any:
    """The next lease of that kind; the service has other jobs that wait."""
    leases = iter(lambda: agent.lease(loads=True, flows=True, parameters=True), None)
    return next(one for one in leases if one["experiment"] and one["experiment"]["kind"] == kind)


def require_measured(page: Page) -> None:
    """What UNDER_LOAD says of core counts, roles and flows."""
    speedup = page.get_by_role("region", name="Speedup, measured beside the curve")
    expect(speedup.get_by_role("img", name="measured at 1, 2, 4")).to_be_visible()
    expect(speedup).to_contain_text("8 lcores: nop_8 needs 9 lcores")
    expect(speedup).to_contain_text("sfc_a was not measured: it needs 5 lcores")
    roles = page.get_by_role("region", name="Roles, measured beside the prediction")
    expect(roles.get_by_role("row", name="nop_2_3_1")).to_contain_text("+3.6")
    expect(roles.get_by_role("row", name="nop_4_8_2")).to_contain_text("not measured")
    expect(roles).to_contain_text("nop_4_8_2 needs 15 lcores, nalm may use 8 CPUs")
    flows = page.get_by_role("region", name="First packets of flows, measured")
    expect(flows.get_by_role("img", name="up to 20")).to_be_visible()
    cache = flows.get_by_role("row", name="cache acl_cache")
    expect(cache).to_contain_text("900 [890, 910]")
    expect(cache).to_contain_text("180 [170, 190]")
    expect(flows).to_contain_text("cache costs fewer cycles from flows of 10 packets on")
    expect(flows.get_by_role("img", name="Cost of 2 designs")).to_be_visible()
    expect(flows).to_contain_text("Left out: cache, 20.0")


@pytest.mark.nightly
def test_experiments_under_load_stand_beside_the_prediction(page: Page, figures: tuple[Service, str]) -> None:
    service, _ = figures
    page.goto(PREDICTED)
    agent = Agent(service, "metal")
    for kind, title in (
        ("cores", "Experiments on core counts"),
        ("flows", "Experiments on flows"),
        ("roles", "Experiments on roles"),
        ("queue", "Experiments on queues"),
    ):
        panel = page.get_by_role("region", name=title)
        expect(panel).to_contain_text("None yet.")
        panel.get_by_label("Tables of nalm.toml").fill("nop")
        if kind == "queue":
            panel.get_by_text("Parameters").click()
            panel.get_by_label("Largest batches").fill("64 or so")
            expect(panel.get_by_role("alert")).to_contain_text('"64 or so" is not a list of numbers')
            panel.get_by_label("Largest batches").fill("64")
        panel.get_by_role("button", name="Run an experiment").click()
        expect(panel.get_by_role("status")).to_contain_text("Waits for a bench host")
        expect(panel).to_contain_text(f"nop of [experiments.{kind}], each")
        lease = leased(agent, kind)
        assert lease["experiment"]["names"] == ["nop"]
        assert lease["experiment"]["parameters"]["batch"] == ([64] if kind == "queue" else [])
        expect(panel).to_contain_text("Claimed by bench-metal", timeout=20_000)
        agent.progress(lease, f"{kind}: table nop, cell 2 of 6", 0.25)
        expect(panel).to_contain_text(f"{kind}: table nop, cell 2 of 6", timeout=20_000)
        expect(panel.get_by_role("progressbar", name=", 25 per cent")).to_be_visible()
        agent.finish(lease, under_load=UNDER_LOAD[kind])
        campaigns.drain(service.context)
        expect(panel).to_contain_text("Done", timeout=20_000)
    require_measured(page)
    queue = page.get_by_role("region", name="Queues, measured beside the model")
    row = queue.get_by_role("row", name="batch 64, ring 1024, frame 64")
    for figure in ("12.5", "12.1", "9.50", "7.25"):
        expect(row).to_contain_text(figure)
    expect(queue).to_contain_text("none of 60 trials is valid")
    require_accessible(page)
    panel.get_by_role("button", name="Run an experiment").click()
    expect(panel.get_by_role("status")).to_be_visible()
    agent.finish(leased(agent, "queue"), "failed", message="nalm.toml has no [experiments.queue]")
    campaigns.drain(service.context)
    expect(panel).to_contain_text("nalm.toml has no [experiments.queue]", timeout=20_000)
    expect(row).to_be_visible()


def test_nothing_to_predict_from(page: Page) -> None:
    page.goto("/p/empty/models/predicted")
    expect(page.get_by_text("Nothing has been measured")).to_be_visible()
    require_accessible(page)


def test_practices_with_what_they_gained_here(page: Page) -> None:
    page.goto("/p/demo/models/practices")
    expect(page.get_by_role("img", name="Contribution and reach")).to_be_visible()
    table = page.get_by_role("region", name="Practices", exact=True)
    expect(table.get_by_role("row", name="Let a flow's first packet decide")).to_contain_text(
        "flow_cache saved"
    )
    expect(table.get_by_role("row", name="Prefetch the cache lines")).to_contain_text("no variant tried it")
    require_accessible(page)
    page.goto("/p/empty/models/practices")
    expect(page.get_by_text("Nothing has been measured")).to_be_visible()


SHIFTS = """() => new Promise(found => {
    let sum = 0;
    new PerformanceObserver(list => {
        for (const one of list.getEntries()) if (!one.hadRecentInput) sum += one.value;
    }).observe({type: 'layout-shift', buffered: true});
    requestAnimationFrame(() => setTimeout(() => found(sum), 50));
})"""
"""The sum of the layout shifts of the page."""


@pytest.mark.parametrize("width", [390, *by_night(1280)])
def test_answers_that_arrive_do_not_move_the_page(page: Page, scaled: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(scaled)
    expect(page.get_by_role("img", name="Delay, up to")).to_be_visible()
    assert page.evaluate(SHIFTS) <= MOST_SHIFT
