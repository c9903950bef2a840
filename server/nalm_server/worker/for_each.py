# SPDX-License-Identifier: Apache-2.0
"""Pieces of work one after another: one that fails does not hold up the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import structlog

log = structlog.get_logger()


def each(what: str, numbers: Sequence[int], do: Callable[[int], None]) -> None:
    """Does `do` for each number. What fails is logged; the task's next run tries it again."""
    for number in numbers:
        try:
            do(number)
        except Exception:
            log.exception(f"{what} could not be processed", number=number)
