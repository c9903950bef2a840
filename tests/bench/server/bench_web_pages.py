# SPDX-License-Identifier: Apache-2.0
"""Pages at size in Chromium, four times slower than this host: what a first visit costs.

A seeded project (`nalm-server seed`, SQLite) is served by `nalm-server up`. Each page is opened in a context
without stored files. Printed for each page: bytes on the wire, of scripts and styles, of the API; elements
and height of the document; first and largest contentful paint, blocked time and layout shift. Then the wheel
of the long history: script per turn over all charts. Bytes, elements and shift do not depend on the load.

Usage: python tests/bench/run.py web_pages [--commits 10000] [--scenarios 50] [--hosts 20] [--slower 4]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from host import print_result
from playwright.sync_api import Browser, CDPSession, Page

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / one) for one in ("tests", "server/tests/support", "tests/end_to_end")]
from service_browser import CHROMIUM, SHELL, chromium  # noqa: E402

P = "/p/seeded"
TURNS = 12
START_SECONDS, POLL_SECONDS = 60, 0.2
EXPECTED = {"wire_bytes": 250_000, "layout_shift": 0.05, "turn_script_ms": 50}
IDLE = """document.querySelector('h1') !== null && document.querySelector(
    '[aria-label="Loading"], [aria-busy="true"], .mantine-Skeleton-root') === null"""
DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
OBSERVE = """
window.seen = {shift: 0, blocked: 0, largest: 0};
const watch = (type, take) => new PerformanceObserver(list => list.getEntries().forEach(take))
    .observe({type, buffered: true});
