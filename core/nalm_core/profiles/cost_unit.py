# SPDX-License-Identifier: Apache-2.0
"""The unit in which a profile counts costs."""

from __future__ import annotations

from enum import StrEnum


class By(StrEnum):
    """The unit of costs."""

    INSTRUCTIONS = "instructions"
    CYCLES = "cycles"
