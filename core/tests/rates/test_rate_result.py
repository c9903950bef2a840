# SPDX-License-Identifier: Apache-2.0
"""What a rate report means, and what makes it worthless."""

import json
import re
from pathlib import Path

import pytest
from nalm_core.rates.defaults import DOCUMENTED
from nalm_core.rates.generators import INSIDE
from nalm_core.rates.rate_report import Ended, Phase, RateReport, RateStatus, Search
from nalm_core.rates.rate_result import RateVerdict, judge_rates
from rate_synthetic import TSC_HZ, Truth, latency_of, rate_report, trial

NDR = Search(
    goal="ndr",
    loss_ratio=0,
    least_pps=1e4,
    greatest_pps=1.2e6,
    lower_pps=1e6,
    upper_pps=1.01e6,
    throughput_pps=1e6,
    ended=Ended.FOUND,
)


def full(sent: int, invalid: str | None = None, **truth: object) -> object:
    return trial(
        Truth(intended_pps=None, sent=sent, phase=Phase.MRR, cur=0.99, cycles_per_packet=1500, **truth),  # type: ignore[arg-type]
        invalid,
    )


def test_full_load_is_the_median_of_the_valid_trials() -> None:
    trials = [full(1_000_000), full(1_100_000), full(1_040_000), full(100_000, invalid="stolen")]
    result = judge_rates(rate_report(trials, mode="mrr"))  # type: ignore[arg-type]
    assert result.verdict is RateVerdict.MEASURED
    assert result.mrr is not None
    spread = result.mrr.pps
    assert (spread.median, spread.least, spread.greatest) == (1_040_000, 1_000_000, 1_100_000)
    assert (spread.trials, spread.of, result.invalid_trials) == (3, 4, 1)
    assert result.mrr.cpp == pytest.approx(1500)
    # Eq. 6: what the NF's own time would carry
    assert result.mrr.nf_pps == pytest.approx(TSC_HZ * 0.99 / 1500, rel=0.01)
    assert result.shared_core


def test_without_a_valid_trial_there_is_no_rate() -> None:
    result = judge_rates(rate_report([full(5, invalid="an lcore lost 40 %")], mode="mrr"))  # type: ignore[list-item]
    assert result.mrr is None
    assert result.verdict is RateVerdict.INVALID
    assert any("an lcore lost 40 %" in reason for reason in result.reasons)


def test_a_search_that_found_nothing_is_inconclusive_and_says_why() -> None:
    gave_up = NDR.model_copy(
        update={"ended": Ended.DISTURBED, "lower_pps": None, "reason": "6 in a row were invalid"}
    )
    result = judge_rates(rate_report([trial(Truth())], [gave_up], mode="ndr"))
    assert result.verdict is RateVerdict.INCONCLUSIVE
    assert result.reasons == ["NDR: 6 in a row were invalid"]


def test_packets_that_vanish_make_it_invalid() -> None:
    result = judge_rates(rate_report([trial(Truth(vanished=1000))], [NDR], mode="ndr"))
    assert result.verdict is RateVerdict.INVALID


def test_latencies_of_a_load_are_merged() -> None:
    def at(pps: int, share: float, wait: float, invalid: str | None = None) -> object:
        truth = Truth(intended_pps=pps, sent=pps, share=share, phase=Phase.LATENCY, latency=latency_of(wait))
        return trial(truth, invalid)

    trials = [
        at(500_000, 0.5, 3000),
        at(500_000, 0.5, 1000),
        at(500_000, 0.5, 9e6, "late"),
        at(100_000, 0.1, 700),
    ]
    result = judge_rates(rate_report(trials, [NDR], mode="latency"))  # type: ignore[arg-type]
    assert [(one.share, one.pps, one.trials, one.of) for one in result.latency] == [
        (0.1, 100_000, 1, 1),
        (0.5, 500_000, 2, 3),
    ]
    half = result.latency[1].latency
    assert half is not None
    assert (half.packets, half.min_ns, half.mean_ns, half.max_ns) == (2000, 1000, 2000, 3000)
    assert result.verdict is RateVerdict.MEASURED


def test_losses_stand_by_phase() -> None:
    trials = [trial(Truth(no_port=30)), trial(Truth(no_port=12))]
    result = judge_rates(rate_report(trials, [NDR], mode="ndr"))
    assert [(one.cause, one.packets) for one in result.losses[Phase.SEARCH]] == [("nat.no_port", 42)]


def test_what_could_not_be_run_is_broken() -> None:
    report = rate_report([]).model_copy(
        update={"status": RateStatus.BROKEN, "failure": "it died", "build": None}
    )
    result = judge_rates(report)
    assert (result.verdict, result.reasons) == (RateVerdict.BROKEN, ["it died"])


def test_a_report_survives_json() -> None:
    report = rate_report([trial(Truth(latency=latency_of(900)))], [NDR])
    text = json.dumps(report.model_dump(mode="json", by_alias=True))
    assert RateReport.model_validate_json(text) == report
    assert json.loads(text)["schema"] == "nalm.rate-report/1"


def test_a_report_of_before_had_the_generator_inside() -> None:
    document = rate_report([trial(Truth())]).model_dump(mode="json", by_alias=True)
    assert document.pop("generator") == {"name": "inside", "kind": "inside"}
    assert RateReport.model_validate(document).generator == INSIDE


def test_every_constant_is_documented_with_its_value() -> None:
    text = (Path(__file__).parents[3] / "docs" / "rates.md").read_text()
    found = re.findall(r"\| `([A-Z0-9_]+)` \| ([0-9.]+) \|", text)
    assert {name: float(value) for name, value in found} == dict(DOCUMENTED)
