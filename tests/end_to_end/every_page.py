# SPDX-License-Identifier: Apache-2.0
"""The addresses of all pages, from the router itself, so that a new page cannot be forgotten."""

from __future__ import annotations

import re
from collections.abc import Mapping

from demo_process import ROOT
from figures_service import LAST
from nalm_server_harness import Service
from nalm_server_reports import sha
from playwright.sync_api import Page, expect

ROUTER = ROOT / "web" / "src" / "app" / "router.tsx"
PATH = re.compile(r'path: "([^"]+)"')
NAMES = {"project": "demo", "host": "bench-vm-2"}
NONE = {"project": "empty", "host": "no-such-host", "id": "999", "jobId": "999", "runId": "f" * 32}
NEEDS = {
    "/p/$project/compare": f"base={sha(LAST - 1)}&head={sha(LAST)}",
    "/p/$project/settings": "part=audit",
    "/server": "part=agents",
}
"""Parameters that a page needs besides its path to show data."""
PATIENT_MS = 20_000
"""Time limit for a page, on a busy machine."""
ASKS_NOTHING = ("/sign-in", "/account", "/new", "/p/$project/measure")
"""Forms, whose first view needs only the session from the server."""
FAULT = {"error": {"name": "internal", "message": "The database does not answer.", "request_id": "7f3a"}}
ALWAYS = ("/api/v1/session", "/api/v1/live", "/api/v1/metrics-catalogue", "/api/v1/sign-in/")
"""Requests that are answered normally, so that a page opens."""
HELD = """always => {
    const [asked, held] = [window.fetch, []];
    let answer;
    window.fetch = (request, ...rest) => always.some(one => (request.url ?? request).includes(one))
        ? asked(request, ...rest)
        : answer?.() ?? new Promise(answered => held.push(answered));
    window.failWith = fault => {
        answer = () => Promise.resolve(Response.json(fault, {status: 500}));
        held.splice(0).forEach(answered => answered(answer()));
    };
}"""
"""Requests of a page wait until `failWith` makes these and all later ones fail. The page holds them, not
Playwright, because with Playwright the browser caches no file between pages."""


def pages() -> list[str]:
    """The router's addresses: `/p/$project/alerts/$id`."""
    found = PATH.findall(ROUTER.read_text())
    assert found, f"no page in {ROUTER}"
    return sorted(set(found))


def address(page: str, names: Mapping[str, str], requested: str | None = None) -> str:
    """The address with names for its parts, and with the parameters of NEEDS unless others are given.

    Raises KeyError for a part that is not in `names`.
    """
    path = re.sub(r"\$(\w+)", lambda part: names[part[1]], page)
    return f"{path}?{NEEDS.get(page, '') if requested is None else requested}"


def names_of(service: Service) -> dict[str, str]:
    """Values for the addresses of pages with data; creates missing data."""
    head = service.get(f"/projects/demo/commits/{sha(LAST)}")
    requested = {"first": sha(0), "last": sha(LAST), "every": 1}
    service.post("/projects/demo/backfills", "admin", 201, requested)
    service.post(
        "/projects/demo/bisections", "admin", 201, {"good": sha(1), "bad": sha(LAST), "scenario": "sfc_a"}
    )
    job = service.post("/projects/demo/jobs", "admin", 201, {"head": sha(LAST), "base": sha(1)})
    return NAMES | {"runId": head["runs"][0]["run_id"], "jobId": str(job["id"]), "id": "1"}


def opened(page: Page, route: str, names: dict[str, str], requested: str | None = None) -> None:
    page.goto(address(route, names, requested))
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=PATIENT_MS)


def settled(page: Page) -> None:
    expect(page.get_by_role("status", name="Loading")).to_have_count(0, timeout=PATIENT_MS)
    expect(page.locator("main [aria-busy=true]")).to_have_count(0, timeout=PATIENT_MS)
