# SPDX-License-Identifier: Apache-2.0
"""Thresholds of nalm.toml at the desk: what `nalm rate --base`, its sweeps and `nalm soak` are judged by."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from nalm_agent.cli import rate as rate_command
from nalm_agent.host import tsc
from nalm_agent.rates import sweep as sweep_measurement
from nalm_agent.rates.loaded_revision import Subject, subject
from nalm_agent.rates.rate import RateReportBuilder
from nalm_agent.shell.app import app
from nalm_agent.source.git import WORKTREE, Repository
from nalm_agent.store.home import WorkDir
from nalm_core.rates import sweep_verdict
from nalm_core.rates.comparison_report import ComparisonSettings, RateFigure
from nalm_core.rates.defaults import KNEE_MARGIN, LATENCY_MARGIN
from nalm_core.rates.rate_report import (
    RateReport,
    RateSettings,
    RateStatus,
    SweepComparison,
    SweepMargins,
    SweepVerdict,
)
from nalm_core.report.outcome import Outcome
from tiny import RATES_TOML, NfRepository
from typer.testing import CliRunner

THRESHOLDS = """
[[thresholds]]
metric = "latency_p99_ns"
margin = 0.2

[[thresholds]]
metric = "latency_p99_ns"
branch = "release/*"
margin = 0.05

[[thresholds]]
metric = "loss_ratio"
scenario = "made"
margin = 0.002

[[thresholds]]
metric = "load_cpp"
margin = 0.06

[[thresholds]]
metric = "memory_growth"
margin = 4096
"""


@pytest.fixture
def head(traffic_repository: NfRepository, work: WorkDir, monkeypatch: pytest.MonkeyPatch) -> Subject:
    monkeypatch.setattr(tsc, "available", lambda: None)
    traffic_repository.commit("margins", nalm__toml=RATES_TOML + THRESHOLDS)
    repository = Repository(traffic_repository.path, work.fresh("git"))
    return subject(repository, repository.resolve(WORKTREE), "made")


def settings(head: Subject, branch: str | None = None, given: float | None = None) -> ComparisonSettings:
    fields = rate_command._Margins(branch, given).of_comparison(head)
    return ComparisonSettings().model_copy(update=fields)


def test_a_comparison_has_the_margins_of_the_scenario(head: Subject) -> None:
    found = settings(head)
    assert found.margin_of(RateFigure.LATENCY_P99) == 0.2
    assert found.margin_of(RateFigure.LATENCY_P50) == LATENCY_MARGIN
    assert found.margin_of(RateFigure.LOSS) == 0.002


def test_the_branch_that_is_checked_out_counts_or_the_given_one(
    head: Subject, traffic_repository: NfRepository
) -> None:
    assert settings(head, "release/2").margin_of(RateFigure.LATENCY_P99) == 0.05
    subprocess.run(
        ["git", "switch", "--quiet", "--create", "release/3"],
        cwd=traffic_repository.path,
        check=True,
        timeout=30,
    )
    assert settings(head).margin_of(RateFigure.LATENCY_P99) == 0.05
    assert settings(head, "main").margin_of(RateFigure.LATENCY_P99) == 0.2


def test_a_given_margin_comes_before_those_of_percentiles(head: Subject) -> None:
    found = settings(head, given=0.3)
    assert found.margin_of(RateFigure.LATENCY_P99) == found.margin_of(RateFigure.LATENCY_P50) == 0.3
    assert found.margin_of(RateFigure.LOSS) == 0.002


def test_a_sweep_has_the_margins_of_its_figures(head: Subject) -> None:
    by_toml = SweepMargins(load_cpp=0.06, knee_pps=KNEE_MARGIN)
    assert rate_command._Margins(None, None).of_sweep(head) == by_toml
    assert rate_command._Margins(None, 0.3).of_sweep(head) == SweepMargins(load_cpp=0.3, knee_pps=0.3)


def test_a_soak_has_those_that_it_judges(head: Subject) -> None:
    assert head.margins(None)["memory_growth"] == 4096
    assert "cpp" not in head.margins(None)


@pytest.mark.parametrize(
    ("outcome", "code"), [(Outcome.REGRESSED, 1), (Outcome.INCONCLUSIVE, 3), (Outcome.SAME, 0)]
)
def test_two_sweeps_end_with_the_exit_code_of_their_verdict(
    head: Subject,
    traffic_repository: NfRepository,
    outcome: Outcome,
    code: int,
    tmp_path: Path,
    *,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def measured(subjects: Sequence[Subject], settings: RateSettings, *_: object) -> list[RateReport]:
        return [
            RateReportBuilder(one, settings).report(RateStatus.BROKEN, "not measured") for one in subjects
        ]

    def judged(base: RateReport, head: RateReport, margins: SweepMargins) -> SweepVerdict:
        return SweepVerdict(outcome=outcome, reasons=["CPP +9.0 %"], margins=margins)

    monkeypatch.setattr(sweep_measurement, "measure_sweep", measured)
    monkeypatch.setattr(sweep_verdict, "judge_sweeps", judged)
    monkeypatch.setenv("NALM_HOME", str(tmp_path / "home"))
    repository, out = str(traffic_repository.path), tmp_path / "out.json"
    done = CliRunner().invoke(
        app,
        ["rate", "HEAD", "--base", "HEAD~1", "--mode", "sweep", "--repo", repository, "--json", str(out)],
    )
    assert done.exit_code == code, done.output
    verdict = SweepComparison.model_validate_json(out.read_text()).verdict
    assert verdict is not None and (verdict.outcome, verdict.margins.load_cpp) == (outcome, 0.06)
    assert f": {outcome} (margin of CPP 6 %, of the knee 10 %)" in done.output
