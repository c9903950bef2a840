# SPDX-License-Identifier: Apache-2.0
"""What a project's page says of a poll in which several things failed."""

from __future__ import annotations

from collections.abc import Sequence


def first_of(troubles: Sequence[str]) -> str | None:
    """The first one, and the number of the others. None: there are none."""
    if not troubles:
        return None
    return troubles[0] + (f" (and {len(troubles) - 1} more)" if troubles[1:] else "")
