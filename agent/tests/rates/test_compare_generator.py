# SPDX-License-Identifier: Apache-2.0
"""`nalm rate --base --generator`: two builds take turns of a launch, with one generator for both."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import Result
from nalm_agent.runtime.errors import NalmError, UsageError
from nalm_agent.shell.app import app
from nalm_core.rates.comparison_report import RateComparison, RateFigure
from nalm_core.rates.rate_report import Phase, SweepComparison
from nalm_core.report.outcome import Outcome
from nalm_core.report.run_report import Arm
from relayed_trex import relayed_toml
from tiny import RATES_TOML, NfRepository
from trex_server import TrexServer
from typer.testing import CliRunner

LATENCY = "latency_pps = 100\n"
QUICK = ("--duration", "0.05", "--quiet")
BASE, HEAD = Arm.BASE, Arm.HEAD


@pytest.fixture(autouse=True)
def own_home(session_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NALM_HOME", str(session_home))
    monkeypatch.setenv("COLUMNS", "200")


def rate(repository: NfRepository, *arguments: str) -> Result:
    both = ["HEAD", "--base", "HEAD~1", "--generator", "lab", "--repo", str(repository.path)]
    quick = QUICK if "sweep" in arguments else (*QUICK, "--leave-out", "0")
    return CliRunner().invoke(app, ["rate", *both, *quick, *arguments])


def compared(repository: NfRepository, out: Path, *arguments: str) -> tuple[int, RateComparison, str]:
    done = rate(repository, "--json", str(out), *arguments)
    assert isinstance(done.exception, SystemExit | None), done.exception
    return done.exit_code, RateComparison.model_validate_json(out.read_text()), done.output


def two_builds(repository: NfRepository, text: str, old: str = "? 2000", new: str = "? 2001") -> None:
    """Head has the generator's table, and base has none."""
    repository.commit("base", nalm__toml=text[: text.index("[generator.lab]")])
    program = (repository.path / "traffic_nf.c").read_text()
    assert old in program
    repository.commit("head", nalm__toml=text, traffic_nf__c=program.replace(old, new))


@pytest.mark.timed
def test_builds_take_turns_of_a_launch_with_one_generator_that_is_checked_and_named(
    traffic_repository: NfRepository, relayed: Path, tmp_path: Path
) -> None:
    with TrexServer() as server:
        two_builds(traffic_repository, relayed_toml(relayed, server.port, LATENCY))
        code, report, said = compared(
            traffic_repository, tmp_path / "out.json", "--launches", "3", "--pps", "20000"
        )
    turns = [BASE, HEAD, HEAD, BASE, BASE, HEAD]
    assert [one.arm for one in report.trials] == [arm for arm in turns for _ in range(4)]
    assert [one.pair for one in report.trials] == [*range(4)] * 6
    assert [one.trial.launch for one in report.trials] == [launch for launch in range(3) for _ in range(8)]
    assert all(one.trial.outside and one.trial.long_calls is not None for one in report.trials)
    assert report.generator.text == "lab (trex v3.06)" and "generator lab (trex v3.06)" in said
    assert [one.passed for one in report.checks[BASE] if one.name == "generator_checked"] == [True]
    assert (server.methods().count("acquire"), server.methods().count("release")) == (2, 2)
    assert report.verdict is not None and report.verdict.outcome is Outcome.INCONCLUSIVE and code == 3
    (load,) = report.verdict.loads
    assert load.of == 12
    measured = {one.figure for one in load.figures if one.launches}
    assert measured == set(RateFigure) - {RateFigure.JITTER_P99}


@pytest.mark.nightly
@pytest.mark.timed
def test_losses_are_found_by_a_generator_without_latency(
    traffic_repository: NfRepository, relayed: Path, tmp_path: Path
) -> None:
    """The load is a share of base's NDR, by a search with this generator."""
    limited = 'arguments = ["--capacity", "100000"]\n'
    with TrexServer() as server:
        text = relayed_toml(relayed, server.port, limited)
        capacity = "strtoull(value, NULL, 10)"
        two_builds(traffic_repository, text, capacity, f"{capacity} * 40 / 100")
        code, report, said = compared(traffic_repository, tmp_path / "out.json", "--launches", "8")
    assert report.ndr is not None and report.ndr.lower_pps is not None
    assert [one.pps for one in report.loads] == [round(report.ndr.lower_pps / 2)]
    assert report.verdict is not None and report.verdict.outcome is Outcome.REGRESSED, said
    assert code == 1
    (load,) = report.verdict.loads
    assert [one.figure for one in load.figures if one.launches] == [RateFigure.LOSS]
    assert [one.cause for one in load.losses[HEAD]] == ["work.full"]
    assert "not measured: latency p50" in said


@pytest.mark.nightly
@pytest.mark.timed
def test_a_sweep_of_both(traffic_repository: NfRepository, relayed: Path, tmp_path: Path) -> None:
    limited = 'arguments = ["--capacity", "100000"]\n'
    out = tmp_path / "sweeps.json"
    with TrexServer() as server:
        two_builds(traffic_repository, relayed_toml(relayed, server.port, limited))
        done = rate(
            traffic_repository, "--mode", "sweep", "--shares", "20,40", "--launches", "2", "--width", "0.1",
            "--json", str(out),
        )  # fmt: skip
    assert isinstance(done.exception, SystemExit | None), done.exception
    both = SweepComparison.model_validate_json(out.read_text())
    for report in (both.base, both.head):
        assert report.generator.text == "lab (trex v3.06)", report.failure
        swept = [one for one in report.trials if one.phase is Phase.SWEEP]
        assert [one.launch for one in swept] == [0, 0, 1, 1] and all(one.outside for one in swept)
    assert "generator_checked" in {one.name for one in both.base.checks}
    assert (server.methods().count("acquire"), server.methods().count("release")) == (2, 2)


@pytest.mark.nightly
def test_one_that_contradicts_the_nf_is_refused(
    traffic_repository: NfRepository, relayed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.json"
    with TrexServer() as server:
        two_builds(traffic_repository, relayed_toml(relayed, server.port, 'arguments = ["--lie"]\n'))
        error = rate(traffic_repository, "--pps", "20000", "--json", str(out)).exception
    assert isinstance(error, NalmError) and "generator lab is not trusted: " in error.message
    assert not out.exists() and server.methods().count("release") == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "sends at its greatest rate only, and --base needs other rates"),
        (["--mode", "sweep"], "sends at its greatest rate only, and --mode sweep needs other rates"),
    ],
)
def test_one_that_cannot_keep_a_rate_is_refused_before_the_build(
    traffic_repository: NfRepository, options: list[str], message: str
) -> None:
    lab = '[generator.lab]\nkind = "testpmd"\ncommand = ["dpdk-testpmd", "--", "-i"]\nports = [0]\n'
    traffic_repository.commit("base", nalm__toml=RATES_TOML, traffic_nf__c="int main(void) { return }\n")
    traffic_repository.commit("lab", nalm__toml=RATES_TOML + lab)
    error = rate(traffic_repository, *options).exception
    assert isinstance(error, UsageError) and message in error.message
    assert "docs/generators.md" in (error.hint or "")
