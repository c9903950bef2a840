# SPDX-License-Identifier: Apache-2.0
"""Room for launches in a run report that a server takes only up to a size."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.report.run_report import BareTurn, Round

SHARE = 0.75
"""Share of a report that its launches may fill; samples, counts and sources need the rest."""
MIB = 1 << 20


class ReportRoom:
    """Tells after each launch whether another one still fits, if it is as large as the last one."""

    def __init__(self, report_bytes: int) -> None:
        self.report_bytes = report_bytes
        self.full = False
        self._used, self._rounds, self._bare = 0, 0, 0

    def holds_another(self, rounds: Sequence[Round], bare: Sequence[BareTurn]) -> bool:
        """rounds, bare: all so far, of which those since the last call are the last launch."""
        new = [*rounds[self._rounds :], *bare[self._bare :]]
        self._rounds, self._bare = len(rounds), len(bare)
        launch = sum(len(one.model_dump_json()) + 1 for one in new)
        self._used += launch
        self.full = self._used + launch > SHARE * self.report_bytes
        return not self.full

    def note(self, launches: int) -> str:
        """For the report of a run that ended for lack of room."""
        return (
            f"the launches of this run ended at {launches}, since its server takes reports of at most "
            f"{self.report_bytes / MIB:.3g} MiB (NALM_REPORT_BYTES); further runs of the pair count together"
        )
