# SPDX-License-Identifier: Apache-2.0
"""Compare and run pages in Chromium: down to the line, on every axis, empty and undecided, by keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from nalm_core.report.run_report import RunReport
from nalm_server.git.refs import repository as refs
from nalm_server_harness import Service
from nalm_server_reports import PACKETS, body_of, make_report, sha
from playwright.sync_api import Browser, Page, expect
from service_browser import administrator, fresh_page, require_accessible
from thread_service import new_service, served
from tiers import by_night

SIDES = ("base", "head")
WITHIN = "[...document.querySelectorAll('.commit-change')].every(one => one.scrollWidth <= one.clientWidth)"
PAIR = f"/p/demo/compare?base={sha(0)}&head={sha(1)}"


def explained(number: int, text: dict[str, object] | None) -> RunReport:
    """nat slower by a hash that head calls; with paths, functions and lines."""
    made = make_report(number, head_costs={"nat": 190.0}, head_ipps={"nat": 420})
    document = made.model_dump(mode="json", by_alias=True)
    for one in document["instructions"]:
        own, hashed = (330, 0) if one["arm"] == "base" else (300, 120)
        calls = [call("nat_process", own, None), call("nat_hash", hashed, 0), call("fwd_lookup", 110, None)]
        one["calls"] = [node for node in calls if node["own"]]
        one["functions"] = {"nat": [function("nat_process", own), function("nat_hash", hashed)]}
        line = {"function": "nat_process", "stage": "nat", "file": "src/nat.c"}
        one["lines"] = [line | {"lines": costs(own, 50 if one["arm"] == "base" else 52)}]
    return RunReport.model_validate(document | {"source_text": text})


def costs(own: int, ends: int) -> dict[str, int]:
    """By line: 3 instructions where the function ends, the rest where it begins."""
    return {"41": (own - 3) * PACKETS, str(ends): 3 * PACKETS}


def source() -> list[dict[str, object]]:
    """nat.c from line 35 on: three lines replace one."""
    before = [f"/* {at} */" for at in range(35, 41)]
    after = ["\tif (unlikely(entry == NULL))", *(f"\t\tcounter[{at}]++;" for at in range(8)), "}"]
    return [
        {"base": 35, "head": 35, "lines": before},
        {"base": 41, "lines": ["\tentry = table_find(table, &key);"]},
        {"head": 41, "lines": ["\tuint32_t hash = hash_of(&key);", "", "\tentry = table_at(table, hash);"]},
        {"base": 42, "head": 44, "lines": after},
    ]


def call(name: str, own: int, parent: int | None) -> dict[str, object]:
    return {"name": name, "parent": parent, "stage": "nat", "own": own * PACKETS}


def function(name: str, own: int) -> dict[str, object]:
    return {
        "name": name,
        "instructions": own * PACKETS,
        "calls": PACKETS,
        "file": "src/nat.c",
        "line": 40,
    }


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, str]]:
    with new_service(tmp_path_factory.mktemp("compare")) as service:
        service.upload(body_of(explained(1, {"files": [{"file": "src/nat.c", "stretches": source()}]})))
        service.upload(body_of(explained(6, {"withheld": True})))
        service.upload(body_of(make_report(2, failed_check=True)))
        service.upload(body_of(make_report(3, status="broken")))
        other = make_report(4, head=1, base=0, scenario="sfc_b", base_costs={"rx": 20, "tx": 30})
        service.upload(body_of(other))
        with served(service) as address:
            yield service, address


def test_a_pair_shows_its_other_scenarios(page: Page) -> None:
    page.goto(f"{PAIR}&scenario=sfc_b")
    others = page.get_by_role("region", name="Other scenarios", exact=True)
    expect(others).to_contain_text("1 regressed")
    require_accessible(page)
    others.get_by_role("link", name="sfc_a").click()
    expect(page).to_have_url(re.compile("scenario=sfc_a"))
    expect(page.get_by_role("region", name="Verdict")).to_contain_text("Regressed")


def test_a_commit_opens_the_comparison_of_its_verdict_not_of_its_newest_job(
    page: Page, running: tuple[Service, str]
) -> None:
    service, _ = running
    service.post("/projects/demo/jobs", "admin", 201, {"head": sha(6), "base": sha(1)})
    page.goto(f"/p/demo/compare?head={sha(6)}&scenario=sfc_a")
    expect(page).to_have_url(re.compile(f"base={sha(5)}"))


def test_a_branch_or_tag_is_compared_with_its_base(page: Page, running: tuple[Service, str]) -> None:
    service, _ = running
    with service.context.sessions() as session:
        refs.place_tag(session, 1, "v6", sha(6), service.clock())
        session.commit()
    page.goto("/p/demo/compare?head=v6&scenario=sfc_a")
    expect(page).to_have_url(re.compile(f"base={sha(5)}&head={sha(6)}"))
    expect(page.get_by_role("region", name="Verdict")).to_contain_text("Regressed")
    page.goto("/p/demo/compare?head=nowhere")
    expect(page.get_by_role("main")).to_contain_text("There is no branch or tag nowhere")
    require_accessible(page)


def test_a_comparison_goes_down_to_the_line(page: Page) -> None:
    page.goto(f"{PAIR}&scenario=sfc_a&fn=nat%2Fnat_process")
    expect(page.get_by_role("tree", name="Differential flame graph")).to_be_visible()
    expect(page.get_by_role("img", name="Head over base")).to_be_visible()
    expect(page.get_by_role("link", name="alert 1")).to_be_visible()
    base, head = (
        page.get_by_role("table", name=f"Source of nat_process in src/nat.c, {side}") for side in SIDES
    )
    expect(base.get_by_role("row", name="41 327")).to_contain_text("entry = table_find(table, &key);")
    expect(head.get_by_role("row", name="41 297 \u221230.00")).to_contain_text("hash_of(&key)")
    expect(head).not_to_contain_text("counter[5]++;")
    require_accessible(page)
    page.get_by_role("button", name="lines hidden").first.press("Enter")
    expect(head).to_contain_text("counter[5]++;")
    assert "lines=all" in page.url
    page.get_by_role("link", name="History of nat_process in nat").click()
    expect(page.get_by_role("button", name="nat > nat_process")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".chart canvas").first).to_be_visible()


FROM_LEFT_TO_RIGHT = """async box => {
    const drawn = async () => { for (let at = 0; at < 4; at++) await new Promise(requestAnimationFrame); };
    box.scrollLeft = 0;
    await drawn();
    box.scrollLeft = 1e6;
    const end = box.scrollLeft;
    await drawn();
    return [box.scrollLeft, end];
}"""


@pytest.mark.nightly
def test_the_side_with_longer_lines_is_not_held_back_by_the_other(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{PAIR}&scenario=sfc_a&fn=nat%2Fnat_process&lines=all")
    boxes = [page.get_by_role("region", name=f"Source of nat_process in src/nat.c, {side}") for side in SIDES]
    (base, base_end), (head, head_end) = (box.evaluate(FROM_LEFT_TO_RIGHT) for box in boxes)
    assert (base, head) == (base_end, head_end) and base_end != head_end


def test_a_function_is_opened_by_keyboard_and_says_why_it_has_no_text(page: Page) -> None:
    page.goto(f"/p/demo/compare?base={sha(5)}&head={sha(6)}&scenario=sfc_a")
    page.get_by_role("button", name="nat_process").press("Enter")
    title = page.get_by_role("heading", name="nat_process line by line")
    expect(title).to_be_in_viewport()
    expect(page.get_by_text("source_in_reports = false")).to_be_visible()
    expect(page.get_by_role("table", name="Lines of nat_process, head")).to_contain_text("src/nat.c:41")
    page.get_by_role("button", name="Close").press("Enter")
    expect(title).to_have_count(0)


@pytest.mark.nightly
def test_the_flame_graph_is_walked_by_keyboard(page: Page) -> None:
    page.goto(f"{PAIR}&scenario=sfc_a")
    page.get_by_role("treeitem", name="all:").focus()
    for key in ("ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.get_by_role("treeitem", name="nat_hash:")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("navigation", name="Zoomed to")).to_contain_text("nat_hash")
    assert "at=0.0" in page.url


def test_a_runs_functions_and_rounds_are_searched_put_in_order_and_saved(page: Page) -> None:
    page.goto(f"/p/demo/runs/{1:032x}")
    table = page.get_by_role("region", name="Functions", exact=True)
    page.get_by_role("button", name="Instructions/packet, base").click()
    expect(table.get_by_role("row").nth(1)).to_contain_text("nat_process")
    page.get_by_role("searchbox", name="Search functions and lines").fill("hash")
    expect(table.get_by_role("row")).to_have_count(2)
    assert "sort=base_ipp" in page.url and "q=hash" in page.url
    with page.expect_download() as saved:
        page.get_by_role("button", name="Export the rounds").click()
        page.get_by_role("menuitem", name="PNG").click()
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")


@pytest.mark.nightly
def test_a_runs_function_is_read_line_by_line(page: Page) -> None:
    page.goto(f"/p/demo/runs/{1:032x}")
    page.get_by_role("button", name="nat_process").press("Enter")
    expect(page.get_by_role("heading", name="nat_process line by line")).to_be_in_viewport()
    head = page.get_by_role("table", name="Source of nat_process in src/nat.c, head")
    expect(head.get_by_role("row", name="41 297 \u221230.00")).to_contain_text("hash_of(&key)")
    require_accessible(page)
    stages = page.get_by_role("region", name="Instructions per packet").get_by_role("rowheader")
    expect(stages).to_have_text(["rx", "nat", "l3fwd", "tx", "outside every stage"])
    page.goto(f"/p/demo/runs/{6:032x}?fn=nat%2Fnat_process")
    expect(page.get_by_text("source_in_reports = false")).to_be_visible()


@pytest.mark.nightly
def test_one_commit_in_two_scenarios_and_back(page: Page) -> None:
    page.goto(f"/p/demo/compare?by=features&head={sha(1)}&base_scenario=sfc_b&scenario=sfc_a")
    expect(page.get_by_role("region", name="Verdict")).to_contain_text("in sfc_b")
    page.get_by_role("button", name="Swap base and head").click()
    expect(page.get_by_role("region", name="Verdict")).to_contain_text(f"{sha(1)[:7]} in sfc_a and")
    require_accessible(page)


def test_a_revision_is_found_by_a_few_letters(page: Page) -> None:
    page.goto(f"/p/demo/compare?base={sha(0)}&head={sha(1)}")
    page.get_by_label("Base").first.fill(sha(2)[:6])
    page.get_by_role("option", name=sha(2)[:7]).click()
    page.wait_for_url(f"**base={sha(2)}*")


@pytest.mark.nightly
def test_pairs_that_were_compared_are_returned_to_and_no_others(
    browser: Browser, running: tuple[Service, str]
) -> None:
    with fresh_page(browser, **administrator(running)) as page:
        verdict = page.get_by_role("region", name="Verdict")
        before = page.get_by_role("navigation", name="Recent comparisons in this browser")
        page.goto(f"/p/demo/compare?base={sha(0)}&head={sha(1)}")
        expect(verdict).to_be_visible()
        expect(before).to_have_count(0)
        page.goto(f"/p/demo/compare?base=nowhere&head={sha(1)}")
        expect(page.get_by_text("is called 'nowhere'")).to_be_visible()
        expect(before.get_by_role("link")).to_have_text([f"{sha(0)[:7]} → {sha(1)[:7]}, sfc_a"])
        before.get_by_role("link").click()
        expect(verdict).to_be_visible()


@pytest.mark.parametrize("path", ["", "/compare", *by_night("/history", "/alerts", f"/runs/{100:032x}")])
def test_names_as_long_as_may_be_fit_every_page(page: Page, running: tuple[Service, str], path: str) -> None:
    name, scenario = "n" * 64, "_".join(["sfc_acl_lb"] * 5)
    service = running[0]
    if name not in service.tokens:
        requested: dict[str, Any] = {"name": name, "repository": f"https://git.example.org/{name}.git"}
        requested["check_repository"] = False
        service.tokens[name] = service.post("/projects", "admin", 201, requested)["upload_token"]
        for number in range(2):
            costs = {"nat": 250.0 - 50 * number}
            made = make_report(
                100 + number, head=9, base=8, project=name, scenario=f"{scenario}_{number}", head_costs=costs
            )
            service.upload(body_of(made), token=name)
    asks = f"?base={sha(8)}&head={sha(9)}&scenario={scenario}_0" if path == "/compare" else "?state=any"
    page.goto(f"/p/{name}{path}{asks}")
    expect(page.get_by_role("main")).to_contain_text("sfc_acl_lb" if path != "/compare" else "Regressed")
    require_accessible(page)


@pytest.mark.parametrize(
    ("path", "texts"),
    [
        ("compare", ("Choose a base and a head",)),
        (f"compare?base={sha(0)}&head={sha(2)}&scenario=sfc_b", ("Not measured yet", "side by side")),
        (f"runs/{3:032x}", ("What can help", "ninja: build stopped")),
        *by_night(
            ("compare?by=host", ("Choose a commit and two hosts",)),
            (f"compare?base={sha(1)}&head={sha(2)}&scenario=sfc_a", ("What can help", "measured rate")),
            (f"runs/{1:032x}", ("Raw report", "compared with its base")),
        ),
    ],
)
def test_every_state_says_what_it_is(page: Page, path: str, texts: tuple[str, ...]) -> None:
    page.goto(f"/p/demo/{path}")
    for text in texts:
        expect(page.get_by_role("main")).to_contain_text(text)
    require_accessible(page)


def test_two_commits_are_chosen_for_a_comparison_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto("/p/demo")
    expect(page.locator(".commit-change").get_by_text("%").first).to_be_visible()
    assert page.evaluate(WITHIN), "changes with their intervals fit into their rows"
    for number in (1, 6):
        page.get_by_role("checkbox", name=f"Choose {sha(number)[:7]} for a comparison").check()
    page.get_by_role("region", name="Chosen commits").get_by_role("button", name="Compare").click()
    expect(page).to_have_url(re.compile(rf"compare\?base={sha(1)}&head={sha(6)}"))


def test_a_dark_page_is_printed_in_light_colours_and_whole(page: Page) -> None:
    """Playwright prints without the events that a browser sends before and after."""
    page.emulate_media(color_scheme="dark")
    page.goto(PAIR)
    table = page.get_by_role("region", name="Change per stage")
    expect(table.get_by_role("row", name=re.compile("^nat"))).to_be_visible()
    scheme = page.locator("html")
    expect(scheme).to_have_attribute("data-mantine-color-scheme", "dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 794, "height": 1123})
    expect(scheme).to_have_attribute("data-mantine-color-scheme", "light")
    expect(page.locator("header")).to_be_hidden()
    assert table.evaluate("one => getComputedStyle(one).overflowX") == "visible"
    assert page.evaluate("document.documentElement.scrollWidth") == 794
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen", color_scheme="dark")
    expect(scheme).to_have_attribute("data-mantine-color-scheme", "dark")
