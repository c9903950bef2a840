# SPDX-License-Identifier: Apache-2.0
"""Columns of each exported table, in this order in every format."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple


class AlertExport(NamedTuple):
    """One finding in its present state."""

    id: int
    time: datetime
    """Time at which it was made."""
    commit: str
    after: str | None
    """Last good commit; none: the commit's parent."""
    author: str | None
    state: str
    kind: str | None
    scenario: str | None
    """The scenario that moved most; the figures are of its chain."""
    stage: str | None
    function: str | None
    cause: str | None
    detail: str | None
    metric: str | None
    ratio: float | None
    low: float | None
    high: float | None
    severity: float | None
    worth: float | None
    """Former name of severity."""
    muted: bool
    reason: str | None
    assignee: str | None
    fixed_by: str | None
    confirmed_at: datetime | None
    fix_measured_at: datetime | None
    remains: float | None
    """In the scenario in which most remains after its fixes: after / last good."""


class ChangePointExport(NamedTuple):
    id: int
    time: datetime
    """Time at which it was found."""
    commit: str
    low_commit: str
    high_commit: str
    scenario: str
    host_class: str
    stage: str
    metric: str
    ratio: float
    probability: float
    chain_share: float | None
    significant: bool
    state: str
    alert_id: int | None
    kind: str
    """`step`, or `drift` from after low_commit to high_commit."""


class FunctionExport(NamedTuple):
    """One run's figures of a C function with a series."""

    commit: str
    time: datetime
    """Time at which the run began."""
    scenario: str
    stage: str
    function: str
    source: str
    host: str
    host_class: str
    ipp: float
    """Instructions per packet of the function itself, without callees."""
    calls: float
    """Calls per packet."""
    cpp: float | None
    """Cycles per packet by samples; None without enough of them."""
    cpp_error: float | None
    """Standard error of cpp."""


class CellExport(NamedTuple):
    """One cell of an experiment: two run definitions measured side by side."""

    experiment: int
    time: datetime
    """Time of the upload."""
    commit: str
    kind: str
    subject: str
    cell: str
    use: str
    host: str
    host_class: str
    run_id: str
    ratio: float | None
    low: float | None
    high: float | None
    unusable: str | None


class CoreCountExport(NamedTuple):
    """One number of lcores of an experiment on core counts."""

    experiment: int
    time: datetime
    """Time at which it ended."""
    commit: str
    host_class: str | None
    chain: str
    lcores: int
    pps: float
    """Mean of the launches."""
    measured: float
    """Speedup, and that of the fitted curve."""
    fitted: float
    residual: float


class QueueLoadExport(NamedTuple):
    """One load of an experiment on queues, measured and predicted."""

    experiment: int
    time: datetime
    commit: str
    host_class: str | None
    table: str
    arrivals: str
    queue: int
    batch: int
    frame: int | None
    share: float | None
    pps: float
    trials: int
    left_out: int
    measured_batch: float
    predicted_batch: float
    divergence: float
    measured_loss: float
    predicted_loss: float
    measured_latency_us: float | None
    predicted_delay_us: float


class RoleSplitExport(NamedTuple):
    """One split of lcores between roles, predicted and measured."""

    experiment: int
    time: datetime
    commit: str
    host_class: str | None
    table: str
    scenario: str
    dispatch: int
    workers: int
    databases: int
    predicted_pps: float
    bottleneck: str
    measured_pps: float | None
    error: float | None
    left_out: str | None


class FlowShareExport(NamedTuple):
    """One share of new flows of a design, in cycles per packet."""

    experiment: int
    time: datetime
    commit: str
    host_class: str | None
    table: str
    design: str
    scenario: str
    pps: float
    requested: float
    share: float
    cycles: float
    fitted: float
    trials: int
    left_out: int


class PriceExport(NamedTuple):
    """Price of a feature at a commit, in cycles per packet."""

    feature: str
    scenario: str
    host_class: str
    source: str
    commit: str
    run_id: str | None
    cycles: float
    low: float | None
    high: float | None
    pps: float | None


class NcppExport(NamedTuple):
    scenario: str
    host_class: str
    commit: str
    run_id: str
    features: str | None
    """Names, separated by spaces."""
    cpp: float
    expected_cycles: float | None
    ncpp: float | None
    low: float | None
    high: float | None
    missing: str | None


class TrialExport(NamedTuple):
    """A comparison of known truth."""

    id: int
    time: datetime
    """Time of the measurement."""
    kind: str
    name: str
    scenario: str
    host: str
    host_class: str
    expected: str
    category: str | None
    size: float | None
    outcome: str
    correct: bool
    stage_right: bool | None
    cause_right: bool | None
    ratio_cpp: float | None
    low: float | None
    high: float | None
    cpp: float | None
    version: str | None


class RateExport(NamedTuple):
    """A figure of a run of rates or a soak."""

    run_id: str
    time: datetime
    """Time at which the run was received."""
    commit: str
    base: str | None
    scenario: str
    """Ends in the kind: `fast_path:rate`."""
    host_class: str
    run_outcome: str
    metric: str
    stage: str | None
    """A stage that explains the figure's change; none: the chain."""
    unit: str
    outcome: str
    of_base: float | None
    """Mean over launches; none: missing."""
    of_head: float | None
    ratio: float | None
    """1 + the change."""
    low: float | None
    high: float | None
    reason: str | None
    """Why it is missing or undecided, or its causes."""
