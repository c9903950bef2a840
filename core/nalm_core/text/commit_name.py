# SPDX-License-Identifier: Apache-2.0
"""A commit as people are told it."""

from __future__ import annotations

SHORT_DIGITS = 7
"""Of a hash, as git says it in most repositories and the dashboard in all."""


def short(sha: str) -> str:
    """The hash in short, for a sentence; what is to be copied or looked up is told whole."""
    return sha[:SHORT_DIGITS]
