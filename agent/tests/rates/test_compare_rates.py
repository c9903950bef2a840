# SPDX-License-Identifier: Apache-2.0
"""Two builds of a real NF side by side at one load."""

from __future__ import annotations

from pathlib import Path

import pytest
from nalm_agent.rates import compare_rates
from nalm_agent.rates.compare_rates import ComparisonPlan
from nalm_agent.rates.no_drop_rate import search_settings
from nalm_agent.runtime.errors import UsageError
from nalm_agent.shell.app import app
from nalm_core.rates.comparison_report import RateComparison, RateFigure
from nalm_core.rates.rate_change import judge_comparison
from nalm_core.rates.rate_report import RateSettings
from nalm_core.report.outcome import Outcome
from nalm_core.report.run_report import Arm
from tiny import Nalm, NfRepository
from typer.testing import CliRunner

QUICK = ("--duration", "0.05", "--leave-out", "0", "--launches", "11", "--pps", "50000", "--quiet")


def compared(
    nalm: Nalm, repository: NfRepository, out: Path, *options: str
) -> tuple[int, RateComparison, str]:
    done = nalm.run(
        "rate", "HEAD", "--base", "HEAD~1", *QUICK, *options, "--json", str(out), cwd=repository.path
    )
    assert out.exists(), done.stderr
    return done.returncode, RateComparison.model_validate_json(out.read_text()), done.stdout


def changed(repository: NfRepository, old: str, new: str) -> None:
    program = repository.path / "traffic_nf.c"
    text = program.read_text()
    assert old in text
    repository.commit("change", traffic_nf__c=text.replace(old, new))


