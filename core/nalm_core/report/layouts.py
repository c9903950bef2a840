# SPDX-License-Identifier: Apache-2.0
"""The placements of code, stack and heap over which a run's launches were spread.

A layout is a link of the same objects with functions in another order and at other offsets, and with other
offsets of stack and heap. Layout 0 is the build as it is.
"""

from __future__ import annotations

from pydantic import Field

from nalm_core.report.terms import Model


class Layouts(Model):
    """The layout of each launch; both arms of a launch had the layout of the same number."""

    relinked: bool
    """False: nalm could not link the builds again, so layouts differ in stack and heap alone."""
    reason: str | None = None
    """Why it could not."""
    numbers: list[int] = Field(min_length=1)
    """By launch."""

    def of(self, launch: int) -> int:
        """The layout of a launch."""
        return self.numbers[launch] if launch < len(self.numbers) else self.numbers[-1]
