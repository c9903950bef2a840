# SPDX-License-Identifier: Apache-2.0
"""Tables and pictures of pages, saved in Chromium and read back."""

from __future__ import annotations

import csv
from pathlib import Path
from xml.etree import ElementTree

import pytest
from figures_service import LAST
from nalm_server_reports import sha
from playwright.sync_api import Locator, Page, expect
from tiers import by_night

TABLES = [
    ("/p/demo/features?feature=nat", {"the price of nat": "price", "the cost model of sfc_a": "term"}),
    *by_night(
        ("/p/demo/models", {"models of scenarios": "cpp", "variants of scenarios": "cpp_on_against_off"}),
        (
            "/p/demo/detection-quality",
            {"detection": "rate", "false alarms": "rate", "quality by month": "rate"},
        ),
        ("/hosts/bench-vm-2", {"what bench-vm-2 can see": "half_width"}),
        ("/p/demo/settings?part=access", {"the tokens": "scope"}),
    ),
]
"""The saved tables of each page, and one column of each."""
PAIR = f"/p/demo/compare?base={sha(1)}&head={sha(LAST)}&scenario=sfc_a"
WITH_FEATURE = f"/p/demo/compare?base={sha(2)}&head={sha(3)}&scenario=sfc_a"
"""A change of several parts."""


@pytest.mark.parametrize(("path", "tables"), TABLES)
def test_tables_are_saved_and_read_again(
    page: Page, tmp_path: Path, path: str, tables: dict[str, str]
) -> None:
    page.goto(path)
    for what, column in tables.items():
        saved = download(page, f"CSV of {what}", tmp_path)
        head, *rows = csv.reader(saved.read_text("utf-8").splitlines())
        assert column in [name.split(" ")[0] for name in head], (what, head)
        assert all(len(row) == len(head) for row in rows), what
        assert rows, what


def test_an_empty_table_is_nothing_to_save(page: Page) -> None:
    page.goto("/p/demo/settings?part=access")
    expect(page.get_by_text("Only administrators have access.")).to_be_visible()
    expect(page.get_by_role("button", name="CSV of the tokens")).to_be_visible()
    expect(page.get_by_role("button", name="CSV of the people")).to_have_count(0)


@pytest.mark.nightly
def test_bars_in_a_table_are_saved_as_a_picture(page: Page, tmp_path: Path) -> None:
    for page_of, what, word in (
        (PAIR, "the stages", "nat"),
        (WITH_FEATURE, "the parts of the change", "Features"),
    ):
        page.goto(page_of)
        drawn = ElementTree.parse(download(page, f"SVG of {what}", tmp_path)).getroot()
        assert word in [one.text for one in drawn.iter("{http://www.w3.org/2000/svg}text")]
        assert list(drawn.iter("{http://www.w3.org/2000/svg}rect"))
        picture = download(page, f"PNG of {what}", tmp_path)
        assert picture.read_bytes().startswith(b"\x89PNG")


def entry(page: Page, name: str) -> Locator:
    """The button that saves, or the menu's entry if there are several kinds of files."""
    button = page.get_by_role("button", name=name, exact=True)
    menu = page.get_by_role("button", name=f"Export {name.partition(' of ')[2]}", exact=True)
    expect(button.or_(menu)).to_be_visible()
    if menu.count() == 0:
        return button
    menu.click()
    return page.get_by_role("menuitem", name=name, exact=True)


def download(page: Page, button: str, folder: Path) -> Path:
    """The file that a button saves."""
    found = entry(page, button)
    with page.expect_download() as saved:
        found.click()
    path = folder / saved.value.suggested_filename
    saved.value.save_as(path)
    return path
