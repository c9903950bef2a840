# SPDX-License-Identifier: Apache-2.0
"""The check of layouts finds each kind of fault, and reports nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page
from service_browser import fresh_page, require_laid_out

WORD = "a word too long for where it stands"
NARROW = "width: 4rem; white-space: nowrap"
FAULTS = {
    "overlap": '<p>one</p><p style="margin-top: -2rem">two</p>',
    "cut off": f'<p style="{NARROW}; overflow: hidden">{WORD}</p>',
    "cut off by its field": f'<input readonly size="4" value="{WORD}">',
    "left of the window": '<p style="margin-left: -2rem">begins too soon</p>',
}
SOUND = {
    "an ellipsis": f'<p style="{NARROW}; overflow: hidden; text-overflow: ellipsis">{WORD}</p>',
    "its title": f'<p style="{NARROW}; overflow: hidden" title="{WORD}">{WORD}</p>',
    "scrolled to": f'<p style="{NARROW}; overflow: auto">{WORD}</p>',
    "tight lines": f'<p style="width: 4rem; line-height: 1">{WORD}</p>',
    "for readers": f'<p style="position: absolute; width: 1px; overflow: hidden">{WORD}</p><p>other</p>',
    "named at each": "<svg>"
    + "".join(
        f'<g transform="translate({x} 20)"><title>{WORD}</title>'
        f'<svg width="50" height="20"><text y="15">{WORD}</text></svg></g>'
        for x in (0, 60)
    )
    + "</svg>",
    "laid over the page": f'<p>{WORD}</p><div style="position: fixed; top: 0">a dialog</div>',
}


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    with fresh_page(browser) as page:
        yield page


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_seen(page: Page, fault: str) -> None:
    page.set_content(FAULTS[fault])
    with pytest.raises(AssertionError, match=fault):
        require_laid_out(page)


@pytest.mark.parametrize("sound", SOUND)
def test_what_is_meant_so_is_none(page: Page, sound: str) -> None:
    page.set_content(SOUND[sound])
    require_laid_out(page)
