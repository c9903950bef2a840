# SPDX-License-Identifier: Apache-2.0
"""One of a thing is no plural, and long lists are cut."""

from __future__ import annotations

import pytest
from nalm_core.text.amounts import amount, listed_at_most


@pytest.mark.parametrize(("number", "text"), [(0, "0 runs"), (1, "1 run"), (2, "2 runs")])
def test_amount(number: int, text: str) -> None:
    assert amount(number, "run") == text


@pytest.mark.parametrize(
    ("names", "text"), [(["a"], "a"), (["a", "b"], "a, b"), (["a", "b", "c", "d"], "a, b and 2 more")]
)
def test_names_beyond_the_most_are_counted(names: list[str], text: str) -> None:
    assert listed_at_most(names, 2) == text
