# SPDX-License-Identifier: Apache-2.0
"""Verdicts, figures and runs as the API shows them. The browser only displays them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from nalm_core.explain import Explanation
from nalm_core.findings.recovery import Recovery
from nalm_core.report.outcome import Outcome
from nalm_core.report.run_report import Arm, ArmInfo, InstructionCount, RunStatus
from nalm_core.verdict.change import Cause
from nalm_core.verdict.verdict import Verdict as CoreVerdict

from nalm_server.base.schemas import Schema
from nalm_server.results.summary import Remains

Display = Literal["same", "improved", "regressed", "inconclusive", "invalid", "broken", "feature"]


class Verdict(CoreVerdict):
    """nalm_core's judgement of one run, with what only the history shows."""

    stage_notes: dict[str, str]
    """By stage, its part in the change, or the result of its test, for people."""
    interval_note: str | None
    """Kind of the intervals of chain and stages; null: all have one level."""

    display: Display
    """The outcome, or `feature` for a change of the feature set that made no old feature more expensive."""
    fixes_sha: str | None
    """The commit whose regression this one undoes by half or more."""
    recovery: Recovery | None
    """What remains of that regression after this fix and those before it; null: no fix, or unknown."""
    unchanged: bool
    """Base and head have equal code: there was nothing to measure."""


class VerdictBrief(Schema):
    """A verdict in a list."""

    run_id: str
    scenario: str
    outcome: Outcome
    display: Display
    cause: Cause | None
    stage: str | None
    """The stage that moved most, if any."""
    summary: str
    ratio_cpp: float | None
    low: float | None
    high: float | None
    features_added: list[str]
    features_removed: list[str]
    price_cycles_per_packet: float | None
    price_low: float | None
    price_high: float | None
    """Interval of the price in cycles per packet, at the level in the verdict's `feature_split`. null: no
    price, or a verdict of an older version."""
    fixes_sha: str | None
    recovery: Recovery | None
    unchanged: bool


class RunBrief(Schema):
    """A run in a list."""

    run_id: str
    scenario: str
    host: str
    host_class: str
    status: RunStatus
    base_sha: str | None
    head_sha: str | None
    job_id: int | None
    started_at: datetime
    finished_at: datetime
    outcome: Outcome
    display: Display


class RunDetail(Remains, RunBrief):
    """Everything recorded of a run except the raw rounds, which /runs/{run_id}/report has."""

    project: str
    received_at: datetime
    report_expired: bool
    """The report has aged out; all other data of the run are kept."""
    report_bytes: int
    """Length of the report as JSON."""
    report_digest: str
    """SHA-256 of the report as uploaded."""
    verdict: Verdict
    explanation: Explanation | None
    """Why cycles changed; null if they did not, or if the report has aged out."""


class RoundSetAside(Schema):
    launch: int
    turn: int
    arm: Arm
    why: str


class RunCounts(Schema):
    """What a run's page shows of its report: exact counts, and the rounds that took no part."""

    instructions: list[InstructionCount]
    arms: dict[Arm, ArmInfo]
    host_class: str
    rounds: int
    rounds_set_aside: list[RoundSetAside]


class ReportTaken(Schema):
    """Answer to an uploaded report."""

    run_id: str
    """The run that counts: not the uploaded one if the job already had its result."""
    outcome: Outcome
    display: Display
    summary: str
    new: bool
    """False: it was stored before, nothing changed."""
