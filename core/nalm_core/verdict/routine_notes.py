# SPDX-License-Identifier: Apache-2.0
"""Notes that are the same in every run of a host, and ask for nothing. Terminals show them on request."""

from __future__ import annotations

import re
from collections.abc import Iterable

_FEW = 0.1
"""Share of the rounds set aside up to which the number is routine."""
_SET_ASIDE = re.compile(r"\b(\d++) of (\d++) rounds were set aside\.")
_ROUTINE = re.compile(
    r"each launch warms up for "
    r"|The cores ran at [\d.]+ of the TSC's rate"
    r"|The probe did not measure the core's clock"
    r"|packets and cycles are "
    r"|\w+ was not checked: "
)


def is_routine(note: str) -> bool:
    """True for a note about the method or the host that does not depend on the change."""
    if found := _SET_ASIDE.fullmatch(note):
        return int(found[1]) <= _FEW * int(found[2])
    return _ROUTINE.match(note) is not None


def without_routine(notes: Iterable[str]) -> list[str]:
    """The notes without routine ones."""
    return [note for note in notes if not is_routine(note)]
