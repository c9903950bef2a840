# SPDX-License-Identifier: Apache-2.0
"""Walks a page by the Tab key, once around."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

STEPS, MOST = 4, 600
"""Key presses at once, after as many as the page has controls, and in total."""
WATCH = """() => {
    const ringed = one => {
        const {outlineStyle, outlineWidth, boxShadow} = getComputedStyle(one);
        return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
    };
    document.activeElement?.blur();
    window.walked = [];
    document.addEventListener('focusin', ({target}) => {
        const box = target.getBoundingClientRect();
        const label = target.closest('label') ?? document.querySelector(`label[for="${target.id}"]`);
        const shown = label && box.width < 2 ? label.getBoundingClientRect() : box;
        window.walked.push({
            what: target.outerHTML.slice(0, 160),
            first: target.classList.contains('skip-link'),
            ring: target.tagName === 'INPUT' || target.tagName === 'TEXTAREA'
                || ringed(target) || ringed(target.closest('.commit') ?? target),
            seen: shown.width > 0 && shown.height > 0,
        });
    });
    const all = [...document.querySelectorAll('*')];
    return all.filter(one => one.tabIndex >= 0 && one.checkVisibility()).length;
}"""
"""Records which elements get the focus, whether they have a ring and are visible; returns how many may get
it."""
AHEAD = "() => [...document.querySelectorAll('[tabindex]')].filter(one => one.tabIndex > 0).length"


def require_walkable(page: Page) -> None:
    """Tab goes from the skip link around to it again, the focus is always visible, and the order is that of
    the page."""
    steps = page.evaluate(WATCH)
    walked: list[dict[str, Any]] = []
    while sum(one["first"] for one in walked) < 2:
        assert len(walked) < MOST, f"{page.url}: Tab does not come around, last at {walked[-1]['what']}"
        for _ in range(steps):
            page.keyboard.down("Tab")
        walked, steps = page.evaluate("window.walked"), STEPS
    page.keyboard.up("Tab")
    faults = [one["what"] for one in walked if not (one["ring"] and one["seen"])]
    assert faults == [], f"{page.url}: no focus to be seen on {faults}"
    assert page.evaluate(AHEAD) == 0, f"{page.url}: a tabindex above 0"
