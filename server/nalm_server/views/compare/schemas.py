# SPDX-License-Identifier: Apache-2.0
"""Two commits side by side."""

from __future__ import annotations

from datetime import datetime

from nalm_core.features.decomposition import Decomposition
from nalm_core.functions.model import FunctionJudgement
from nalm_core.profiles.flame import Frame
from nalm_core.profiles.function_costs import FunctionCosts
from nalm_core.report.catalogue import Better
from nalm_core.report.run_report import Arm, Check, Host
from nalm_core.verdict.change import Change, StageChange

from nalm_server.base.schemas import Schema
from nalm_server.git.commits.schemas import CommitRef
from nalm_server.results.extracts.schemas import Rounds
from nalm_server.results.schemas import Verdict


class Measured(Schema):
    """A run that a revision can be compared by."""

    run_id: str
    arm: Arm
    """Which arm of the run the revision is."""
    scenario: str
    model: str
    traffic: str
    features: list[str] | None
    """Null: the revision is the run's base, and the run keeps head's feature set only."""
    host: str
    host_class: str
    measured_at: datetime


class MeasuredOf(Schema):
    commit: CommitRef
    runs: list[Measured]
    """By scenario, newest first: the newest run of each scenario and host."""


class SideBySide(Schema):
    base: Measured
    head: Measured


class CodeComparison(Schema):
    """Functions and lines of both sides."""

    base_sha: str
    head_sha: str
    functions: list[FunctionCosts]
    """Largest change first; empty: neither counted nor sampled on both sides."""
    judged: list[FunctionJudgement]
    """All functions of both sides with their outcome, those that gained or lost most first."""
    instruction_flame: Frame | None
    """By call path, exact; null: the reports have no paths."""
    cycle_flame: Frame | None
    """By stage and function, by samples; null: not sampled, or hosts that cannot be compared."""
    source_link: str | None
    """Address of a line at the forge, with placeholders {sha}, {file} and {line}; null: no forge is known."""


class RunCode(Schema):
    """Cost of a run's rounds, functions and lines, each side by its own commit's line numbers."""

    base_sha: str | None
    """Null: base was not built."""
    head_sha: str | None
    rounds: Rounds
    functions: list[FunctionCosts]
    """Largest change first, a bounded number; empty: neither counted nor sampled on both sides."""
    source_link: str | None
    """As in CodeComparison."""


class LinkedChange(Schema):
    """Head against base by all comparisons between commits that lead from one to the other, with drift and
    changes of hosts cancelled."""

    stage: str
    """`chain` for the whole."""
    ratio: float
    """Cycles per packet as shipped: head / base."""
    low: float
    high: float
    """Interval of the ratio, at `level`."""
    level: float


class Comparison(Schema):
    scenario: str
    """Head's scenario; base's own is in `sides`."""
    base: CommitRef
    head: CommitRef
    sides: SideBySide
    paired: bool
    """True: measured interleaved in one run. False, without a verdict: from each commit's own run; if
    `run_ids` has one run, that one measured them the other way round."""
    run_ids: list[str]
    verdict: Verdict | None
    chain: Change | None
    """Null: nothing was measured, the hosts cannot be compared, or the raw rounds of separate runs have aged
    out."""
    stages: list[StageChange]
    linked: list[LinkedChange]
    """The chain first; also for commits that never ran side by side. Empty: no comparisons lead from one to
    the other."""
    stage_notes: dict[str, str]
    """By stage, its part in the change, or the result of its test, for people."""
    interval_note: str | None
    """Kind of the intervals of chain and stages; null: all have one level."""
    decomposition: Decomposition | None
    """The change split into efficiency, mix, features and model. Null: nothing was measured, the hosts cannot
    be compared, or the raw rounds of the pair have aged out."""
    rounds: Rounds
    checks: list[Check]
    host: Host | None
    notes: list[str]


class SeriesComparison(Schema):
    """One series at two commits."""

    scenario: str
    host_class: str
    stage: str
    metric: str
    source: str
    base: float
    base_low: float | None
    base_high: float | None
    head: float
    head_low: float | None
    head_high: float | None
    ratio: float | None
    """head / base; null where base is 0."""
    better: Better
    """The direction in which this metric is better."""
    apart: bool | None
    """Whether the intervals are disjoint. No verdict: the two were not measured side by side."""


class SeriesComparisons(Schema):
    base: CommitRef
    head: CommitRef
    series: list[SeriesComparison]
    only_base: int
    """Number of series with a value at base alone."""
    only_head: int
