# SPDX-License-Identifier: Apache-2.0
"""Takes a picture of every page in every state and runs axe on it.

    look.py URL OUTDIR     URL of `npm run preview:mock` (or dev:mock); pictures go to OUTDIR

Exit code 1 when axe finds anything, a page logs an error, or a page is wider than the screen.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

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
PROJECT = "nalm-reference-nf"


def addresses(url: str) -> dict[str, str]:
    """Pages by the name of their picture. Commits and runs are taken from the API."""
    import urllib.request

    with urllib.request.urlopen(f"{url}/api/v1/projects/{PROJECT}/commits") as answer:
        commits = json.load(answer)
    regressed, *_ = (c for c in commits if c["verdicts"] and c["verdicts"][0]["display"] == "regressed")
    feature, *_ = (c for c in commits if c["verdicts"] and c["verdicts"][0]["display"] == "feature")
    broken, *_ = (c for c in commits if c["verdicts"] and c["verdicts"][0]["display"] == "broken")
    pair = "?base={parent_sha}&head={sha}&scenario=sfc_a"
    return {
        "projects": "/",
        "commits": f"/p/{PROJECT}",
        "commits-filtered": f"/p/{PROJECT}?outcome=regressed,improved",
        "commits-none": "/p/new",
        "history": f"/p/{PROJECT}/history",
        "history-relative": f"/p/{PROJECT}/history?metric=cpp&scale=relative",
        "history-table": f"/p/{PROJECT}/history?metric=cpp&view=table",
        "history-none": "/p/new/history",
        "compare-choose": f"/p/{PROJECT}/compare",
        "compare-regressed": f"/p/{PROJECT}/compare" + pair.format(**regressed),
        "compare-feature": f"/p/{PROJECT}/compare" + pair.format(**feature),
        "compare-broken": f"/p/{PROJECT}/compare" + pair.format(**broken),
        "compare-unpaired": f"/p/{PROJECT}/compare?base={feature['sha']}&head={regressed['sha']}&scenario=sfc_a",
        "run": f"/p/{PROJECT}/runs/{regressed['verdicts'][0]['run_id']}",
        "run-missing": f"/p/{PROJECT}/runs/{'0' * 32}",
        "project-missing": "/p/nowhere",
        "page-missing": "/no/such/page",
    }


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
