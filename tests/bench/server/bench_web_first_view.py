# SPDX-License-Identifier: Apache-2.0
"""How soon the page shows data of a warm server.

In Chromium, each first view in a browser without cached files of the page: milliseconds from the navigation's
start until all parts of the overview, or the history's chart, are drawn; the median of several. Other
programs on the host add to it.
"""

from __future__ import annotations

import logging
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import structlog
from host import print_result
from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / one) for one in ("tests", "server/tests/support", "tests/end_to_end")]
from history_service import history_service  # noqa: E402
from service_browser import CHROMIUM, SHELL, chromium  # noqa: E402

VIEWS, WARM = 5, 1
TARGET_VIEW_MS = 1000
HISTORY = "/p/demo/history?metric=cpp"
OVERVIEW_THERE = """document.querySelectorAll(".query-panel").length === 5
    && document.querySelector('[aria-label="Loading"]') === null"""
CHART_THERE = 'document.querySelector(".chart canvas") !== null'


def main() -> int:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with (
        tempfile.TemporaryDirectory() as home,
        history_service(Path(home)) as (service, url),
        chromium((*CHROMIUM, SHELL)) as browser,
    ):
        reported = {
            "base_url": url,
            "extra_http_headers": {"Authorization": f"Bearer {service.tokens['root']}"},
        }
        first_view(browser, reported, "overview", "/", OVERVIEW_THERE)
        first_view(browser, reported, "history", HISTORY, CHART_THERE)
    return 0


def first_view(browser: Browser, reported: dict[str, Any], name: str, path: str, there: str) -> None:
    times = [view(browser, reported, path, there) for _ in range(WARM + VIEWS)][WARM:]
    print_result(
        f"web_first_view_{name}",
        round(statistics.median(times)),
        "ms",
        "lower",
        expected=TARGET_VIEW_MS,
        slowest=round(max(times)),
    )


def view(browser: Browser, reported: dict[str, Any], path: str, there: str) -> float:
    """Milliseconds from the navigation's begin to the first frame with the content."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, **reported)
    page = context.new_page()
    page.goto(path, wait_until="commit")
    seen = page.wait_for_function(f"() => {there} && performance.now()").json_value()
    context.close()
    return float(seen)


if __name__ == "__main__":
    sys.exit(main())
