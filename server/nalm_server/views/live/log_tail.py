# SPDX-License-Identifier: Apache-2.0
"""What a log's tail gained, when only its newest end is kept."""

from __future__ import annotations

OVERLAP = 200
"""So many characters of the old end, found in the new tail, tell where it goes on."""


def gained(old: str | None, new: str | None) -> tuple[str | None, bool]:
    """(text, anew): what came since `old`; anew: `new` does not go on from it, the text is the whole."""
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
