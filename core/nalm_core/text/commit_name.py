# SPDX-License-Identifier: Apache-2.0
"""The short form of a commit's hash."""

from __future__ import annotations

SHORT_DIGITS = 7
"""Digits of a short hash, as in git in most repositories and in the dashboard."""


def short(sha: str) -> str:
    """The short hash, for sentences. Use the whole hash where it is copied or looked up."""
    return sha[:SHORT_DIGITS]
