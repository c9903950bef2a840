# SPDX-License-Identifier: Apache-2.0
"""The demo, run once as a user runs it, and a browser.

DEMO_MERGES=5 ends the demo's history after five merges.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from demo_process import Demo
from figures_service import figures_service
from nalm_server_harness import Service
from playwright.sync_api import Browser, BrowserContext, Page
from service_browser import administrator, chromium, fresh_context, page_of

DEMO_SECONDS = 900


@pytest.fixture(scope="session")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "state"


@pytest.fixture(scope="session")
def demo(state: Path) -> Iterator[Demo]:
    """The demo after its verdicts, which still serves."""
    merges = os.environ.get("DEMO_MERGES")
    running = Demo(state, merges=int(merges) if merges else None)
    try:
        running.wait_for(r"^open http://127", DEMO_SECONDS)
        yield running
    finally:
        running.end()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, str]]:
    """A service with some of everything, and its address; tests do not change the project `empty`."""
    with figures_service(tmp_path_factory.mktemp("figures")) as served:
        yield served


@pytest.fixture(scope="module")
def running(figures: tuple[Service, str]) -> tuple[Service, str]:
    """The service of the module's pages, and its address."""
    return figures


@pytest.fixture(scope="module")
def context(browser: Browser, running: tuple[Service, str]) -> Iterator[BrowserContext]:
    """A context of an administrator."""
    with fresh_context(browser, **administrator(running)) as context:
        yield context


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    with page_of(context) as page:
        yield page
