# SPDX-License-Identifier: Apache-2.0
"""Processes items one by one; a failed item does not stop the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import structlog

log = structlog.get_logger()


def each(what: str, numbers: Sequence[int], do: Callable[[int], None]) -> None:
    """Calls `do` for each number. Logs failures; the task's next run tries them again."""
    for number in numbers:
        try:
            do(number)
        except Exception:
            log.exception(f"{what} could not be processed", number=number)
