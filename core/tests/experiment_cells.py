# SPDX-License-Identifier: Apache-2.0
"""Cells of experiments with known costs: reports, and observations without the reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from nalm_core.experiments.design import FeatureSpace, Row, feature_design
from nalm_core.experiments.observe import Observation, Side
from nalm_core.report.cell import ExperimentCell, Kind, Use
from nalm_core.report.run_report import RunReport
from nalm_core.stats.estimate import RatioEstimate, estimate_ratio
from nalm_core.verdict.change import Figure
from nalm_synthetic import Noise, make_report
from nalm_synthetic import Side as ArmSide

BARE = {"rx": 20.0, "tx": 30.0}
PRICES = {"nat": 150.0, "dpi": 200.0, "l3fwd": 60.0, "nop": 5.0}
SPACE = FeatureSpace(("nop", "nat", "dpi", "l3fwd"), ("nat", "dpi", "l3fwd"), ("l3fwd",), (("nat", "dpi"),))
SHARED = 25.0
"""What nat and dpi save together, in dpi."""
TSC_HZ = 2_000_000_000


def costs(features: Iterable[str]) -> dict[str, float]:
    """Cycles per packet by stage."""
    found = {"rx": BARE["rx"], **{name: PRICES[name] for name in features}, "tx": BARE["tx"]}
    if {"nat", "dpi"} <= found.keys():
        found["dpi"] -= SHARED
    return found


def cell(space: FeatureSpace, row: Row, name: str, cells: Sequence[str]) -> ExperimentCell:
    return ExperimentCell(
        kind=Kind.FEATURES,
        name=name,
        use=row.use,
        subject="sfc_a",
        base_variant="sfc_a",
        head_variant="sfc_a",
        terms=space.terms(),
        cells=list(cells),
    )


def planned(space: FeatureSpace = SPACE, seed: int = 1) -> list[tuple[Row, ExperimentCell]]:
    rows = feature_design(space, seed)
    names = [f"cell-{number}" for number in range(len(rows))]
    return [(row, cell(space, row, name, names)) for row, name in zip(rows, names, strict=True)]


def reports(noise: Noise | None = None) -> list[RunReport]:
    """Of the experiment on SPACE."""

    def arm(features: Sequence[str]) -> ArmSide:
        return ArmSide(costs(features), None, list(features))

    return [
        make_report(arm(row.features), arm(SPACE.reference), seed=number, launches=8, noise=noise).model_copy(
            update={"experiment": about, "run_id": f"{number:032x}"}
        )
        for number, (row, about) in enumerate(planned())
    ]


def observed(
    rng: np.random.Generator,
    truth: Mapping[tuple[str, ...], float],
    plan: Sequence[tuple[Row, ExperimentCell]],
    noise: Sequence[float],
    launches: int = 8,
) -> list[Observation]:
    """Observations of known totals; noise: standard deviation of ln of a launch, for each cell."""
    reference = next(row.features for row, _ in plan if row.use is Use.REFERENCE)
    found = []
    for (row, about), spread in zip(plan, noise, strict=True):
        base = truth[reference] * np.exp(rng.normal(0, spread, launches))
        head = truth[row.features] * np.exp(rng.normal(0, spread, launches))
        estimate = estimate_ratio(base, head)
        assert isinstance(estimate, RatioEstimate)
        sides = [
            Side(features, Figure(cpp=float(cpp.mean())), {})
            for features, cpp in ((reference, base), (row.features, head))
        ]
        found.append(Observation(about, sides[0], sides[1], estimate, {}, TSC_HZ))
    return found
