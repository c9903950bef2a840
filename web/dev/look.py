# SPDX-License-Identifier: Apache-2.0
"""Takes a picture of every page in every state and runs axe on it.

    look.py URL OUTDIR [ONLY]

URL is that of `npm run preview:mock` or of a server; pictures go to OUTDIR; ONLY is a part of the names of
those wanted, such as `dark-phone`.

Exit code 1 when axe finds anything, a page logs an error, or a page is wider than the screen.
"""

from __future__ import annotations

import json
import sys
import urllib.request
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Route, sync_playwright

AXE = Path(__file__).parent.parent / "node_modules/axe-core/axe.min.js"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SIZES = {"wide": (1440, 900), "phone": (390, 844)}


def get(url: str) -> Any:
    with urllib.request.urlopen(url) as answer:
        return json.load(answer)


def addresses(url: str) -> dict[str, str]:
    """Pages by the name of their picture, as far as the server has something to show on them."""
    projects = get(f"{url}/api/v1/projects")
    pages = {"overview": "/", "project-missing": "/p/nowhere", "page-missing": "/no/such/page"}
    for project in projects:
        name = project["name"]
        if project["commits"] == 0:
            pages |= {"commits-none": f"/p/{name}", "history-none": f"/p/{name}/history"}
        else:
            pages |= project_pages(name, get(f"{url}/api/v1/projects/{name}/commits"))
    return pages


def project_pages(name: str, commits: list[dict[str, Any]]) -> dict[str, str]:
    here = f"/p/{name}"
    pages = {
        "commits": here,
        "commits-filtered": f"{here}?outcome=regressed,improved",
        "history": f"{here}/history",
        "history-relative": f"{here}/history?metric=cpp&scale=relative",
        "history-table": f"{here}/history?metric=cpp&view=table",
        "compare-choose": f"{here}/compare",
        "alerts": f"{here}/alerts",
        "alert-missing": f"{here}/alerts/999999",
        "run-missing": f"{here}/runs/{'0' * 32}",
    }
    by_display = {verdict["display"]: commit for commit in commits for verdict in commit["verdicts"]}
    for display, commit in by_display.items():
        pages[f"compare-{display}"] = f"{here}/compare?base={commit['parent_sha']}&head={commit['sha']}"
        pages[f"run-{display}"] = f"{here}/runs/{commit['verdicts'][0]['run_id']}"
    judged = [
        commit["sha"] for commit in commits if commit["verdicts"] and commit["verdicts"][0]["ratio_cpp"]
    ]
    if len(judged) > 2:
        pages["compare-unpaired"] = f"{here}/compare?base={judged[-1]}&head={judged[0]}"
    return pages


def settled(page: Page) -> None:
    """Waits until nothing is loading and the charts are drawn."""
    page.wait_for_load_state("load")
    page.wait_for_function(
        "() => document.querySelector('main h1, main h2, main [role=alert]')"
        " && !document.querySelector('[role=status][aria-label=Loading], .mantine-Skeleton-root')"
    )
    page.evaluate("() => document.fonts.ready.then(() => new Promise(requestAnimationFrame))")


def faults(page: Page) -> list[str]:
    """What axe finds, and whether the page is wider than its window."""
    page.evaluate(AXE.read_text())
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    lines = [
        f"axe {violation['id']}: {node['target']} {node['html'][:140]} {node['failureSummary'][:200]!r}"
        for violation in found["violations"]
        for node in violation["nodes"][:3]
    ]
    width = page.evaluate("() => [document.documentElement.scrollWidth, window.innerWidth]")
    if width[0] > width[1]:
        lines.append(f"wider than the window: {width[0]} > {width[1]}")
    return lines


def look(browser: Browser, url: str, out: Path, only: str) -> int:
    bad = 0
    for scheme in ("light", "dark"):
        for size, (width, height) in SIZES.items():
            context = browser.new_context(
                color_scheme=scheme,  # type: ignore[arg-type]
                viewport={"width": width, "height": height},
                reduced_motion="reduce",
            )
            page = context.new_page()
            errors: list[str] = []
            page.on("pageerror", lambda error, errors=errors: errors.append(str(error)))
            for name, address in {**addresses(url), "server-down": "/", "server-fault": "/"}.items():
                if only not in f"{name}-{scheme}-{size}":
                    continue
                page.unroute("**/api/v1/**")
                if name == "server-down":
                    page.route("**/api/v1/**", lambda route: route.abort())
                if name == "server-fault":
                    page.route("**/api/v1/**", answer_500)
                page.goto(url + address)
                if name.startswith("server-"):
                    page.wait_for_selector("[role=alert]", timeout=20_000)
                else:
                    settled(page)
                page.screenshot(path=out / f"{name}-{scheme}-{size}.png", full_page=True)
                found = faults(page) + [f"page error: {error}" for error in errors]
                errors.clear()
                bad += len(found)
                for line in found:
                    print(f"{name} {scheme} {size}: {line}")
            context.close()
    return bad


def answer_500(route: Route) -> None:
    error = {"name": "internal", "message": "The database does not answer.", "request_id": "7f3a"}
    route.fulfill(status=500, content_type="application/json", body=json.dumps({"error": error}))


def main() -> int:
    url, out = sys.argv[1].rstrip("/"), Path(sys.argv[2])
    only = sys.argv[3] if len(sys.argv) > 3 else ""
    out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        bad = look(browser, url, out, only)
        browser.close()
    print(f"{bad} faults; pictures in {out}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
