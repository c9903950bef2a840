# SPDX-License-Identifier: Apache-2.0
"""Kinds of slow instructions, by the names that samples carry."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from nalm_core.explain.model import Detail

_PATTERNS: Final[tuple[tuple[Detail, re.Pattern[str]], ...]] = (
    ("division", re.compile(r"i?div$|v?div[ps]|v?sqrt|fi?div|fsqrt")),
    ("atomics", re.compile(r"lock |xchg$")),
    ("store_forwarding", re.compile(r"wide load")),
)
QUANTITIES_OF: Final[Mapping[Detail, str]] = MappingProxyType(
    {
        "serialising": "serialising_cpp",
        "atomics": "atomic_cpp",
        "division": "division_cpp",
        "store_forwarding": "blocked_load_cpp",
    }
)
"""Quantity of the cycles at each kind."""
SLOW: Final[tuple[Detail, ...]] = tuple(QUANTITIES_OF)
"""Details that samples at slow instructions show; the pipeline's, whatever was counted."""


def kind_of(instruction: str) -> Detail:
    """Those of no other kind wait for earlier ones: fences, cpuid, reads of the time stamp counter, pause."""
    return next((detail for detail, pattern in _PATTERNS if pattern.match(instruction)), "serialising")
