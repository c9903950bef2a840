# SPDX-License-Identifier: Apache-2.0
"""What `nalm check` and `nalm show` advise after a run that decided nothing."""

from __future__ import annotations

import pytest
from nalm_agent.report.print_run import next_lines
from nalm_core.report.run_report import Check
from nalm_core.verdict.verdict import judge
from nalm_synthetic import changed, make_report
from rate_runs import rate_run, soak_run


def test_rates_and_soaks_are_decided_by_their_own_lengths() -> None:
    few, brief = rate_run(launches=3, packets=500), soak_run(hours=0.5, intervals=16, steps=True)
    for report, advice in (
        (few, "rates.launches in nalm.toml (this run had 3)"),
        (brief, "rates.soak_hours in nalm.toml (this soak had 0.5)"),
    ):
        verdict = judge(report)
        assert verdict.outcome == "inconclusive", verdict.reason
        (line,) = next_lines(report, verdict)
        assert advice in line and "quieter host" in line and "minutes" not in line
    assert next_lines(few, judge(few).model_copy(update={"outcome": "same"})) == []


@pytest.mark.parametrize(("budget", "minutes"), [(None, "9"), (3.0, "1"), (60.0, "3")])
def test_more_time_is_at_least_a_minute(budget: float | None, minutes: str) -> None:
    report = make_report(changed(), launches=1, turns=1)
    report = report.model_copy(
        update={"settings": report.settings.model_copy(update={"budget_seconds": budget})}
    )
    *_, line = next_lines(report, judge(report))
    assert f"--minutes {minutes}`" in line


@pytest.mark.parametrize(
    ("name", "advice"), [("load_offered", "load offer less"), ("load_carried", 'load = "closed"')]
)
def test_a_load_that_was_not_met(name: str, advice: str) -> None:
    failed = Check(name=name, passed=False, value=2.0, limit=1.0, message="head: few were sent")
    report = make_report(changed(), launches=6).model_copy(update={"checks": [failed]})
    (line,) = next_lines(report, judge(report))
    assert line.startswith("next: ") and advice in line