@pytest.mark.nightly
def test_equal_code_is_the_same(traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    traffic_repository.commit("nothing", notes="read me\n")
    code, report, text = compared(nalm, traffic_repository, tmp_path / "out.json")
    assert (code, judge_comparison(report).outcome) == (0, Outcome.SAME), text
    assert "same" in text and "latency p99.9" in text
    assert "not measured: jitter p99" in text  # this generator does not measure it
    assert [(one.pps, one.share) for one in report.loads] == [(50_000, None)]


LOSES = ("strtoull(value, NULL, 10)", "strtoull(value, NULL, 10) * 48 / 100")
"""A head that carries 48,000 packets a second."""


def test_arms_take_turns_in_swapped_order_and_losses_have_a_cause(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    changed(traffic_repository, *LOSES)
    code, report, text = compared(
        nalm, traffic_repository, tmp_path / "out.json", "--launches", "2", "--margin", "20"
    )
    assert report.settings.margin == 0.2
    order = [(one.trial.launch, one.pair, one.arm) for one in report.trials[:4] + report.trials[8:12]]
    base, head = Arm.BASE, Arm.HEAD
    assert order == [
        (0, 0, base), (0, 0, head), (0, 1, head), (0, 1, base),
        (1, 0, head), (1, 0, base), (1, 1, base), (1, 1, head),
    ]  # fmt: skip
    assert all(one.trial.long_calls is not None for one in report.trials)
    assert report.verdict == judge_comparison(report)
    (load,) = report.verdict.loads
    assert [one.cause for one in load.losses[Arm.HEAD]] == ["work.full"]
    assert "lost (head): work.full" in text
    assert code == 3 and "a change can be shown from" in " ".join(text.split())


STALL = """	static uint64_t stall_at;
	if (nalm_tsc() > stall_at) {
		uint64_t end = nalm_tsc() + hz / 50000;
		while (nalm_tsc() < end)
			;
		stall_at = nalm_tsc() + hz / 1000;
	}
"""
"""20 us in each millisecond."""
MARKS_TX = "\tnalm_probe_mark(lc, TX, kept);\n"


@pytest.mark.nightly
@pytest.mark.timed
def test_a_slower_hundredth_of_the_packets_is_found_at_p99_alone_and_at_its_stage(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    """The NF makes up the times of packets, so that the right result is known; its long calls are real."""
    text = (traffic_repository.path / "traffic_nf.c").read_text()
    for old, new in (
        ("number % 100 == 99 ? 2000", "number % 50 == 49 ? 8000"),
        ("5 * 32 + 2000 / 32", "7 * 32 + 8000 / 128"),
        (MARKS_TX, STALL + MARKS_TX),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    traffic_repository.commit("change", traffic_nf__c=text)
    code, report, said = compared(nalm, traffic_repository, tmp_path / "out.json")
    verdict = judge_comparison(report)
    assert (code, verdict.outcome) == (1, Outcome.REGRESSED), said
    (load,) = verdict.loads
    worse = {one.figure: one for one in load.figures if one.outcome is Outcome.REGRESSED}
    assert set(worse) == {RateFigure.LATENCY_P99, RateFigure.LATENCY_P99_9}
    assert [one.name for one in worse[RateFigure.LATENCY_P99].stages] == ["tx"], said
    assert report.verdict == verdict
    assert ": regressed in tx" in said and "latency p99 regressed in tx: calls of at least" in said


@pytest.mark.nightly
def test_a_head_that_drops_packets_is_found_with_the_cause(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    changed(traffic_repository, *LOSES)
    code, report, text = compared(nalm, traffic_repository, tmp_path / "out.json")
    assert code == 1, text
    (load,) = judge_comparison(report).loads
    assert [one.figure for one in load.figures if one.outcome is Outcome.REGRESSED] == [RateFigure.LOSS]
    assert [one.cause for one in load.losses[Arm.HEAD]] == ["work.full"]
    assert "lost (head): work.full" in text


def test_a_head_that_does_not_build_is_broken(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    traffic_repository.commit("broken", traffic_nf__c="int main(void) { return }\n")
    code, report, text = compared(nalm, traffic_repository, tmp_path / "out.json")
    assert (code, judge_comparison(report).outcome) == (4, Outcome.BROKEN)
    assert "head: " in text


def test_the_load_is_a_share_of_the_rate_of_base(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    traffic_repository.commit("nothing", notes="read me\n")
    out = tmp_path / "out.json"
    done = nalm.run(
        "rate", "--base", "HEAD~1", "--shares", "20,40", "--duration", "0.05", "--leave-out", "0",
        "--launches", "1", "--quiet", "--json", str(out), cwd=traffic_repository.path,
    )  # fmt: skip
    if not out.exists():  # a host too busy for a search says so
        assert "found no NDR" in done.stderr
        return
    report = RateComparison.model_validate_json(out.read_text())
    assert report.ndr is not None and report.ndr.lower_pps is not None
    assert [one.share for one in report.loads] == [0.2, 0.4]
    assert [one.pps for one in report.loads] == [round(report.ndr.lower_pps * s) for s in (0.2, 0.4)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--base", "HEAD", "--mode", "ndr"], "--base compares latency and loss, or sweeps, not --mode ndr"),
        (["--pps", "1000"], "--pps needs --base"),
        (["--margin", "20"], "--margin needs --base"),
        (["--branch", "release/1"], "--branch needs --base"),
        (["--base", "HEAD", "--pps", "1000", "--shares", "20"], "--pps and --shares exclude each other"),
        (["--base", "HEAD", "--pps", "1000", "--limit", "30"], "--pps and --limit exclude each other"),
        (["--base", "HEAD", "--pdr-loss", "0.01"], "--pdr-loss changes nothing with --base"),
        (["--mode", "mrr", "--width", "0.1"], "--width changes nothing with --mode mrr"),
        (["--mode", "sweep", "--leave-out", "2"], "--leave-out changes nothing with --mode sweep"),
        (["--mode", "ndr", "--shares", "20"], "--shares changes nothing with --mode ndr"),
    ],
)
def test_options_that_do_not_go_together(options: list[str], message: str) -> None:
    found = CliRunner().invoke(app, ["rate", *options]).exception
    assert isinstance(found, UsageError)
    assert message in found.message
    assert found.hint


def test_a_margin_is_in_per_cent_as_that_of_a_check() -> None:
    """Half a per cent is less than the resolution of a percentile: 0.2, meant as 20 %, is refused."""
    done = CliRunner().invoke(app, ["rate", "--base", "HEAD", "--margin", "0.2"])
    assert done.exit_code == 2
    assert "expected at least 1" in done.output


def test_the_search_has_the_width_and_the_time_that_are_given(
    traffic_repository: NfRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[RateSettings] = []

    def searched(plan: ComparisonPlan, *_: object) -> RateComparison:
        found.append(search_settings(plan.settings.trial_s, plan.width, plan.search_s))
        raise UsageError("not measured")

    monkeypatch.setattr(compare_rates, "compare_rates", searched)
    monkeypatch.setenv("NALM_HOME", str(tmp_path / "home"))
    command = ["rate", "HEAD", "--base", "HEAD", "--repo", str(traffic_repository.path)]
    for options in ([], ["--width", "0.005", "--limit", "30"]):
        CliRunner().invoke(app, [*command, *options])
    assert [(one.width, one.search_s) for one in found] == [(0.05, 600), (0.005, 30)]


def test_other_traffic_is_refused(traffic_repository: NfRepository, nalm: Nalm) -> None:
    toml = (traffic_repository.path / "nalm.toml").read_text()
    traffic_repository.commit("other", nalm__toml=toml + "# the traffic of this NF is this file\n")
    done = nalm.run("rate", "HEAD", "--base", "HEAD~1", *QUICK, cwd=traffic_repository.path)
    assert done.returncode == 2
    assert "scenario made has other traffic in" in done.stderr
    assert "choose a base with the same traffic" in done.stderr
