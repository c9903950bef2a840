# SPDX-License-Identifier: Apache-2.0
"""A run report and its verdict, the input of every rendering."""

from __future__ import annotations

from dataclasses import dataclass

from nalm_core.report.run_report import Arm, RunReport, Sha
from nalm_core.verdict.verdict import Verdict

SHORT_SHA = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """One run, judged."""

    report: RunReport
    verdict: Verdict
    link: str | None = None
    """Address of the run's page; None without a server."""

    @property
    def base(self) -> Sha | None:
        """Base's commit; None if base could not be built."""
        return self._commit(Arm.BASE)

    @property
    def head(self) -> Sha | None:
        """Head's commit; None if head could not be built."""
        return self._commit(Arm.HEAD)

    @property
    def dirty(self) -> bool:
        """True if head was built from a working tree with changes."""
        info = self.report.arms.get(Arm.HEAD)
        return info is not None and info.build.dirty

    def _commit(self, arm: Arm) -> Sha | None:
        info = self.report.arms.get(arm)
        return info.build.commit if info else None
