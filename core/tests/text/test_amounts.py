# SPDX-License-Identifier: Apache-2.0
"""One of a thing is no plural."""

from __future__ import annotations

import pytest
from nalm_core.text.amounts import amount


@pytest.mark.parametrize(("number", "text"), [(0, "0 runs"), (1, "1 run"), (2, "2 runs")])
def test_amount(number: int, text: str) -> None:
    assert amount(number, "run") == text
