# SPDX-License-Identifier: Apache-2.0
"""Reports of commits that change the feature set, for tests of the service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nalm_core.experiments.result import FeatureFit, FeaturePrice
from nalm_core.features.cost_model import CostModel, Term
from nalm_core.report.run_report import RunReport
from nalm_core.verdict.checks import run_checks
from nalm_server_reports import COSTS, LAUNCHES, TSC_HZ, TURNS, arm, make_report, one_round, sha

Costs = Mapping[str, float]
WITH_DPI = {"rx": 20.0, "nat": 150.0, "dpi": 400.0, "l3fwd": 60.0, "tx": 30.0}
FEATURES = ("nat", "l3fwd")


def with_features(
    number: int,
    *,
    base: tuple[Costs, Sequence[str]],
    head: tuple[Costs, Sequence[str]],
    head_as_base: Costs | None = None,
    base_number: int | None = None,
    **given: Any,
) -> RunReport:
    """Run `number`: costs and features of each arm. head_as_base: what head costs with base's features."""
    plain = make_report(number, **given)
    old = sha(number - 1 if base_number is None else base_number)
    sides = {"base": (old, *base), "head": (sha(number), *head)}
    if head_as_base is not None:
        sides["head_as_base"] = (sha(number), head_as_base, base[1])
    order = list(sides)
    rounds = [
        one_round(launch, turn, place, name, sides[name][1])
        for launch in range(LAUNCHES)
        for turn in range(TURNS)
        for place, name in enumerate(order if turn % 2 == 0 else reversed(order))
    ]
    document = plain.model_dump(mode="json", by_alias=True) | {
        "arms": {
            name: arm(commit, costs, list(features)) for name, (commit, costs, features) in sides.items()
        },
        "rounds": rounds,
        "instructions": [],
        "checks": [],
    }
    report = RunReport.model_validate(document)
    return report.model_copy(
        update={"checks": run_checks(report.arms, report.rounds, report.instructions, TSC_HZ)}
    )


def fitted(scenario: str = "sfc_a", *, dpi: bool = False) -> FeatureFit:
    """What an experiment says of COSTS, exactly; `dpi`: whether the feature was measured too."""
    bare, nat, price = 110.0, 150.0, 400.0
    terms = [Term(features=[], cycles=bare), Term(features=["nat"], cycles=nat)]
    terms += [Term(features=["dpi"], cycles=price)] if dpi else []
    size = len(terms)
    model = CostModel(
        terms=terms,
        covariance=[[float(row == column) for column in range(size)] for row in range(size)],
        degrees=20,
        varied=["nat", "dpi"] if dpi else ["nat"],
        fixed=["l3fwd"],
        sets=[["l3fwd"], ["l3fwd", "nat"]],
        held_out_error=0.004,
    )
    return FeatureFit(
        scenario=scenario,
        reference=["nat", "l3fwd"],
        reference_cpp=bare + nat,
        tsc_hz=TSC_HZ,
        model=model,
        refused=None,
        prices=[
            FeaturePrice(
                feature="nat",
                in_reference=True,
                cycles=nat,
                low=nat - 3,
                high=nat + 3,
                pps=TSC_HZ / (bare + nat) - TSC_HZ / bare,
                pps_low=None,
                pps_high=None,
                stages={"nat": nat},
            )
        ],
        stages=dict(COSTS),
        predictions=[],
        left_out_error=None,
        lack_of_fit=None,
        drift=[],
        notes=[],
    )
