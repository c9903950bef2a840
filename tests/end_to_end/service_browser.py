# SPDX-License-Identifier: Apache-2.0
"""A browser at a running service, signed in as its administrator, and checks for every page."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from demo_process import ROOT
from nalm_server_harness import Service as Harness
from playwright.sync_api import (
    Browser,
    BrowserContext,
    FloatRect,
    Locator,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)
from service_process import PASSWORD, Service

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
SHELL = "chromium-headless-shell"
"""Chromium without windows: the same engine, for half the processor time."""
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--process-per-site",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A page lives for seconds: to optimize its code, and to keep its heap small, takes longer than it saves.
    "--js-flags=--no-opt --no-maglev --min-semi-space-size=32 --initial-heap-size=256",
]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
expect.set_options(timeout=30_000)
"""A busy host draws some pages in more than the usual 5 s."""
STILL = """new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))
    .then(() => Promise.all(document.getAnimations().filter(one => one instanceof CSSTransition)
    .map(one => one.finished.catch(() => {}))))"""
"""Transitions after a change of the window or of colours have begun and ended."""
CHOSEN = """() => [...document.querySelectorAll('.mantine-SegmentedControl-root')].every(root => {
    const parts = ['indicator', 'control[data-active]'];
    const [patch, label] = parts.map(name => root.querySelector('.mantine-SegmentedControl-' + name));
    if (!patch || !label) return false;
    const [at, to] = [patch, label].map(one => one.getBoundingClientRect());
    return ['left', 'top', 'width'].every(name => Math.abs(at[name] - to[name]) < 4);
})"""
"""The background of a chosen label is at the label's place."""


@contextmanager
def chromium(names: Sequence[str] = (SHELL, *CHROMIUM)) -> Iterator[Browser]:
    """The first installed browser. Raises FileNotFoundError if there is none."""
    program = next((path for name in names if (path := shutil.which(name))), None)
    if program is None:
        raise FileNotFoundError("no Chromium: `make install-test` installs it")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=CHROMIUM_OPTIONS)
        yield started
        started.close()


def drawn_box(locator: Locator) -> FloatRect:
    """Where something is once it has been drawn: a chart has its parts before its size."""
    expect(locator).to_be_visible()
    box = locator.bounding_box()
    assert box is not None
    return box


def sign_in(browser: Browser, service: Service) -> dict[str, Any]:
    """A browser's state after sign-in by the printed link, with a password set."""
    context = browser.new_context(base_url=service.url)
    page = context.new_page()
    page.goto(service.link)
    page.get_by_role("button", name="Sign in with this link").click()
    for field in range(2):
        page.locator("[autocomplete=new-password]").nth(field).fill(PASSWORD)
    page.get_by_role("button", name="Change password").click()
    expect(page.get_by_text("The password was changed.")).to_be_visible()
    state: Any = context.storage_state()
    context.close()
    return dict(state)


def opened(browser: Browser, service: Service) -> AbstractContextManager[Page]:
    """A new page of somebody who is not signed in."""
    return fresh_page(browser, base_url=service.url)


def administrator(running: tuple[Harness, str]) -> dict[str, Any]:
    """Options of a context: at this service, with its administrator's token."""
    service, url = running
    headers = {"Authorization": f"Bearer {service.tokens['root']}"}
    return {"base_url": url, "extra_http_headers": headers}


@contextmanager
def fresh_page(browser: Browser, **context_options: Any) -> Iterator[Page]:
    """A page of a context of its own."""
    with fresh_context(browser, **context_options) as context, page_of(context) as page:
        yield page


@contextmanager
def fresh_context(browser: Browser, **context_options: Any) -> Iterator[BrowserContext]:
    """A context whose pages share loaded files."""
    context = browser.new_context(reduced_motion="reduce", **context_options)
    yield context
    context.close()


@contextmanager
def page_of(context: BrowserContext) -> Iterator[Page]:
    """Errors of its scripts fail the test."""
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.close()
    assert not errors, errors


class LastingPage:
    """A page that tests use one after another: each new page starts a process of the browser."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._errors: list[str] = []
        page.on("pageerror", lambda error: self._errors.append(str(error)))

    @contextmanager
    def used(self) -> Iterator[Page]:
        """The page in its first view, with nothing open and no request caught. Errors of its scripts since
        then fail the test."""
        self._page.set_viewport_size(FIRST_VIEW)
        self._page.emulate_media(color_scheme="light")
        self._page.mouse.move(0, 0)
        try:
            yield self._page
        finally:
            self._page.unroute_all(behavior="ignoreErrors")
            self._page.goto("about:blank")
            errors, self._errors = self._errors, []
        assert not errors, errors


@contextmanager
def lasting_page(context: BrowserContext) -> Iterator[LastingPage]:
    """A page for several tests."""
    page = context.new_page()
    yield LastingPage(page)
    page.close()


FOUND = """axe.run(document, {resultTypes: ['violations'], rules: {'target-size': {enabled: true}}})
    .then(({violations}) => violations.map(one => [one.id, one.nodes[0].html.slice(0, 160)]))"""
"""Findings of axe, including its rule of 24-pixel controls (WCAG 2.5.8)."""
MOVING = """document.getAnimations().filter(one => one instanceof CSSAnimation)
    .map(one => one.effect.target.outerHTML.slice(0, 160))"""
LAYOUT = Path(__file__).with_name("layout_faults.js").read_text()
FITS = "width => document.documentElement.scrollWidth <= width"
"""Waits until charts and overlays have their new size."""
FIRST_VIEW: ViewportSize = {"width": 1280, "height": 720}
"""Playwright's own."""
VIEWS = (("light", 1280), ("dark", 390))
"""Colours, and width of the window in pixels."""
ONE_VIEW = bool(os.environ.get("ONE_VIEW"))
"""The tests check each page in one view; otherwise each page and state in all."""
STATE_VIEWS: Sequence[tuple[str, int]] = () if ONE_VIEW else VIEWS
"""Views of a state that a test brings about: none with ONE_VIEW, which leaves further states of pages out."""


def require_accessible(page: Page, views: Sequence[tuple[str, int]] = STATE_VIEWS) -> None:
    """axe has no findings, in both schemes and at a phone's width; nothing is wider than the window, no text
    is laid out wrongly, and nothing moves, because the person wants no motion."""
    for scheme, width in views:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(CHOSEN)
        page.evaluate(STILL)
        require_by_axe(page)
        page.wait_for_function(FITS, arg=width)
        require_laid_out(page)
        require_at_rest(page)


def require_by_axe(page: Page) -> None:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())  # bypasses the content security policy, which allows no script
    faults = page.evaluate(FOUND)
    assert faults == [], f"{page.url}: {faults}"


def require_laid_out(page: Page) -> None:
    """No text overlaps another, begins left of the window, or is truncated without an ellipsis."""
    faults = page.evaluate(LAYOUT)
    assert faults == [], f"{page.url} at {page.viewport_size}: {faults}"


def require_at_rest(page: Page) -> None:
    """An animation that never ends also keeps the browser drawing."""
    moving = page.evaluate(MOVING)
    assert moving == [], f"{page.url}: {moving}"
