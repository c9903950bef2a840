# SPDX-License-Identifier: Apache-2.0
"""Two commits side by side."""

from __future__ import annotations

from nalm_core.catalogue import Better
from nalm_core.change import Change, StageChange
from nalm_core.decomposition import Decomposition
from nalm_core.report import Check, Host

from nalm_server.commits.schemas import CommitRef
from nalm_server.runs.schemas import Verdict
from nalm_server.schemas import Schema


class RoundPoint(Schema):
    """One kept round."""

    launch: int
    turn: int
    cpp: float
    """Cycles per packet of the chain."""


class Rounds(Schema):
    base: list[RoundPoint]
    head: list[RoundPoint]
    head_as_base: list[RoundPoint]
    """Head's build run with base's feature set; empty unless the feature set changed."""


class Comparison(Schema):
    scenario: str
    base: CommitRef
    head: CommitRef
    paired: bool
    """True: measured interleaved in one run. False: put together from each commit's own runs, no verdict."""
    run_ids: list[str]
    verdict: Verdict | None
    chain: Change | None
    stages: list[StageChange]
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
    """Which direction of this metric is good news."""
    apart: bool | None
    """Whether the two intervals lie apart. No verdict: the two were not measured side by side."""


class SeriesComparisons(Schema):
    base: CommitRef
    head: CommitRef
    series: list[SeriesComparison]
    only_base: int
    """Series that have a value at base alone."""
    only_head: int
