# SPDX-License-Identifier: Apache-2.0
"""Every page looks like its stored picture, in each of its states: full, empty, loading, failed, with one
scenario and with fifty; axe finds nothing in those states that no other test opens.

`make pictures` stores those that are new or differ; review them before you commit them.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from coarse_pictures import Difference, difference, store, stored, taken
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
from figures_service import figures_service
from nalm_server.cli.main import app
from nalm_server_harness import Clock, Service
from PIL.Image import Image
from playwright.sync_api import BrowserContext, Page, expect
from service_browser import (
    CHOSEN,
    CHROMIUM,
    SHELL,
    STILL,
    administrator,
    chromium,
    fresh_context,
    page_of,
    require_accessible,
)
from typer.testing import CliRunner

STORED = Path(__file__).with_name("stored")
TAKEN = ROOT / ".cache" / "pictures"
ACCEPTING = "NALM_ACCEPT_PICTURES"
ACCEPT = ACCEPTING in os.environ
MOST_PICTURES = 20
WAITED_SECONDS = 10
"""Time for content that a page shows after loading."""
LATER = timedelta(minutes=30)
"""The time at which pictures are taken, after all data of the service."""


@dataclass(frozen=True)
class View:
    """A view of a page."""

    name: str
    scheme: str = "light"
    width: int = 1280
    project: str = "demo"
    """`empty` has no data; `one` and `fifty` have so many scenarios."""
    answered: str = "well"
    """`held`: the page waits for its data; `failed`: the server reports a fault."""


WIDE, PHONE, EMPTY = View("wide"), View("phone", "dark", 390), View("empty", project="empty")
LOADING, FAILED = View("loading", answered="held"), View("failed", answered="failed")
SIZES = {"one": ("1", "1"), "fifty": ("50", "20")}
"""By project: number of scenarios, and of hosts."""
SIZED = tuple(View(name, project=name) for name in SIZES)
OF_SIZE = (
    *("/p/$project", "/p/$project/alerts", "/p/$project/alerts/$id", "/p/$project/history"),
    *("/p/$project/compare", "/p/$project/runs/$runId", "/p/$project/weeks", "/p/$project/models"),
)
"""Pages that grow with the number of scenarios."""
COMMITS = 120
FAULTS = {
    "a panel is gone": "main .panel { visibility: hidden }",
    "charts stay empty": "main canvas, main svg { visibility: hidden }",
    "another ground": "body { background: #ffe3e3 !important }",
    "further down": "main { padding-top: 3rem !important }",
    "larger": "main { zoom: 1.1 }",
    "no head": "header { visibility: hidden }",
}
"""Style rules that break a page."""
BROKEN = "/p/$project/history"
ADD_STYLE = """rules => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    document.adoptedStyleSheets.push(sheet);
}"""
"""Bypasses the content security policy, which allows no style."""


Names = dict[str, dict[str, str]]
"""By project, values for the parts of addresses."""


@pytest.fixture(scope="module")
def looked_at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, BrowserContext], Names]]:
    """A service that nobody else changes, at a fixed time: contexts by how they are answered, and names."""
    home = tmp_path_factory.mktemp("pictures")
    with figures_service(home) as running:
        names = {"demo": names_of(running[0])}
        names["empty"] = {**names["demo"], **NONE}
        for project in SIZES:
            names[project] = seeded(running[0], home, project)
        running[0].request("GET", "/host-factors", "root")  # levels take their time once
        place = {**administrator(running), "locale": "en-GB", "timezone_id": "UTC"}
        with (
            chromium((*CHROMIUM, SHELL)) as browser,
            fresh_context(browser, **place) as free,
            fresh_context(browser, **place) as held,
        ):
            held.add_init_script(f"({HELD})({json.dumps(ALWAYS)})")
            for context in (free, held):
                context.clock.set_fixed_time(Clock.now + LATER)
            yield {"well": free, "held": held, "failed": held}, names


def seeded(service: Service, home: Path, project: str) -> dict[str, str]:
    """Adds a project of this size; the names of its newest regression."""
    scenarios, hosts = SIZES[project]
    size = ["--commits", str(COMMITS), "--dense", str(COMMITS), "--scenarios", scenarios, "--hosts", hosts]
    size += ["--ends", f"{Clock.now:%Y-%m-%dT%H:%M:%S}"]
    done = CliRunner(env={ACCEPTING: None}).invoke(
        app, ["seed", "--project", project, *size, "--state", str(home)]
    )
    assert done.exit_code == 0, done.output
    alert = service.get(f"/projects/{project}/alerts", order="new", limit=1)[0]
    (run,) = [
        one
        for one in service.get(f"/projects/{project}/commits/{alert['sha']}")["runs"]
        if one["scenario"] == alert["scenario"]
    ]
    pair = f"base={run['base_sha']}&head={run['head_sha']}&scenario={run['scenario']}"
    return {"project": project, "id": str(alert["id"]), "runId": run["run_id"], "pair": pair}


def show(page: Page, route: str, names: Names, view: View) -> None:
    page.set_viewport_size({"width": view.width, "height": 900})
    page.emulate_media(color_scheme=view.scheme)  # type: ignore[arg-type]
    of = names[view.project]
    opened(page, route, of, of.get("pair") if route.endswith("compare") else None)
    if view.answered == "held":
        expect(page.get_by_role("status", name="Loading").first).to_be_visible(timeout=PATIENT_MS)
    elif view.answered == "failed":
        page.evaluate("fault => window.failWith(fault)", FAULT)
        expect(page.get_by_role("alert").first).to_contain_text(FAULT["error"]["message"], timeout=PATIENT_MS)
    if view.answered != "held":
        settled(page)
    page.wait_for_function(CHOSEN)


def still(page: Page) -> Image:
    """A picture without motion: two consecutive ones are equal."""
    last = b""
    for _ in range(MOST_PICTURES):
        page.evaluate(STILL)
        now = page.screenshot(full_page=True, animations="disabled")
        if now == last:
            return taken(now)
        last = now
    raise AssertionError(f"{page.url} never comes to rest")


def compared(page: Page, before: Image) -> Difference:
    """A picture as soon as the page equals the stored one, else after the time limit."""
    end = time.monotonic() + WAITED_SECONDS
    while True:
        found = difference(before, still(page))
        if found.same or time.monotonic() > end:
            return found


def stored_at(route: str, view: View) -> Path:
    return STORED / f"{route.strip('/').replace('/', '.').replace('$', '') or 'overview'}-{view.name}.png"


def cases() -> list[tuple[str, View]]:
    return [(route, view) for route in pages() for view in views_of(route)]


def views_of(route: str) -> list[View]:
    found = [WIDE, PHONE]
    if "$" in route:
        found.append(EMPTY)
    if route not in ASKS_NOTHING:
        found += [LOADING, FAILED]
    return [*found, *(SIZED if route in OF_SIZE else ())]


@pytest.mark.parametrize(("route", "view"), cases(), ids=lambda one: getattr(one, "name", one))
def test_a_page_looks_as_ever(
    looked_at: tuple[dict[str, BrowserContext], Names], route: str, view: View
) -> None:
    path = stored_at(route, view)
    with page_of(looked_at[0][view.answered]) as page:
        show(page, route, looked_at[1], view)
        if ACCEPT and not (path.exists() and compared(page, stored(path)).same):
            store(still(page), path)
        found = compared(page, stored(path))
        if view in (LOADING, FAILED, *SIZED):
            require_accessible(page, [(view.scheme, view.width)])
    if not found.same:
        store(found.marked, TAKEN / path.name)
    assert found.same, (
        f"{route} looks otherwise in {found.share:.1%} of its squares: see {TAKEN / path.name} "
        f"beside {path}; if it should, `make pictures` stores it"
    )


def test_every_stored_picture_is_of_a_page() -> None:
    assert set(STORED.iterdir()) == {stored_at(*case) for case in cases()}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_breaks_a_page_is_seen(looked_at: tuple[dict[str, BrowserContext], Names], fault: str) -> None:
    before = stored(stored_at(BROKEN, WIDE))
    with page_of(looked_at[0]["well"]) as page:
        show(page, BROKEN, looked_at[1], WIDE)
        assert compared(page, before).same
        page.evaluate(ADD_STYLE, FAULTS[fault])
        assert not difference(before, still(page)).same
