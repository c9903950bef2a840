# SPDX-License-Identifier: Apache-2.0
"""A run with its verdict and exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nalm_core.report.run_report import RunReport, RunStatus

from nalm_agent.runtime.errors import ExitCode, NalmError

if TYPE_CHECKING:
    from nalm_core.verdict.verdict import Verdict

_EXIT_CODES = {
    "same": ExitCode.OK,
    "improved": ExitCode.OK,
    "regressed": ExitCode.REGRESSION,
    "inconclusive": ExitCode.INCONCLUSIVE,
    "invalid": ExitCode.NOT_MEASURED,
    "broken": ExitCode.NOT_MEASURED,
}
_WORST_FIRST = (
    ExitCode.REGRESSION,
    ExitCode.USAGE,
    ExitCode.NOT_MEASURED,
    ExitCode.INCONCLUSIVE,
    ExitCode.OK,
)


@dataclass(frozen=True)
class Result:
    """One run and its verdict."""

    title: str
    report: RunReport
    verdict: Verdict | None
    """None for an unchanged run, which needs no judgement."""
    link: str | None = None
    """The run's page on the server, after an upload."""

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of a command with this run alone."""
        if self.verdict is None:
            return ExitCode.OK
        if self.verdict.failing_metrics:
            return ExitCode.REGRESSION
        own = _EXIT_CODES[self.verdict.outcome]
        return ExitCode.INCONCLUSIVE if own is ExitCode.OK and self.verdict.lost_metrics else own


def judged(report: RunReport) -> Verdict | None:
    """The verdict; None for an unchanged run, so that its answer does not wait for SciPy to load."""
    if report.status is RunStatus.UNCHANGED:
        return None
    from nalm_core.verdict.verdict import judge

    return judge(report)


def worst(results: Sequence[Result], errors: Sequence[NalmError] = ()) -> ExitCode:
    """Exit code of several runs, with errors of others: a regression outweighs a failed measurement."""
    codes = {*(result.exit_code for result in results), *(error.exit_code for error in errors)}
    return next((code for code in _WORST_FIRST if code in codes), ExitCode.OK)
