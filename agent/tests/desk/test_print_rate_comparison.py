# SPDX-License-Identifier: Apache-2.0
"""A rate comparison as it is printed."""

from __future__ import annotations

import pytest
from nalm_agent.desk.print_rate_comparison import print_rate_comparison
from nalm_core.rates.comparison_report import ComparisonVerdict, FigureChange, LoadChange, RateFigure
from nalm_core.rates.generators import Generator
from nalm_core.report.outcome import Outcome
from nalm_core.report.trials.rate_run import CommonLoad
from nalm_core.verdict.long_calls import PayingStage

STAGES = [
    PayingStage(name="tx", share=0.7, reason="calls of at least 65.5 us take 21,000 us of a second"),
    PayingStage(name="rx", share=0.3, reason="calls of at least 65.5 us take 9,000 us of a second"),
]


def verdict(stages: list[PayingStage]) -> ComparisonVerdict:
    p99 = FigureChange(
        figure=RateFigure.LATENCY_P99, outcome=Outcome.REGRESSED, launches=16,
        base=10_000, head=30_000, change=2.0, low=1.9, high=2.1, margin=0.05, stages=stages,
    )  # fmt: skip
    loss = FigureChange(
        figure=RateFigure.LOSS, outcome=Outcome.SAME, launches=16, base=0, head=0, change=0, margin=0.002
    )
    load = LoadChange(load=CommonLoad(pps=50_000), figures=[p99, loss], losses={}, pairs=64, of=64)
    return ComparisonVerdict(outcome=Outcome.REGRESSED, reasons=[], loads=[load])


def test_stages_of_a_tail_are_in_the_verdict_and_below_the_figures(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_rate_comparison(verdict(STAGES), "sfc_a 1234567 against abcdefg")
    said = capsys.readouterr().out
    assert said.startswith("sfc_a 1234567 against abcdefg: regressed in tx, rx\n")
    below = " ".join(f"latency p99 regressed in {one.name}: {one.reason}" for one in STAGES)
    assert " ".join(said.split()).endswith(below)


def test_each_figure_has_its_margin(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    print_rate_comparison(verdict([]), "sfc_a 1234567 against abcdefg")
    said = capsys.readouterr().out.splitlines()
    (p99,) = (line for line in said if "latency p99" in line)
    (loss,) = (line for line in said if line.startswith("  loss"))
    assert " 5 %" in p99 and " 0.2 %" in loss
    assert any("margin" in line for line in said)


def test_a_generator_outside_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    lab = Generator(name="lab", kind="trex", version="v3.06")
    print_rate_comparison(verdict([]), "sfc_a 1234567 against abcdefg", lab)
    print_rate_comparison(verdict([]), "sfc_a 1234567 against abcdefg")
    assert capsys.readouterr().out.count("  generator ") == 1


def test_without_a_stage_the_verdict_names_none(capsys: pytest.CaptureFixture[str]) -> None:
    print_rate_comparison(verdict([]), "sfc_a 1234567 against abcdefg")
    text = capsys.readouterr().out
    assert text.splitlines()[0] == "sfc_a 1234567 against abcdefg: regressed"
    assert "regressed in" not in text
