# SPDX-License-Identifier: Apache-2.0
"""What was added to a log of which only the tail is kept."""

from __future__ import annotations

OVERLAP = 200
"""Number of characters of the old end that are searched in the new tail."""


def gained(old: str | None, new: str | None) -> tuple[str | None, bool]:
    """(text, restarted): what was added to `old`; restarted: `new` does not continue it, the text is all of
    it."""
    if new is None or new == old:
        return None, False
    if not old:
        return new, True
    if new.startswith(old):
        return new[len(old) :], False
    end = old[-OVERLAP:]
    place = new.rfind(end)
    if place < 0:
        return new, True
    return new[place + len(end) :], False
