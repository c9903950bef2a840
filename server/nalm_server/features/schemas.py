# SPDX-License-Identifier: Apache-2.0
"""Feature sets, their prices and NCPP as the API shows them."""

from __future__ import annotations

from enum import StrEnum

from nalm_core.experiments.result import AblationResult, ModelsResult
from pydantic import Field

from nalm_server.base.schemas import Schema
from nalm_server.git.commits.schemas import CommitRef
from nalm_server.results.series.values import Value


class By(StrEnum):
    """What a table has a point for."""

    COMMIT = "commit"
    """Of the default branch."""
    RELEASE = "release"
    """A tag."""
    BRANCH = "branch"
    """Its newest commit that was measured."""


class NcppPoint(Schema):
    name: str | None
    """The tag's or branch's; null for a commit."""
    commit: CommitRef
    run_id: str
    features: list[str] | None
    """Null in runs from before they were recorded."""
    cpp: float
    """Cycles per packet, as measured."""
    expected_cycles: float | None = None
    """CPP of this feature set at the reference."""
    ncpp: float | None = None
    """cpp / expected_cycles."""
    low: float | None = None
    high: float | None = None
    extended: list[str] = Field(default_factory=list)
    """Features the reference did not have, expected at the price they came with."""
    missing: str | None
    """Why there is no NCPP."""


class NcppLine(Schema):
    """One scenario on one host class."""

    scenario: str
    host_class: str
    held_out_error: float | None
    """Of the cost model, on feature sets it was not fitted on: root mean square, relative."""
    missing: str | None
    """Why there is no cost model, and what to do."""
    points: list[NcppPoint]
    """Oldest first; branches by name."""


class NcppTable(Schema):
    by: By
    reference: CommitRef | None
    """The commit whose cost model is the scale."""
    lines: list[NcppLine]


class PriceSource(StrEnum):
    """What tells a price; figures of different sources are never put in one line."""

    EXPERIMENT = "experiment"
    """A cost model: the feature off and on, beside the reference feature set."""
    MERGE = "merge"
    """The commit that added or removed it, measured with and without."""
    STAGE = "stage"
    """CPP of the stage that has its name: what it costs itself, not what it costs others."""


class Price(Schema):
    """At one commit."""

    commit: CommitRef
    run_id: str | None
    """Null: of an experiment."""
    cycles: float
    """Cycles per packet."""
    low: float | None
    high: float | None
    pps: float | None
    """Packets per second that are forwarded more with it: less than nothing for a price."""
    stages: dict[str, float]
    """Cycles per packet by the stage that pays; empty where only the whole was measured."""


class PriceChange(Schema):
    since: CommitRef
    """Where the earlier figure is from: at the reference or release, or the last before."""
    before_cycles: float
    change_cycles: float
    ratio: float | None
    """Now / before; null where it cost nothing."""
    apart: bool | None
    """Whether the intervals lie apart; null without intervals."""
    stage: str | None
    """The stage in which it grew most; null where only the whole was measured."""


class Growth(Schema):
    """A commit judged as a regression that the feature's own stage pays for."""

    commit: CommitRef
    run_id: str
    stage: str
    function: str | None
    """The C function that pays most, where functions were sampled."""


class PriceKey(Schema):
    feature: str
    scenario: str
    host_class: str
    source: PriceSource
    series_id: int | None
    """Of the stage's CPP; null for the other sources."""


class PriceLine(PriceKey):
    now: Price
    since_reference: PriceChange | None
    since_release: PriceChange | None
    grown_by: list[Growth]
    """Since the reference, oldest first."""


class ReleaseRef(Schema):
    name: str
    commit: CommitRef


class PriceList(Schema):
    reference: CommitRef | None
    release: ReleaseRef | None
    """The tag that is furthest along."""
    features: list[PriceLine]


class PriceHistoryLine(PriceKey):
    points: list[Price]
    """Oldest first."""


class PriceHistory(Schema):
    feature: str
    lines: list[PriceHistoryLine]


class ScenarioModel(Schema):
    """A chain under an execution model, as one scenario measured it."""

    chain: str
    """Its features, in order."""
    model: str
    lcores: int
    scenario: str
    traffic: str
    host_class: str
    run_id: str
    figures: dict[str, Value]
    """By metric, of the whole chain."""
    ratio_cpp: float | None
    """Against the chain's first row with this traffic and host class; null for that one. Not side by side."""
    low: float | None
    high: float | None


class ModelsExperiment(Schema):
    """Chains and models that an experiment measured side by side."""

    experiment: int
    host_class: str | None
    result: ModelsResult


class AblationExperiment(Schema):
    """Variants that an experiment measured side by side, off and on."""

    experiment: int
    host_class: str | None
    result: AblationResult


class Models(Schema):
    commit: CommitRef
    experiments: list[ModelsExperiment]
    """Newest first; where there are some they say it better than the rows."""
    rows: list[ScenarioModel]
    """By chain."""


class VariantOn(Schema):
    """A variant off and on in one chain; the two were not measured side by side."""

    off: str
    on: str
    """Scenarios."""
    host_class: str
    run_ids: list[str]
    """Off, on."""
    off_figures: dict[str, Value]
    on_figures: dict[str, Value]
    ratio_cpp: float | None
    """On / off, with its interval."""
    low: float | None
    high: float | None


class Variant(Schema):
    name: str
    on: list[VariantOn]
    reach: list[str]
    """Scenarios it makes cheaper: the interval lies below 1."""
    harms: list[str]
    """Scenarios it makes dearer."""


class Ablation(Schema):
    commit: CommitRef
    experiments: list[AblationExperiment]
    """Newest first; where there are some they say it better than the variants."""
    variants: list[Variant]
    """What the name of a scenario has beyond that of another which is alike in all else."""
