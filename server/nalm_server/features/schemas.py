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
    """A commit of the default branch."""
    RELEASE = "release"
    """A tag."""
    BRANCH = "branch"
    """The newest measured commit of a branch."""


class NcppPoint(Schema):
    name: str | None
    """Name of the tag or branch; null for a commit."""
    commit: CommitRef
    run_id: str
    features: list[str] | None
    """Null in runs from before feature sets were recorded."""
    cpp: float
    """Cycles per packet. Linked: the reference's by the cost model, times the ratio of both commits by all
    comparisons between them. Else as its newest run measured them, on its host."""
    linked: bool
    expected_cycles: float | None = None
    """CPP of this feature set at the reference."""
    ncpp: float | None = None
    """cpp / expected_cycles."""
    low: float | None = None
    high: float | None = None
    extended: list[str] = Field(default_factory=list)
    """Features that the reference does not have, expected at the price with which they were added."""
    missing: str | None
    """Why there is no NCPP."""


class NcppLine(Schema):
    """One scenario on one host class."""

    scenario: str
    host_class: str
    held_out_error: float | None
    """Relative root mean square error of the cost model on feature sets that it was not fitted to."""
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
    """Where a price comes from. One line never mixes sources."""

    EXPERIMENT = "experiment"
    """A cost model: the feature off and on, with the reference feature set."""
    MERGE = "merge"
    """The commit that added or removed the feature, measured with and without it."""
    STAGE = "stage"
    """CPP of the stage of the same name: its own cost, without its effect on other stages."""


class Price(Schema):
    """Price of a feature at one commit."""

    commit: CommitRef
    run_id: str | None
    """Null: the price is from an experiment."""
    cycles: float
    """Cycles per packet."""
    low: float | None
    high: float | None
    pps: float | None
    """Packets per second gained with the feature: negative for a price."""
    stages: dict[str, float]
    """Cycles per packet by the stage that pays; empty if only the chain was measured."""


class PriceChange(Schema):
    since: CommitRef
    """Commit of the earlier figure: the reference, the release, or the previous one."""
    before_cycles: float
    change_cycles: float
    ratio: float | None
    """Now / before; null if the earlier price is 0."""
    apart: bool | None
    """Whether the intervals lie apart; null without intervals. Of a linked change: whether its own excludes
    none."""
    linked: bool
    """The change is that of levels from comparisons: hosts, kernels and compilers between the two do not
    count, and before_cycles is on the scale of now. Otherwise it is between two values as measured."""
    stage: str | None
    """The stage that grew most; null if only the chain was measured."""


class Growth(Schema):
    """A commit judged a regression for which the feature's own stage pays."""

    commit: CommitRef
    run_id: str
    stage: str
    function: str | None
    """The C function that pays most, if functions were sampled."""


class PriceKey(Schema):
    feature: str
    scenario: str
    host_class: str
    source: PriceSource
    series_id: int | None
    """Series of the stage's CPP; null for other sources."""


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
    """The newest tag, along the first parent."""
    features: list[PriceLine]


class PriceHistoryLine(PriceKey):
    points: list[Price]
    """Oldest first."""


class PriceHistory(Schema):
    feature: str
    lines: list[PriceHistoryLine]


class ScenarioModel(Schema):
    """A chain under an execution model, measured by one scenario."""

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
    """Against the chain's first row of this traffic and host class; null for that row. Not side by side."""
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


class ScenarioRate(Schema):
    """Cost of a scenario beside its no drop rate."""

    scenario: str
    lcores: int
    run_id: str
    """The run of cycles."""
    rate_run_id: str
    cpp: float
    ndr_pps: float
    """Of all its lcores."""


class CostAndRate(Schema):
    """Scenarios of a host class whose cost and no drop rate were measured at this commit."""

    host_class: str
    scenarios: list[ScenarioRate]
    """By CPP."""
    rank_correlation: float | None
    """Spearman's, of CPP and NDR per lcore: -1 if more cycles mean a lower rate without exception; null with
    fewer than four scenarios."""


class Models(Schema):
    commit: CommitRef
    experiments: list[ModelsExperiment]
    """Newest first. They are more precise than `rows`."""
    rows: list[ScenarioModel]
    """By chain."""
    rates: list[CostAndRate]
    """By host class; empty if no no drop rate was measured."""


class VariantOn(Schema):
    """A variant off and on in one chain, not measured side by side."""

    off: str
    on: str
    """`off`, `on`: scenarios with the variant off and on."""
    host_class: str
    run_ids: list[str]
    """Runs with the variant off and on, in this order."""
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
    """Scenarios that it makes faster, at 5 % over all of `on` (Holm)."""
    harms: list[str]
    """Scenarios that it makes slower, likewise."""


class Ablation(Schema):
    commit: CommitRef
    experiments: list[AblationExperiment]
    """Newest first. They are more precise than `variants`."""
    variants: list[Variant]
    """Parts of a scenario's name by which it differs from another one that is otherwise equal."""
