# SPDX-License-Identifier: Apache-2.0
"""Every page of the router: empty, with work, failing and slow, each checked by axe. With ONE_VIEW it is
checked in one of the views, which pages take in turn; in turn, too, a fourth of the pages are checked by each
way of the keyboard, and a fourth are empty as well."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pytest
from demo_process import ROOT
from every_page import (
    ALWAYS,
    ASKS_NOTHING,
    FAULT,
    HELD,
    NONE,
    PATIENT_MS,
    names_of,
    opened,
    pages,
    settled,
)
from keyboard import require_opened_by_keys, require_stepped_by_keys, require_walkable
from nalm_server_harness import Service
from playwright.sync_api import Browser, Page, expect
from service_browser import (
    ONE_VIEW,
    VIEWS,
    LastingPage,
    administrator,
    fresh_context,
    lasting_page,
    require_accessible,
)

TRIES, RETRIED_MS = 3, 5_000
"""Number of attempts of a page, within this time, before it reports a failure of the server."""


@pytest.fixture(scope="module")
def names(figures: tuple[Service, str]) -> dict[str, str]:
    """Values for the addresses of pages with data."""
    return names_of(figures[0])


@pytest.fixture(scope="module")
def held(browser: Browser, figures: tuple[Service, str]) -> Iterator[LastingPage]:
    """An administrator's page, whose requests wait for the test and whose clock the test sets."""
    with fresh_context(browser, **administrator(figures)) as context:
        context.clock.install()
        context.add_init_script(f"({HELD})({json.dumps(ALWAYS)})")
        with lasting_page(context) as page:
            yield page


@pytest.fixture(scope="module")
def walked() -> set[str]:
    """Elements opened by keys on one page that are the same on others."""
    return set()


def turn_of(route: str, turns: int = 2) -> int:
    """0, 1, 0, ... from page to page."""
    return pages().index(route) % turns


def is_its_turn(route: str, turn: int) -> bool:
    """Without ONE_VIEW always; with it, for a fourth of the pages."""
    return not ONE_VIEW or turn_of(route, 4) == turn


def views_of(route: str) -> Sequence[tuple[str, int]]:
    """All views; with ONE_VIEW the two in turn from page to page."""
    return VIEWS[turn_of(route) :][:1] if ONE_VIEW else VIEWS


@pytest.mark.parametrize("route", pages())
def test_a_page_with_nothing_and_with_all_there(
    page: Page, names: dict[str, str], walked: set[str], route: str
) -> None:
    if "$" in route and is_its_turn(route, 3):
        opened(page, route, NONE)
        settled(page)
        require_accessible(page)
    opened(page, route, names)
    settled(page)
    require_accessible(page, views_of(route))
    if is_its_turn(route, 1):
        require_walkable(page)
    if is_its_turn(route, 2):
        require_opened_by_keys(page, walked)
        require_stepped_by_keys(page)


@pytest.mark.parametrize(
    "route",
    [
        one if turn_of(one, 4) == 0 else pytest.param(one, marks=pytest.mark.nightly)
        for one in pages()
        if one not in ASKS_NOTHING
    ],
)
def test_a_page_that_waits_shows_so_and_one_that_fails_says_why(
    held: LastingPage, names: dict[str, str], route: str
) -> None:
    with held.used() as page:
        opened(page, route, names)
        expect(page.get_by_role("status", name="Loading").first).to_be_visible(timeout=PATIENT_MS)
        page.evaluate("fault => window.failWith(fault)", FAULT)
        for _ in range(TRIES):
            page.clock.fast_forward(RETRIED_MS)
        expect(page.get_by_role("alert").first).to_contain_text(FAULT["error"]["message"], timeout=PATIENT_MS)


QUANTITIES = """all => all.map(one => [one.dataset.quantity, one.textContent.replace(/\\s+/g, ' ').trim()])"""


@pytest.mark.nightly
def test_equal_quantities_are_equal_on_every_page(
    page: Page, figures: tuple[Service, str], names: dict[str, str]
) -> None:
    """Changes of runs, prices, sizes of alerts and their number read the same wherever they stand."""
    service, _ = figures
    alert = service.get("/projects/demo/alerts", limit=1)[0]
    opened_at = [{**names, "id": str(alert["id"])}]
    for commit in service.get("/projects/demo/commits"):
        for verdict in commit["verdicts"]:
            if verdict["ratio_cpp"] is None:
                continue  # of rates
            run = service.get(f"/runs/{verdict['run_id']}")
            pair = f"base={run['base_sha']}&head={run['head_sha']}&scenario={run['scenario']}"
            opened_at.append({**names, "runId": verdict["run_id"], "pair": pair})
    said: dict[str, set[str]] = {}
    places: dict[str, set[str]] = {}
    for at in opened_at:
        shown = OF_RUN if "pair" in at else OF_PROJECT
        for route in shown:
            parameters = at.get("pair") if route.endswith("compare") else PARAMETERS.get(route)
            opened(page, route, at, parameters)
            settled(page)
            expect(page.locator(f'[data-quantity*="{shown[route]}"]').first).to_be_visible(timeout=PATIENT_MS)
            page.wait_for_load_state("networkidle")
            for quantity, text in page.locator("[data-quantity]").evaluate_all(QUANTITIES):
                for name in quantity.split("|"):
                    said.setdefault(name, set()).add(text)
                    places.setdefault(name, set()).add(route)
    assert {quantity: texts for quantity, texts in said.items() if len(texts) > 1} == {}
    on = {
        kind: max((len(of) for name, of in places.items() if name.startswith(kind)), default=0)
        for kind in KINDS
    }
    assert {kind: KINDS[kind] <= pages_with for kind, pages_with in on.items()} == dict.fromkeys(
        KINDS, True
    ), on


OF_PROJECT = {
    "/": "change of CPP in run",
    "/p/$project": "change of CPP in run",
    "/p/$project/alerts": "size of alert",
    "/p/$project/alerts/$id": "size of alert",
    "/p/$project/history": "change of CPP at",
}
OF_RUN = {"/p/$project/runs/$runId": "change of CPP in run", "/p/$project/compare": "change of CPP in run"}
"""Pages, each with a kind of quantity that stands on it: the page is read when it has one."""
PARAMETERS = {"/p/$project/history": "view=table&metric=cpp", "/p/$project/alerts": "state=any"}
KINDS = {
    "change of CPP in run": 4,
    "change of CPP at": 2,
    "price in run": 2,
    "size of alert": 2,
}
"""Each kind of quantity, and on how many pages one of it stands."""


@pytest.mark.parametrize("route", ["/server", "/p/$project/settings"])
def test_a_part_that_is_not_there_is_the_first(page: Page, names: dict[str, str], route: str) -> None:
    opened(page, route, names, "part=nonsense")
    current = page.get_by_role("main").get_by_role("link").and_(page.locator("[aria-current=page]"))
    expect(current).to_be_visible()
    expect(page.locator("main .panel").first).to_be_visible()


def test_what_opens_a_dialog_says_so_and_is_walked() -> None:
    """In the dialog's own file, or in one that uses it."""
    texts = {path.stem: path.read_text() for path in (ROOT / "web" / "src").rglob("*.tsx")}
    for name in (name for name, text in texts.items() if "<Modal" in text):
        users = [text for user, text in texts.items() if user == name or f"<{name}" in text]
        assert any("aria-haspopup" in text for text in users), (
            f"{name} is opened by nothing with aria-haspopup"
        )
