# SPDX-License-Identifier: Apache-2.0
"""Inputs of models from a run report: what it gives, and what it cannot give, by name."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_core.models.quantity import ModelInputError
from nalm_core.models.queue.gaps import STEP_NS
from nalm_core.models.queue.service import measured_times
from nalm_core.models.run_figures import host_supply, run_batches
from nalm_core.report.batch_sizes import LcoreBatches
from nalm_core.report.host_supply import HostSupply
from nalm_core.report.run_report import Arm, RunReport
from nalm_synthetic import TSC_HZ, Side, make_report

FULL, HALF = (1000, 2_000_000), (1000, 1_200_000)


def with_batches(*lcores: dict[int, tuple[int, int]], model: str = "rtc") -> RunReport:
    report = make_report(Side(), launches=2, turns=2)
    batches = [LcoreBatches(lcore=number, sizes=sizes) for number, sizes in enumerate(lcores)]
    scenario = report.scenario.model_copy(update={"model": model})
    update: dict[str, Any] = {"batches": {Arm.HEAD: batches, Arm.BASE: []}, "scenario": scenario}
    return report.model_copy(update=update)


def test_batches_are_of_all_lcores_that_had_packets() -> None:
    found = run_batches(with_batches({0: (5, 500), 32: FULL}, {16: HALF, 32: FULL}, {0: (10**9, 10**12)}))
    assert found == {0: (5, 500), 16: HALF, 32: (2000, 4_000_000)}
    times = measured_times(found, 32, TSC_HZ)
    assert times.means[32] * STEP_NS == pytest.approx(2000 / TSC_HZ * 1e9)
    assert {16, 32}.isdisjoint(times.fitted) and 8 in times.fitted


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (with_batches(), "batches: the run report has none"),
        (with_batches({0: (7, 70)}), "batches: the run report has none"),
        (with_batches({32: FULL}, {32: FULL}), "batches: all have 32 packets"),
        (with_batches({16: HALF, 32: FULL}, model="pipeline"), "batches: each lcore of a pipeline"),
    ],
)
def test_batches_that_tell_no_times_are_refused(report: RunReport, said: str) -> None:
    with pytest.raises(ModelInputError, match=said):
        run_batches(report)


def test_supply_of_a_host_is_of_the_resources_that_a_run_demands() -> None:
    host = make_report(Side(), launches=2, turns=2).host
    with pytest.raises(ModelInputError, match="supply: of bench-1 was not measured"):
        host_supply(host)
    supply = HostSupply(
        one={"instructions": 9e9, "L1d": 7e9, "L3": 0.3e9}, together={}, cpus=2, core_hz=3e9, watts=20
    )
    found = host_supply(host.model_copy(update={"supply": supply}))
    assert found.one == {"cores": 9e9, "cache": 0.3e9} and found.shared == ("cache", "memory")
    second = supply.model_copy(update={"one": {"L2": 1e9, "L3": 0.3e9, "memory": 6e7}})
    found = host_supply(host.model_copy(update={"supply": second}))
    assert found.one == {"cache": 1e9, "memory": 6e7} and found.shared == ("memory",)
    none = supply.model_copy(update={"one": {}, "missing": {"instructions": "no memory"}})
    with pytest.raises(ModelInputError, match="has no figure: no memory"):
        host_supply(host.model_copy(update={"supply": none}))
