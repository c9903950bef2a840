# SPDX-License-Identifier: Apache-2.0
"""From a job's state and its verdicts to what a forge shows. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nalm_core.render.line import cut, line
from nalm_core.verdict import Verdict

from nalm_server.forges.protocol import ForgeState
from nalm_server.jobs.schemas import OPEN, JobState

STATES = {
    "broken": ForgeState.FAILURE,
    "regressed": ForgeState.FAILURE,
    "invalid": ForgeState.ERROR,
    "inconclusive": ForgeState.NEUTRAL,
    "improved": ForgeState.SUCCESS,
    "same": ForgeState.SUCCESS,
}
"""By outcome, the worst first."""
TEXT_LIMIT = 140
"""GitHub's; the others take more."""


@dataclass(frozen=True)
class Said:
    """A verdict with what it is of."""

    scenario: str
    run_id: str
    verdict: Verdict


@dataclass(frozen=True)
class JobSaid:
    state: JobState
    held: str | None
    message: str | None


def conclude(job: JobSaid | None, found: Sequence[Said]) -> tuple[ForgeState, str] | None:
    """State and line of a commit. None: there is nothing to say yet."""
    if job is not None and job.state in OPEN:
        return ForgeState.PENDING, cut(_waiting(job), TEXT_LIMIT)
    if found:
        worst = by_weight(found)[0]
        rest = f" ({worst.scenario}; {len(found) - 1} more)" if len(found) > 1 else ""
        return STATES[worst.verdict.outcome], line(worst.verdict, TEXT_LIMIT - len(rest)) + rest
    if job is None:
        return None
    if job.state is JobState.SUPERSEDED:
        return ForgeState.NEUTRAL, "not measured: something newer was pushed"
    if job.state is JobState.CANCELLED:
        return ForgeState.ERROR, "not measured: cancelled"
    return ForgeState.ERROR, cut(f"could not measure: {job.message or job.state}", TEXT_LIMIT)


def by_weight(found: Sequence[Said]) -> list[Said]:
    """What matters most first."""
    order = list(STATES)
    return sorted(found, key=lambda one: (order.index(one.verdict.outcome), one.scenario))


def _waiting(job: JobSaid) -> str:
    if job.state is JobState.QUEUED:
        return f"waits: {job.held}" if job.held else "queued"
    return "being measured"
