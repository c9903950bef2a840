# SPDX-License-Identifier: Apache-2.0
"""A browser at a running service: signed in as its administrator, and what every page has to be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from demo_process import ROOT
from playwright.sync_api import Browser, Page, expect
from service_process import PASSWORD, Service

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
STILL = """new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))
    .then(() => Promise.all(document.getAnimations().filter(one => one instanceof CSSTransition)
    .map(one => one.finished.catch(() => {}))))"""
"""What a change of the window or of colours sets in motion has begun, and ended."""
CHOSEN = """() => [...document.querySelectorAll('.mantine-SegmentedControl-indicator')]
    .every(one => one.hasAttribute('data-initialized'))"""
"""The patch behind a chosen label, which it is read against, has found its place."""


def sign_in(browser: Browser, service: Service) -> dict[str, Any]:
    """A browser's state, signed in by the link that was printed, with a password set."""
    context = browser.new_context(base_url=service.url)
    page = context.new_page()
    page.goto(service.link)
    page.get_by_role("button", name="Sign in by this link").click()
    for field in range(2):
        page.locator("[autocomplete=new-password]").nth(field).fill(PASSWORD)
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_text("The password is set.")).to_be_visible()
    state: Any = context.storage_state()
    context.close()
    return dict(state)


def opened(
    browser: Browser, service: Service, state: dict[str, Any] | None = None
) -> AbstractContextManager[Page]:
    """A fresh page, a stranger's without a state."""
    return fresh_page(browser, base_url=service.url, storage_state=state)


@contextmanager
def fresh_page(browser: Browser, **context_options: Any) -> Iterator[Page]:
    """A page of a context of its own; errors of its scripts fail the test."""
    context = browser.new_context(reduced_motion="reduce", **context_options)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert not errors, errors


FITS = "width => document.documentElement.scrollWidth <= width"
"""Once charts and what floats over them have found their new size."""
VIEWS = (("light", 1280), ("dark", 390))
"""Colours, and width of the window in pixels."""


def require_accessible(page: Page, views: Sequence[tuple[str, int]] = VIEWS) -> None:
    """axe finds nothing, in both schemes and at a phone's width, and nothing is wider than the window."""
    for scheme, width in views:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(CHOSEN)
        page.evaluate(STILL)
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE.read_text())  # past the content security policy, which lets no script in
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        faults = [(one["id"], one["nodes"][0]["html"][:160]) for one in found["violations"]]
        assert faults == [], f"{page.url}: {faults}"
        page.wait_for_function(FITS, arg=width)
