# SPDX-License-Identifier: Apache-2.0
"""Turns a job's state and verdicts into what a forge shows. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nalm_core.findings.recovery import Recovery, undoing_text
from nalm_core.render.line import cut, line
from nalm_core.report.catalogue import title_of
from nalm_core.verdict.verdict import Verdict

from nalm_server.jobs.schemas import OPEN, JobState
from nalm_server.notify.forges.alert_status import Standing
from nalm_server.notify.forges.protocol import ForgeState

STATES = {
    "broken": ForgeState.FAILURE,
    "regressed": ForgeState.FAILURE,
    "invalid": ForgeState.ERROR,
    "inconclusive": ForgeState.NEUTRAL,
    "improved": ForgeState.SUCCESS,
    "same": ForgeState.SUCCESS,
}
"""By outcome, the worst first."""
FAILING = ("regressed", "broken")
WEIGHTS = (
    ForgeState.FAILURE,
    ForgeState.PENDING,
    ForgeState.ERROR,
    ForgeState.NEUTRAL,
    ForgeState.SUCCESS,
)
"""Of several scenarios, the first of these states is shown."""
TEXT_LIMIT = 140
"""GitHub's limit; the others allow more."""


@dataclass(frozen=True)
class Said:
    """A verdict with its scenario."""

    scenario: str
    run_id: str
    verdict: Verdict
    standing: Standing | None = None
    """The alert's state for a regression, or that it was accepted; None: neither."""
    fixes: str | None = None
    """The commit whose regression it undoes, and what remains of that."""
    recovery: Recovery | None = None

    @property
    def state(self) -> ForgeState:
        if self._alert:
            return self._alert.state
        found = [STATES[self.verdict.outcome]]
        found += [ForgeState.FAILURE] if self.verdict.failing_metrics else []
        found += [ForgeState.NEUTRAL] if self.verdict.lost_metrics else []
        return min(found, key=WEIGHTS.index)

    def text(self, limit: int) -> str:
        before = self._alert.said if self._alert else ""
        if self.verdict.outcome not in FAILING and self.verdict.failing_metrics:
            before += f"{', '.join(title_of(one.metric) for one in self.verdict.failing_metrics)} regressed: "
        elif self.verdict.lost_metrics and STATES[self.verdict.outcome] is ForgeState.SUCCESS:
            before += f"{', '.join(title_of(one.metric) for one in self.verdict.lost_metrics)} missing: "
        if self.fixes is not None:
            before = f"{undoing_text(self.fixes, self.recovery)}: "
        return before + line(self.verdict, limit - len(before))

    @property
    def _alert(self) -> Standing | None:
        found = self.verdict.outcome in FAILING or self.verdict.failing_metrics
        return self.standing if found else None


@dataclass(frozen=True)
class JobSaid:
    state: JobState
    held: str | None
    message: str | None


def conclude(job: JobSaid | None, found: Sequence[Said]) -> tuple[ForgeState, str] | None:
    """State and text of a commit's status. None: there is none yet."""
    if job is not None and job.state in OPEN:
        return ForgeState.PENDING, cut(_waiting(job), TEXT_LIMIT)
    if found:
        worst = by_weight(found)[0]
        rest = f" ({worst.scenario}; {len(found) - 1} more)" if len(found) > 1 else ""
        return worst.state, worst.text(TEXT_LIMIT - len(rest)) + rest
    if job is None:
        return None
    if job.state is JobState.SUPERSEDED:
        return ForgeState.NEUTRAL, "not measured: something newer was pushed"
    if job.state is JobState.CANCELLED:
        return ForgeState.ERROR, "not measured: cancelled"
    return ForgeState.ERROR, cut(f"could not measure: {job.message or job.state}", TEXT_LIMIT)


def by_weight(found: Sequence[Said]) -> list[Said]:
    """Most important first."""
    order = list(STATES)

    def weight(one: Said) -> tuple[int, int, str]:
        return WEIGHTS.index(one.state), order.index(one.verdict.outcome), one.scenario

    return sorted(found, key=weight)


def _waiting(job: JobSaid) -> str:
    if job.state is JobState.QUEUED:
        return f"waits: {job.held}" if job.held else "queued"
    return "being measured"
