# SPDX-License-Identifier: Apache-2.0
"""A page by keys alone: walked by Tab once around; elements that it opens, and those that arrow keys and j, k
step through, found by role."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import ElementHandle, Page
from playwright.sync_api import TimeoutError as NotSo

PRESSES, MOST = 4, 600
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
OPENERS = "[aria-haspopup]:not([aria-haspopup=false]):not([role=dialog] *)"
WHAT = """one => [one.getAttribute('aria-haspopup'), one.className.includes('help-word') ? 'help'
    : one.getAttribute('aria-label') ?? one.labels?.[0]?.innerText ?? one.innerText].join(' ')"""
"""Help words are all of one kind."""
OPEN = """one => {
    const shows = other => other?.checkVisibility({visibilityProperty: true}) ?? false;
    const id = one.getAttribute('aria-controls');
    return one.getAttribute('aria-expanded') !== 'false' && id && shows(document.getElementById(id))
        || [...document.querySelectorAll('[role=dialog][aria-modal=true]')].some(shows);
}"""
SHUT = f"one => !({OPEN})(one)"
FOCUSED = "one => one === document.activeElement"
WITHIN = "role => document.activeElement.closest(`[role=${role}]`) !== null"
MODAL = "() => document.querySelector('[role=dialog][aria-modal=true]') !== null"
ROUND = "() => [...document.querySelectorAll('[role=dialog] *')].filter(one => one.tabIndex >= 0).length + 1"
ITEM = "one => document.activeElement !== one && document.activeElement.role === 'menuitem'"
POINTED = """one => document.getElementById(one.getAttribute('aria-activedescendant'))?.role === 'option'"""
STEPS = {
    "input[type=radio]:checked:enabled": ("ArrowRight", "ArrowLeft"),
    "[role=treeitem][tabindex='0']": ("ArrowDown", "ArrowUp"),
    "[role=tab][aria-selected=true]": ("ArrowRight", "ArrowLeft"),
}
"""Elements for arrow keys, by the keys for forward and back."""
STEADY = """one => {
    const alike = one.name ? `[name='${one.name}']:enabled` : `[role=${one.role}]`;
    return one.isConnected && document.querySelectorAll(alike).length > 1;
}"""
"""Whether it still exists after earlier steps and has a next element."""
STEPPED = """one => {
    const now = document.activeElement;
    return now !== one && now.role === one.role && now.name === one.name;
}"""
LISTS = ("[data-commit]", "[data-alert]")
"""Elements for j and k: the commits, if a page has both."""
LISTED_FOCUSED = "([list, at]) => document.querySelectorAll(list)[at] === document.activeElement"


def require_opened_by_keys(page: Page, walked: set[str]) -> None:
    """A key opens each element that opens; it has the focus as its role requires, and Escape closes it and
    returns the focus. Skips elements in `walked` and adds the others to it."""
    for opener in page.query_selector_all(OPENERS):
        if not opener.is_visible() or opener.is_disabled() or (what := opener.evaluate(WHAT)) in walked:
            continue
        walked.add(what)
        shortcut = opener.get_attribute("aria-keyshortcuts")
        for key in ["ArrowDown" if what.startswith("listbox") else "Enter"] + [shortcut] * bool(shortcut):
            open_and_shut(page, opener, key, f"{page.url}: {what}, opened by {key}")


def open_and_shut(page: Page, opener: ElementHandle, key: str, where: str) -> None:
    opener.focus()
    page.keyboard.press(key)
    require(page, OPEN, opener, f"{where}: does not open")
    if page.evaluate(MODAL):
        require(page, WITHIN, "dialog", f"{where}: the focus stays outside")
        for _ in range(page.evaluate(ROUND)):
            page.keyboard.press("Tab")
            assert page.evaluate(WITHIN, "dialog"), f"{where}: Tab leads out of the dialog"
    elif opener.get_attribute("aria-haspopup") in ("menu", "listbox"):
        menu = opener.get_attribute("aria-haspopup") == "menu"
        if menu:
            require(page, WITHIN, "menu", f"{where}: the focus stays outside")
        page.keyboard.press("ArrowDown")
        require(page, ITEM if menu else POINTED, opener, f"{where}: arrow keys lead nowhere")
    page.keyboard.press("Escape")
    require(page, SHUT, opener, f"{where}: Escape does not close it")
    require(page, FOCUSED, opener, f"{where}: the focus is not given back")


def require_stepped_by_keys(page: Page) -> None:
    """Arrow keys step forward and back in choices, trees and tabs, j and k in lists, and the focus
    follows."""
    for role, (on, back) in STEPS.items():
        for one in page.query_selector_all(role):
            if not one.evaluate(STEADY):
                continue
            one.focus()
            for key in (on, back):
                at = page.evaluate_handle("document.activeElement")
                page.keyboard.press(key)
                require(page, STEPPED, at, f"{page.url}: {key} loses the focus at {one.evaluate(WHAT)}")
    if (listed := next((one for one in LISTS if page.query_selector(one)), None)) is not None:
        entries = page.locator(listed)
        entries.first.focus()
        for key, at in (("j", min(1, entries.count() - 1)), ("k", 0)):
            page.keyboard.press(key)
            require(page, LISTED_FOCUSED, [listed, at], f"{page.url}: {key} does not lead to entry {at}")


def require(page: Page, so: str, about: object, else_says: str) -> None:
    """Waits until a page has this state."""
    try:
        page.wait_for_function(so, arg=about)
    except NotSo:
        raise AssertionError(else_says) from None


def require_walkable(page: Page) -> None:
    """Tab goes from the skip link around to it again, the focus is always visible, and the order is that of
    the page."""
    steps = page.evaluate(WATCH)
    walked: list[dict[str, Any]] = []
    while sum(one["first"] for one in walked) < 2:
        assert len(walked) < MOST, f"{page.url}: Tab does not come around, last at {walked[-1]['what']}"
        for _ in range(steps):
            page.keyboard.down("Tab")
        walked, steps = page.evaluate("window.walked"), PRESSES
    page.keyboard.up("Tab")
    faults = [one["what"] for one in walked if not (one["ring"] and one["seen"])]
    assert faults == [], f"{page.url}: no focus to be seen on {faults}"
    assert page.evaluate(AHEAD) == 0, f"{page.url}: a tabindex above 0"
