# SPDX-License-Identifier: Apache-2.0
"""Takes the README's pictures from a running demo: `make run`, then `make screenshot`."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

import httpx
from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
PROJECT = "nalm-reference-nf"
SCENARIO = "sfc_a"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
SETTLED = """() => document.querySelector('main h1')
    && !document.querySelector('[role=status][aria-label=Loading], main [role=progressbar]')"""
"""A page that follows the server keeps a request open, so the network is never idle."""
OPTIONS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="where the demo serves")
    parser.add_argument("--to", type=Path, default=HERE, help="directory of the pictures")
    parser.add_argument("--dark", action="store_true", help="in the dark colour scheme")
    parser.add_argument("--width", type=int, default=1280, help="of the window, in pixels")
    options = parser.parse_args()
    program = next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    if program is None:
        print("no Chromium: `make install-test` installs it", file=sys.stderr)
        return 4
    options.to.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=OPTIONS)
        page = browser.new_page(
            viewport={"width": options.width, "height": 860},
            color_scheme="dark" if options.dark else "light",
        )
        for name, path in addresses(options.url).items():
            take(page, options.url + path, options.to / f"{name}.png")
        browser.close()
    return 0


def addresses(url: str) -> dict[str, str]:
    """The pages worth showing, and the merge with the first regression to show them with."""
    commits = httpx.get(f"{url}/api/v1/projects/{PROJECT}/commits", params={"limit": 200}).raise_for_status()
    regressed = [c for c in commits.json() if any(v["display"] == "regressed" for v in c["verdicts"])]
    pages = {
        "projects": "/",
        "commits": f"/p/{PROJECT}",
        "history": f"/p/{PROJECT}/history?scenario={SCENARIO}&metric=cpp",
    }
    if regressed:
        merge = regressed[-1]
        pages["compare"] = (
            f"/p/{PROJECT}/compare?base={merge['parent_sha']}&head={merge['sha']}&scenario={SCENARIO}"
        )
        if (alert := newest_alert(url)) is not None:
            pages["alert"] = f"/p/{PROJECT}/alerts/{alert}"
        pages["run"] = f"/p/{PROJECT}/runs/{merge['verdicts'][0]['run_id']}"
    return pages


def newest_alert(url: str) -> int | None:
    """Of the scenario, so that it has a cause."""
    alerts = httpx.get(f"{url}/api/v1/projects/{PROJECT}/alerts").raise_for_status()
    return next((one["id"] for one in alerts.json() if one["scenario"] == SCENARIO), None)


def take(page: Page, address: str, path: Path) -> None:
    page.goto(address)
    page.wait_for_function(SETTLED)
    page.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    page.screenshot(path=path)
    print(path)


if __name__ == "__main__":
    sys.exit(main())
