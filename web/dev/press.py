# SPDX-License-Identifier: Apache-2.0
"""Uses the pages as a person with a keyboard, and with a mouse on a chart; fails at the first fault.

press.py URL OUTDIR     as for look.py; pictures of what opens go to OUTDIR
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from look import ARGUMENTS, faults, get, settled
from playwright.sync_api import Page, expect, sync_playwright


def project_with_commits(url: str) -> str:
    return str(next(project["name"] for project in get(f"{url}/api/v1/projects") if project["commits"] > 3))


def walk_the_list(page: Page, url: str, project: str) -> None:
    """j, k and Enter; c on two commits; a filter survives in the address."""
    page.goto(f"{url}/p/{project}")
    settled(page)
    links = page.locator("[data-commit]")
    page.keyboard.press("j")
    expect(links.nth(0)).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(links.nth(1)).to_be_focused()
    newer = links.nth(1).get_attribute("data-commit")
    page.keyboard.press("c")
    page.keyboard.press("j")
    older = links.nth(2).get_attribute("data-commit")
    page.keyboard.press("c")
    expect(page).to_have_url(re.compile(f"compare\\?base={older}&head={newer}$"))
    page.go_back()
    settled(page)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/compare\\?"))
    page.keyboard.press("g")
    settled(page)
    page.get_by_role("group", name="Show outcomes").get_by_role("button").first.click()
    expect(page).to_have_url(re.compile("outcome=regressed"))
    shown = links.count()
    page.reload()
    settled(page)
    expect(links).to_have_count(shown)


def read_the_help(page: Page, out: Path) -> list[str]:
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("cycles/packet")
    page.screenshot(path=out / "help.png")
    found = faults(page)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    return found


def point_at_a_chart(page: Page, url: str, project: str, out: Path) -> list[str]:
    """The tip names the commit under the pointer; a click opens its run; a stage can be taken off."""
    page.goto(f"{url}/p/{project}/history")
    settled(page)
    page.get_by_role("group", name="Stages shown").get_by_role("button", name="chain").click()
    expect(page).to_have_url(re.compile("stages="))
    page.go_back()
    page.goto(f"{url}/p/{project}/history?metric=cpp")
    settled(page)
    over = page.locator(".chart .u-over").first
    box = over.bounding_box()
    assert box is not None
    over.hover(position={"x": box["width"] * 0.6, "y": box["height"] / 2})
    tip = page.locator(".chart-tip")
    expect(tip).to_contain_text("chain")
    page.screenshot(path=out / "tip.png")
    found = faults(page)
    over.click(position={"x": box["width"] * 0.6, "y": box["height"] / 2})
    expect(page).to_have_url(re.compile("/runs/"))
    page.go_back()
    settled(page)
    page.get_by_role("button", name="eIPC").first.hover()
    expect(page.get_by_text("IPP / CPP")).to_be_visible()
    page.screenshot(path=out / "metric.png")
    return found + faults(page)


def choose_colours(page: Page) -> None:
    before = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    page.keyboard.press("t")
    page.wait_for_function("was => getComputedStyle(document.body).backgroundColor !== was", arg=before)
    after = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    page.reload()
    settled(page)
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == after


def main() -> int:
    url, out = sys.argv[1].rstrip("/"), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        project = project_with_commits(url)
        walk_the_list(page, url, project)
        errors += read_the_help(page, out)
        errors += point_at_a_chart(page, url, project, out)
        choose_colours(page)
        browser.close()
    print("\n".join(errors) or "all as it should be")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
