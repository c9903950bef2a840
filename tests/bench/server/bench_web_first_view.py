# SPDX-License-Identifier: Apache-2.0
"""How soon the page shows data of a warm server, and how soon a long history follows the wheel.

In Chromium, each first view in a browser without cached files of the page: milliseconds from the navigation's
start until all parts of the overview, or the history's chart, are drawn; the median of several. The zoom is
on 20 generated series of 10,000 commits that replace the server's answer: milliseconds of the page's main
thread for each turn of the wheel. Other programs on the host add to both.
"""

from __future__ import annotations

import logging
import math
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import structlog
from host import print_result
from playwright.sync_api import Browser, CDPSession, Page

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "server/tests/support"), str(ROOT / "tests/end_to_end")]
from history_service import history_service  # noqa: E402
from service_browser import CHROMIUM, SHELL, chromium  # noqa: E402

VIEWS, WARM, TURNS = 5, 1, 12
COMMITS, SERIES = 10_000, 20
WANTED_VIEW_MS, WANTED_TURN_MS = 1000, 100
HISTORY = "/p/demo/history?metric=cpp"
OVERVIEW_THERE = """document.querySelectorAll(".query-panel").length === 5
    && document.querySelector('[aria-label="Loading"]') === null"""
CHART_THERE = 'document.querySelector(".chart canvas") !== null'
DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def main() -> int:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with (
        tempfile.TemporaryDirectory() as home,
        history_service(Path(home)) as (service, url),
        chromium((*CHROMIUM, SHELL)) as browser,
    ):
        told = {"base_url": url, "extra_http_headers": {"Authorization": f"Bearer {service.tokens['root']}"}}
        first_view(browser, told, "overview", "/", OVERVIEW_THERE)
        first_view(browser, told, "history", HISTORY, CHART_THERE)
        zoom(browser, told)
    return 0


def first_view(browser: Browser, told: dict[str, Any], name: str, path: str, there: str) -> None:
    times = [view(browser, told, path, there) for _ in range(WARM + VIEWS)][WARM:]
    print_result(
        f"web_first_view_{name}",
        round(statistics.median(times)),
        "ms",
        "lower",
        wanted=WANTED_VIEW_MS,
        slowest=round(max(times)),
    )


def view(browser: Browser, told: dict[str, Any], path: str, there: str) -> float:
    """Milliseconds from the navigation's begin to the first frame with the content."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, **told)
    page = context.new_page()
    page.goto(path, wait_until="commit")
    seen = page.wait_for_function(f"() => {there} && performance.now()").json_value()
    context.close()
    return float(seen)


def zoom(browser: Browser, told: dict[str, Any]) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, **told)
    page = context.new_page()
    show_long_history(page)
    box = page.locator(".chart .u-over").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 100)
    page.keyboard.down("Control")
    speaker = context.new_cdp_session(page)
    speaker.send("Performance.enable")
    before = spent_ms(speaker)
    for _ in range(TURNS):
        page.mouse.wheel(0, -60)
        page.evaluate(DRAWN)
    page.get_by_role("status").filter(has_text=f" of {COMMITS}").first.wait_for()
    task, script = ((after - began) / TURNS for after, began in zip(spent_ms(speaker), before, strict=True))
    print_result(
        "web_zoom_20_series_10000_commits",
        round(task, 1),
        "ms",
        "lower",
        wanted=WANTED_TURN_MS,
        script_ms=round(script, 1),
    )
    context.close()


def show_long_history(page: Page) -> None:
    """The history page with its own answers, extended."""
    page.route("**/lines*", lambda one: one.fulfill(json=made_long(one.fetch().json())))
    page.goto(f"{HISTORY}&scenario=sfc_a&last={COMMITS}")
    page.locator(".chart canvas").wait_for()


def made_long(answer: dict[str, Any]) -> dict[str, Any]:
    line = answer["lines"][0]
    names = ["chain", *(f"stage{number}" for number in range(1, SERIES))]
    place = {
        "at": list(range(COMMITS)),
        "run_id": [f"{number:032x}" for number in range(COMMITS)],
        "base_sha": [None] * COMMITS,
        "display": ["same"] * COMMITS,
        "stages": [stage(number, name) for number, name in enumerate(names)],
        "change_points": [],
        "segments": [],
    }
    commits = {
        "sha": [f"{number:040x}" for number in range(COMMITS)],
        "subject": ["nat: a change"] * COMMITS,
        "committed_at": ["2026-11-21T12:00:00Z"] * COMMITS,
    }
    return {**answer, "commits": commits, "lines": [{**line, **place}]}


def stage(number: int, name: str) -> dict[str, Any]:
    values = [50 + 10 * number + 3 * math.sin(commit / 7) for commit in range(COMMITS)]
    return {
        "stage": name,
        "value": values,
        "low": [value - 1 for value in values],
        "high": [value + 1 for value in values],
    }


def spent_ms(speaker: CDPSession) -> tuple[float, float]:
    """Time of the page's main thread so far: all tasks, scripts."""
    found = {one["name"]: one["value"] * 1000 for one in speaker.send("Performance.getMetrics")["metrics"]}
    return found["TaskDuration"], found["ScriptDuration"]


if __name__ == "__main__":
    sys.exit(main())
