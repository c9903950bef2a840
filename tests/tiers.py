# SPDX-License-Identifier: Apache-2.0
"""How much is simulated by day and by night."""

import os
from typing import Any

import pytest


def size_of_tier(night: int, day: int) -> int:
    """How many worlds the nightly tier simulates, or `make test`. An assertion computes its bound from it."""
    return night if os.environ.get("WHOLE") else day


def by_night(*values: object) -> list[Any]:
    """Further values of parameters, which the nightly tier tries. A tuple has one for each name."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.nightly)
        for value in values
    ]
