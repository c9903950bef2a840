# SPDX-License-Identifier: Apache-2.0
"""Results of variants off and on, and of chains under several execution models, from their cells."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.experiments.constants import REACH_ALPHA
from nalm_core.experiments.observe import Observation, Side
from nalm_core.experiments.result import Compared, Contribution, ModelRow
from nalm_core.report.defaults import CONFIDENCE
from nalm_core.stats.discovery import familywise


def contributions(observations: Sequence[Observation]) -> list[Contribution]:
    """One for each variant, in the order of the experiment's cells."""
    names = dict.fromkeys(one.cell.subject for one in observations)
    return [_contribution(name, [one for one in observations if one.cell.subject == name]) for name in names]


def _contribution(name: str, observations: Sequence[Observation]) -> Contribution:
    chains = [compared(one) for one in observations]
    sure = familywise([one.p_value for one in chains], REACH_ALPHA)
    moved = [one for one, significant in zip(chains, sure, strict=True) if significant]
    return Contribution(
        name=name,
        tuning=observations[0].cell.tuning,
        chains=chains,
        reach=[one.chain for one in moved if one.ratio_cpp < 1],
        harms=[one.chain for one in moved if one.ratio_cpp > 1],
    )


def compared(one: Observation) -> Compared:
    low, high = one.estimate.interval(1 - CONFIDENCE)
    return Compared(
        chain=one.cell.base_variant,
        base_variant=one.cell.base_variant,
        head_variant=one.cell.head_variant,
        base=one.base.chain,
        head=one.head.chain,
        ratio_cpp=one.ratio,
        low=low,
        high=high,
        p_value=one.estimate.p_value(),
        base_pps=one.tsc_hz / one.base.chain.cpp,
        head_pps=one.tsc_hz / one.head.chain.cpp,
        stages_base=_cycles(one.base),
        stages_head=_cycles(one.head),
    )


def model_rows(observations: Sequence[Observation]) -> list[ModelRow]:
    """Rows by chain: the first model, then each other model relative to it."""
    rows: list[ModelRow] = []
    for one in observations:
        chain, tsc_hz = one.cell.subject, one.tsc_hz
        if chain not in {row.chain for row in rows}:
            rows.append(_row(chain, one.cell.base_variant, one.base, tsc_hz))
        low, high = one.estimate.interval(1 - CONFIDENCE)
        against = {"ratio_cpp": one.ratio, "low": low, "high": high}
        rows.append(_row(chain, one.cell.head_variant, one.head, tsc_hz).model_copy(update=against))
    return rows


def _row(chain: str, model: str, side: Side, tsc_hz: int) -> ModelRow:
    return ModelRow(
        chain=chain,
        model=model,
        figure=side.chain,
        pps=tsc_hz / side.chain.cpp,
        stages=_cycles(side),
        ratio_cpp=None,
        low=None,
        high=None,
    )


def _cycles(side: Side) -> dict[str, float]:
    return {name: figure.cpp for name, figure in side.stages.items()}