watch('layout-shift', one => { if (!one.hadRecentInput) window.seen.shift += one.value; });
watch('longtask', one => { window.seen.blocked += Math.max(0, one.duration - 50); });
watch('largest-contentful-paint', one => { window.seen.largest = one.startTime; });
"""


def main() -> int:
    requested = argparse.ArgumentParser()
    for name, usual in (("commits", 10_000), ("scenarios", 50), ("hosts", 20), ("slower", 4)):
        requested.add_argument(f"--{name}", type=int, default=usual)
    options = requested.parse_args()
    with tempfile.TemporaryDirectory() as home:
        seed(Path(home), options)
        with serving(Path(home)) as url, chromium((*CHROMIUM, SHELL)) as browser:
            for name, path in pages(url).items():
                visit(browser, url, name, path, options.slower)
            wheel(browser, url, options.slower)
    return 0


def seed(home: Path, options: argparse.Namespace) -> None:
    begun = time.monotonic()
    size = [f"--{name}={getattr(options, name)}" for name in ("commits", "scenarios", "hosts")]
    subprocess.run(
        [sys.executable, "-m", "nalm_server.cli.main", "seed", *size, "--state", str(home)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    print_result("web_pages_seed", round(time.monotonic() - begun, 1), "s", "lower")


@contextlib.contextmanager
def serving(home: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["up", "--no-agent", "--state", str(home), "--port", str(port)]
    process = subprocess.Popen(
        [sys.executable, "-m", "nalm_server.cli.main", *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "NALM_RATE_API": "0"},
    )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for(url, process)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + START_SECONDS
    while time.monotonic() < ends and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/api/v1/health/live", timeout=5):
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(POLL_SECONDS)
    raise RuntimeError(f"nalm-server up did not answer at {url} within {START_SECONDS} s")


def pages(url: str) -> dict[str, str]:
    with urllib.request.urlopen(f"{url}/api/v1/projects/seeded/alerts?limit=1", timeout=60) as answer:
        (alert,) = json.load(answer)
    with urllib.request.urlopen(
        f"{url}/api/v1/projects/seeded/commits/search?outcome=regressed&limit=1", timeout=60
    ) as answer:
        (commit,) = json.load(answer)["commits"]
    pair = f"base={commit['parent_sha']}&head={commit['sha']}&scenario={commit['verdicts'][0]['scenario']}"
    return {
        "overview": "/",
        "commits": P,
        "commits_regressed": f"{P}?outcome=regressed",
        "alerts": f"{P}/alerts",
        "alert": f"{P}/alerts/{alert['id']}",
        "history": f"{P}/history",
        "history_10000": f"{P}/history?last=10000",
        "compare": f"{P}/compare?{pair}",
        "run": f"{P}/runs/{commit['verdicts'][0]['run_id']}",
        "hosts": "/hosts",
    }


def visit(browser: Browser, url: str, name: str, path: str, slower: int) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=url)
    page = context.new_page()
    page.add_init_script(OBSERVE)
    speaker = context.new_cdp_session(page)
    bytes_of = wire_of(speaker)
    speaker.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.goto(path, wait_until="load")
    page.wait_for_function(f"() => {IDLE}", timeout=120_000)
    page.wait_for_load_state("networkidle", timeout=120_000)
    page.evaluate(DRAWN)
    seen = page.evaluate("window.seen")
    first = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null")
    nodes = page.evaluate("document.querySelectorAll('*').length")
    print_result(
        f"web_pages_{name}",
        sum(bytes_of["bytes"].values()),
        "bytes on the wire",
        "lower",
        expected=EXPECTED["wire_bytes"] if name == "overview" else None,
        requests=sum(bytes_of["requests"].values()),
        code_bytes=bytes_of["bytes"]["Script"] + bytes_of["bytes"]["Stylesheet"],
        api_bytes=bytes_of["bytes"]["Fetch"] + bytes_of["bytes"]["XHR"],
        elements=nodes,
        height_px=page.evaluate("document.documentElement.scrollHeight"),
        layout_shift=round(seen["shift"], 4),
        wanted_layout_shift=EXPECTED["layout_shift"],
        first_paint_ms=None if first is None else round(first),
        largest_paint_ms=round(seen["largest"]),
        blocked_ms=round(seen["blocked"]),
        script_ms=round(spent_ms(speaker)),
    )
    sys.stdout.flush()
    context.close()


def wire_of(speaker: CDPSession) -> dict[str, Any]:
    """Bytes and requests by kind of resource, counted while the page loads."""
    kinds: dict[str, str] = {}
    counted: dict[str, Any] = {"bytes": defaultdict(int), "requests": defaultdict(int)}

    def sent(event: dict[str, Any]) -> None:
        kinds[event["requestId"]] = event.get("type", "Other")
        counted["requests"][kinds[event["requestId"]]] += 1

    def ended(event: dict[str, Any]) -> None:
        counted["bytes"][kinds.get(event["requestId"], "Other")] += int(event["encodedDataLength"])

    speaker.on("Network.requestWillBeSent", sent)
    speaker.on("Network.loadingFinished", ended)
    speaker.send("Network.enable")
    speaker.send("Performance.enable")
    return counted


def wheel(browser: Browser, url: str, slower: int) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=url)
    page = context.new_page()
    page.goto(f"{P}/history?last=10000")
    page.wait_for_function("() => document.querySelectorAll('.chart canvas').length >= 4", timeout=120_000)
    page.wait_for_load_state("networkidle", timeout=120_000)
    turns_of(page, context.new_cdp_session(page), slower=1, name="web_pages_wheel")
    turns_of(page, context.new_cdp_session(page), slower=slower, name="web_pages_wheel_slower")
    context.close()


def turns_of(page: Page, speaker: CDPSession, *, slower: int, name: str) -> None:
    speaker.send("Performance.enable")
    speaker.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.locator(".chart .u-over").first.wait_for()
    box = page.locator(".chart .u-over").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 100)
    page.keyboard.down("Control")
    before = spent_ms(speaker)
    for _ in range(TURNS):
        page.mouse.wheel(0, -40)
        page.evaluate(DRAWN)
    script = (spent_ms(speaker) - before) / TURNS
    page.keyboard.up("Control")
    print_result(
        name,
        round(script, 1),
        "ms of script a turn",
        "lower",
        expected=EXPECTED["turn_script_ms"],
        slower=slower,
    )


def spent_ms(speaker: CDPSession) -> float:
    """Time of scripts so far."""
    found = {one["name"]: one["value"] * 1000 for one in speaker.send("Performance.getMetrics")["metrics"]}
    return float(found["ScriptDuration"])


if __name__ == "__main__":
    sys.exit(main())
