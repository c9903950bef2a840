# SPDX-License-Identifier: Apache-2.0
"""Execution models, chains and variants of one commit, from its measured scenarios."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

from nalm_core.experiments.constants import REACH_ALPHA
from nalm_core.experiments.practices import Effect
from nalm_core.report.cell import Kind
from nalm_core.report.defaults import CONFIDENCE
from nalm_core.stats.discovery import familywise
from nalm_core.stats.estimate import estimate_ratio_unpaired
from nalm_core.stats.rank_correlation import rank_correlation
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.features.experiment_repository import results
from nalm_server.features.measured_repository import Measured, NoDropRate, Place, at_commit, no_drop_rates
from nalm_server.features.schemas import (
    Ablation,
    AblationExperiment,
    CostAndRate,
    Models,
    ModelsExperiment,
    ScenarioModel,
    ScenarioRate,
    Variant,
    VariantOn,
)
from nalm_server.git.commits.service import ref

Ratio = tuple[float | None, float | None, float | None, float]
"""head / base of CPP, its interval, and the p-value of equal CPP, 1 without an interval."""
ENDS = ("rx", "dispatch", "tx")
HAND_OVER = "handover"


def models(session: Session, project: ProjectRow, revision: str | None) -> Models:
    commit, found = at_commit(session, project, revision)
    chains: dict[tuple[str, str, str], list[Measured]] = defaultdict(list)
    for one in found:
        chains[_chain(one), one.scenario.traffic, one.host_class].append(one)
    return Models(
        commit=ref(commit),
        experiments=[
            ModelsExperiment.model_validate({"experiment": number, "host_class": on, "result": result})
            for number, on, result in results(session, commit, Kind.MODELS)
        ],
        rows=[
            _model_row(chain, one, ones[0]) for (chain, _, _), ones in sorted(chains.items()) for one in ones
        ],
        rates=_cost_and_rate(found, no_drop_rates(session, commit)),
    )


def _cost_and_rate(found: Sequence[Measured], rates: Mapping[Place, NoDropRate]) -> list[CostAndRate]:
    by_host: dict[str, list[ScenarioRate]] = defaultdict(list)
    for one in found:
        rate = rates.get((one.scenario.name, one.host_class))
        if rate is not None:
            by_host[one.host_class].append(
                ScenarioRate(
                    scenario=one.scenario.name,
                    lcores=one.scenario.lcores,
                    run_id=one.run_id,
                    rate_run_id=rate.run_id,
                    cpp=one.figures["cpp"].value,
                    ndr_pps=rate.pps,
                )
            )
    return [
        CostAndRate(
            host_class=host_class,
            scenarios=sorted(ones, key=lambda one: one.cpp),
            rank_correlation=rank_correlation(
                [one.cpp for one in ones], [one.ndr_pps / one.lcores for one in ones]
            ),
        )
        for host_class, ones in sorted(by_host.items())
    ]


def ablation(session: Session, project: ProjectRow, revision: str | None) -> Ablation:
    commit, found = at_commit(session, project, revision)
    return Ablation(
        commit=ref(commit),
        experiments=[
            AblationExperiment.model_validate({"experiment": number, "host_class": on, "result": result})
            for number, on, result in results(session, commit, Kind.ABLATION)
        ],
        variants=[_variant(name, ones) for name, ones in sorted(_by_variant(found).items())],
    )


def effects(session: Session, project: ProjectRow) -> Iterator[Effect]:
    """Of variants in scenarios of the newest measured commit. Raises NotFoundError without one."""
    for name, ones in sorted(_by_variant(at_commit(session, project, None)[1]).items()):
        for off, on in ones:
            ratio, low, high, p_value = _ratio(off, on)
            if ratio is not None:
                yield Effect(
                    variant=name,
                    tuning=None,
                    chain=off.scenario.name,
                    ratio=ratio,
                    low=low,
                    high=high,
                    p_value=p_value,
                    side_by_side=False,
                )


def _by_variant(found: Sequence[Measured]) -> dict[str, list[tuple[Measured, Measured]]]:
    """(off, on) of each variant."""
    variants: dict[str, list[tuple[Measured, Measured]]] = defaultdict(list)
    for name, off, on in _pairs(found):
        variants[name].append((off, on))
    return variants


def _variant(name: str, pairs: Sequence[tuple[Measured, Measured]]) -> Variant:
    ratios = [_ratio(off, on) for off, on in pairs]
    sure = familywise([p_value for *_, p_value in ratios], REACH_ALPHA)
    moved = [
        (off.scenario.name, ratio)
        for (off, _), (ratio, *_), found in zip(pairs, ratios, sure, strict=True)
        if found and ratio is not None
    ]
    return Variant(
        name=name,
        on=[_variant_on(off, on) for off, on in pairs],
        reach=[off for off, ratio in moved if ratio < 1],
        harms=[off for off, ratio in moved if ratio > 1],
    )


def _pairs(found: Sequence[Measured]) -> Iterator[tuple[str, Measured, Measured]]:
    """(variant, off, on): `sfc_a` and `sfc_a_flow_cache`, scenarios that are equal except for their names."""
    for off, on in permutations(found, 2):
        start = f"{off.scenario.name}_"
        if on.scenario.name.startswith(start) and _alike(off) == _alike(on):
            yield on.scenario.name.removeprefix(start), off, on


def _alike(one: Measured) -> tuple[object, ...]:
    scenario = one.scenario
    features = None if one.features is None else tuple(one.features)
    return one.host_class, features, scenario.model, scenario.lcores, scenario.traffic, scenario.load


def _chain(one: Measured) -> str:
    """Its features in order; its stages, if the run did not record features."""
    stages = [stage for stage in one.scenario.stages if stage not in ENDS and not stage.startswith(HAND_OVER)]
    return ", ".join(one.features if one.features is not None else stages)


def _model_row(chain: str, one: Measured, first: Measured) -> ScenarioModel:
    ratio, low, high, _ = (None, None, None, 1.0) if one is first else _ratio(first, one)
    return ScenarioModel(
        chain=chain,
        model=one.scenario.model,
        lcores=one.scenario.lcores,
        scenario=one.scenario.name,
        traffic=one.scenario.traffic,
        host_class=one.host_class,
        run_id=one.run_id,
        figures=one.figures,
        ratio_cpp=ratio,
        low=low,
        high=high,
    )


def _variant_on(off: Measured, on: Measured) -> VariantOn:
    ratio, low, high, _ = _ratio(off, on)
    return VariantOn(
        off=off.scenario.name,
        on=on.scenario.name,
        host_class=off.host_class,
        run_ids=[off.run_id, on.run_id],
        off_figures=off.figures,
        on_figures=on.figures,
        ratio_cpp=ratio,
        low=low,
        high=high,
    )


def _ratio(base: Measured, head: Measured) -> Ratio:
    """Welch's interval over independent units: the two did not run side by side."""
    estimate = estimate_ratio_unpaired(base.units, head.units) if base.units and head.units else None
    if estimate is None:
        before = base.figures["cpp"].value
        return head.figures["cpp"].value / before if before > 0 else None, None, None, 1.0
    return estimate.ratio, *estimate.interval(1 - CONFIDENCE), estimate.p_value()
