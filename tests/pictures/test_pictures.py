# SPDX-License-Identifier: Apache-2.0
"""Every page looks like its stored picture.

`make pictures` stores those that are new or differ; review them before you commit them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from coarse_pictures import Difference, difference, store, stored, taken
from demo_process import ROOT
from every_page import NONE, names_of, opened, pages, settled
from figures_service import figures_service
from nalm_server_harness import Clock
from PIL.Image import Image
from playwright.sync_api import BrowserContext, Page
from service_browser import CHOSEN, CHROMIUM, SHELL, STILL, administrator, chromium, fresh_context, page_of

STORED = Path(__file__).with_name("stored")
TAKEN = ROOT / ".cache" / "pictures"
ACCEPT = "NALM_ACCEPT_PICTURES" in os.environ
MOST_PICTURES = 20
WAITED_SECONDS = 10
"""Time for content that a page shows after loading."""
LATER = timedelta(minutes=30)
"""The time at which pictures are taken, after all data of the service."""


@dataclass(frozen=True)
class View:
    """A view of a page."""

    name: str
    scheme: str
    width: int
    full: bool = True
    """False: without data."""


VIEWS = (View("wide", "light", 1280), View("phone", "dark", 390), View("empty", "light", 1280, full=False))
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


@pytest.fixture(scope="module")
def looked_at(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[BrowserContext, dict[str, str]]]:
    """A service that nobody else changes, at a fixed time, and names of its objects."""
    with figures_service(tmp_path_factory.mktemp("pictures")) as running:
        names = names_of(running[0])
        place = {"locale": "en-GB", "timezone_id": "UTC"}
        with (
            chromium((*CHROMIUM, SHELL)) as browser,
            fresh_context(browser, **administrator(running), **place) as context,
        ):
            context.clock.set_fixed_time(Clock.now + LATER)
            yield context, names


def show(page: Page, route: str, names: dict[str, str], view: View) -> None:
    page.set_viewport_size({"width": view.width, "height": 900})
    page.emulate_media(color_scheme=view.scheme)  # type: ignore[arg-type]
    opened(page, route, names if view.full else {**names, **NONE})
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
    return [(route, view) for route in pages() for view in VIEWS if view.full or "$" in route]


@pytest.mark.parametrize(("route", "view"), cases(), ids=lambda one: getattr(one, "name", one))
def test_a_page_looks_as_ever(
    looked_at: tuple[BrowserContext, dict[str, str]], route: str, view: View
) -> None:
    path = stored_at(route, view)
    with page_of(looked_at[0]) as page:
        show(page, route, looked_at[1], view)
        if ACCEPT and not (path.exists() and compared(page, stored(path)).same):
            store(still(page), path)
        found = compared(page, stored(path))
    if not found.same:
        store(found.marked, TAKEN / path.name)
    assert found.same, (
        f"{route} looks otherwise in {found.share:.1%} of its squares: see {TAKEN / path.name} "
        f"beside {path}; if it should, `make pictures` stores it"
    )


def test_every_stored_picture_is_of_a_page() -> None:
    assert set(STORED.iterdir()) == {stored_at(*case) for case in cases()}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_breaks_a_page_is_seen(looked_at: tuple[BrowserContext, dict[str, str]], fault: str) -> None:
    before = stored(stored_at(BROKEN, VIEWS[0]))
    with page_of(looked_at[0]) as page:
        show(page, BROKEN, looked_at[1], VIEWS[0])
        assert compared(page, before).same
        page.evaluate(ADD_STYLE, FAULTS[fault])
        assert not difference(before, still(page)).same
