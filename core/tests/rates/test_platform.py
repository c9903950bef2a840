# SPDX-License-Identifier: Apache-2.0
"""Contributions of settings whose truth is known."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest
from nalm_core.rates.comparison_report import CommonLoad
from nalm_core.rates.experiments.platform import (
    AGAIN,
    AS_IT_IS,
    TOGETHER,
    HostSetting,
    PlatformFigure,
    PlatformReport,
    PlatformSettings,
    SettingFile,
    StateLaunch,
    judge_platform,
    launch_figures,
    states_of,
)
from nalm_core.rates.latency import figures
from nalm_core.rates.rate_report import Phase, Trial
from nalm_core.rates.rate_result import rate_checks
from rate_synthetic import BUILD, HOST, INFO, RUN, SCENARIO, STAGES, STARTED, TSC_HZ, Truth, latency_of, trial

SETTINGS = [
    HostSetting(
        name="thp",
        files=[SettingFile(path="/sys/thp", before="always", after="madvise")],
        refused=[],
        unavailable=None,
    ),
    HostSetting(
        name="interrupts",
        files=[SettingFile(path="/proc/irq/24/x", before="0-1", after="0")],
        refused=["/proc/irq/25/x: Input/output error"],
        unavailable=None,
    ),
    HostSetting(name="turbo", files=[], refused=[], unavailable="the kernel shows no /sys/boost here"),
]
LOST = "an lcore lost 20.0 ms to other programs"


def launch_trials(
    scale: float, wait: float, *, timed: bool = True, invalid: str | None = None
) -> list[Trial]:
    """One trial at full load and one below it: cycles and waits as multiples."""
    packets = round(1_000_000 / scale)
    full = Truth(
        phase=Phase.MRR,
        intended_pps=None,
        sent=packets,
        cycles_per_packet=500 * scale,
        cur=1.0,
    )
    waits = latency_of(10_000 * wait) if timed else None
    below = Truth(phase=Phase.LATENCY, intended_pps=100_000, sent=100_000, latency=waits)
    return [trial(full, invalid), trial(below)]


def report(
    scales: Mapping[str, tuple[float, float]], launches: int = 12, noise: float = 0.01, timed: bool = True
) -> PlatformReport:
    """scales: the truth of CPP and of latency by state, otherwise 1. A drift is common to all."""
    random, found = Random(1), list[StateLaunch]()
    for number in range(launches):
        drift = 1 + 0.3 * number / launches
        for order, state in enumerate(states_of(SETTINGS)):
            scale, wait = scales.get(state, (1.0, 1.0))
            moved = [one * drift * random.uniform(1 - noise, 1 + noise) for one in (scale, wait)]
            invalid = LOST if number == 0 and state == "thp" else None
            trials = launch_trials(*moved, timed=timed, invalid=invalid)
            found.append(StateLaunch(round=number, order=order, state=state, trials=trials))
    return PlatformReport(
        run_id="0" * 32,
        nalm_version="0.1.0",
        project="demo",
        scenario=SCENARIO,
        host=HOST,
        started_at=STARTED,
        finished_at=STARTED,
        settings=PlatformSettings(launches=launches, trials=1, trial_s=1, leave_out_s=0),
        host_settings=SETTINGS,
        load=CommonLoad(pps=100_000),
        ndr=None,
        build=BUILD,
        run=RUN,
        stages=STAGES,
        launches=found,
        checks=rate_checks([one for launch in found for one in launch.trials], INFO, TSC_HZ),
    )


def test_each_setting_has_its_own_contribution_and_the_control_has_none() -> None:
    result = judge_platform(report({"thp": (0.9, 1.0), "interrupts": (1.0, 0.5), TOGETHER: (0.9, 0.5)}))
    assert (result.verdict, result.reasons) == ("measured", [])
    rows = {row.state: row for row in result.rows}
    assert list(rows) == [AGAIN, "thp", "interrupts", TOGETHER]
    truth = {
        AGAIN: (0.0, 0.0),
        "thp": (-0.1, 0.0),
        "interrupts": (0.0, -0.5),
        TOGETHER: (-0.1, -0.5),
    }
    for state, changes in truth.items():
        cpp, rate, p99 = (
            rows[state].contributions[figure]
            for figure in (PlatformFigure.CPP, PlatformFigure.RATE, PlatformFigure.LATENCY_P99)
        )
        for one, change in ((cpp, changes[0]), (rate, 1 / (1 + changes[0]) - 1), (p99, changes[1])):
            assert one.low is not None and one.high is not None
            assert one.low <= change <= one.high, state
            assert one.differs == (change != 0), state
            assert one.launches == 12
    assert result.together is rows[TOGETHER]


def test_a_disturbed_trial_counts() -> None:
    row = {one.state: one for one in judge_platform(report({})).rows}["thp"]
    assert (row.disturbed, row.trials) == (1, 24)
    assert row.contributions[PlatformFigure.CPP].launches == 12


def test_a_setting_that_is_not_available_has_no_figures() -> None:
    assert list(states_of(SETTINGS)) == [AS_IT_IS, AGAIN, "thp", "interrupts", TOGETHER]
    assert "turbo" not in {row.state for row in judge_platform(report({})).rows}
    alone = states_of([SETTINGS[0], SETTINGS[2]])
    assert list(alone) == [AS_IT_IS, AGAIN, "thp"], "one setting is all of them together"


def test_latencies_are_those_below_full_load() -> None:
    """At full load the queues are full, and a generator measures latency there, too."""
    full, below = launch_trials(1.0, 1.0)
    queued = full.model_copy(update={"latency": latency_of(5_000_000), "jitter": latency_of(1_000_000)})
    jitter = latency_of(3_000)
    found = launch_figures([queued, below.model_copy(update={"jitter": jitter})], INFO)
    assert below.latency is not None
    waits, changes = figures(below.latency), figures(jitter)
    assert waits is not None and changes is not None
    assert found[PlatformFigure.LATENCY_P99] == waits.p99_ns
    assert found[PlatformFigure.LATENCY_MEAN] == waits.mean_ns
    assert found[PlatformFigure.LATENCY_MAX] == waits.max_ns
    assert found[PlatformFigure.JITTER_MAX] == changes.max_ns
    assert PlatformFigure.LATENCY_P99 not in launch_figures([queued], INFO), "missing, not that of full load"


def test_too_few_launches_give_no_interval() -> None:
    result = judge_platform(report({"thp": (0.5, 1.0)}, launches=3))
    assert result.verdict == "inconclusive"
    assert "3 launches give no interval at this level" in result.reasons[0]
    one = result.rows[1].contributions[PlatformFigure.CPP]
    assert (one.low, one.high, one.differs) == (None, None, False)
    assert one.change == pytest.approx(-0.5, abs=0.05)


def test_a_figure_that_was_not_measured_is_missing_with_its_name() -> None:
    result = judge_platform(report({}, timed=False))
    assert result.verdict == "inconclusive"
    assert result.reasons[0].startswith(f"{AGAIN}: not measured: latency p99, latency mean, latency max")
    assert PlatformFigure.LATENCY_P99 not in result.rows[0].contributions


def test_a_run_that_contradicts_itself_is_invalid() -> None:
    one = report({})
    failed = one.checks[0].model_copy(update={"passed": False, "message": "Eq. 6 does not close"})
    result = judge_platform(one.model_copy(update={"checks": [failed]}))
    assert result.verdict == "invalid" and result.reasons[0] == "Eq. 6 does not close"
