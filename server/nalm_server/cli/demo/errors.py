# SPDX-License-Identifier: Apache-2.0
"""What the demo says when it cannot go on."""

from __future__ import annotations


class DemoError(Exception):
    """A message for a person: what is wrong, where, and what to do next."""
