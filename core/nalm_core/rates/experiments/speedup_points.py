# SPDX-License-Identifier: Apache-2.0
"""Rates at full load as points of a speedup curve."""

from __future__ import annotations

from collections import defaultdict
from statistics import median

from nalm_core.models.quantity import ModelInputError
from nalm_core.models.speedup import Throughput
from nalm_core.rates.rate_report import Phase, RateReport
from nalm_core.rates.rate_result import arm_info
from nalm_core.rates.trials import forwarded_pps, shares_core


def throughput(report: RateReport, lcores: int | None = None) -> Throughput:
    """The rate of each launch: the median of its valid trials at full load, in packets/s.

    lcores: of the NF, if the scenario's include others. Raises ModelInputError if there is no rate, or if the
    generator ran on an lcore of the NF.
    """
    lcores = lcores or report.scenario.lcores
    name = f"rate report with {lcores} lcores"
    if report.build is None:
        raise ModelInputError(name, "the NF could not be built")
    info = arm_info(report.build, report.run, report.stages)
    by_launch: dict[int, list[float]] = defaultdict(list)
    for trial in report.trials:
        if trial.phase is not Phase.MRR or trial.invalid is not None:
            continue
        if shares_core(trial):
            raise ModelInputError(name, "the generator shares an lcore with the NF: the rate is of both")
        rate = forwarded_pps(trial, info)
        if rate:
            by_launch[trial.launch].append(rate)
    if not by_launch:
        raise ModelInputError(name, "no trial at full load was valid; measure with `nalm rate --mode mrr`")
    return Throughput(lcores, tuple(median(rates) for rates in by_launch.values()))
