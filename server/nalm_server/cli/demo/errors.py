# SPDX-License-Identifier: Apache-2.0
"""Errors of the demo."""

from __future__ import annotations


class DemoError(Exception):
    """A message for people: what is wrong, where, and what to do next."""
