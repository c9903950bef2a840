# SPDX-License-Identifier: Apache-2.0
"""`nalm rate` as a complete command, on a real NF of known capacity."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from nalm_agent.runtime.errors import UsageError
from nalm_agent.shell.app import app
from nalm_core.rates.rate_report import Ended, RateReport
from nalm_core.rates.rate_result import RateVerdict, judge_rates
from nalm_core.report.offered_load import LoadShape, Ramp
from tiny import Nalm, NfRepository
from typer.testing import CliRunner

CAPACITY = 100_000


def test_the_command_measures_what_the_nf_carries(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    out = tmp_path / "rates.json"
    done = nalm.run(
        "rate", "HEAD", "--mode", "latency", "--duration", "0.05", "--launches", "1", "--leave-out", "0",
        "--width", "0.05", "--json", str(out), cwd=traffic_repository.path,
    )  # fmt: skip
    assert done.returncode in (0, 3), done.stderr
    report = RateReport.model_validate_json(out.read_text())
    result = judge_rates(report)
    (ndr,) = result.searches
    if ndr.ended is Ended.FOUND:  # a host too busy for it says so
        assert result.verdict is RateVerdict.MEASURED or result.reasons
        assert ndr.lower_pps is not None and ndr.lower_pps <= CAPACITY * 1.03
        assert [one.share for one in result.latency] == [0.1, 0.5, 0.9]
        assert "NDR (loss at most 0.00 %)" in done.stdout
    else:
        assert ndr.reason
    assert result.mrr is None or result.mrr.pps.greatest <= CAPACITY * 1.03


def test_loads_have_bursts_new_flows_and_a_ramp(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    """Options come before the scenario's load, which gives the rest."""
    out = tmp_path / "rates.json"
    toml = (traffic_repository.path / "nalm.toml").read_text()
    load = 'load = { pps = 1e6, arrivals = "poisson", burst = 4 }\n'
    traffic_repository.commit("load", nalm__toml=toml + load)
    done = nalm.run(
        "rate", "HEAD", "--mode", "ndr", "--duration", "0.05", "--width", "0.2", "--burst", "16",
        "--new-flows", "1000", "--ramp", "10:0.5", "--json", str(out), cwd=traffic_repository.path,
    )  # fmt: skip
    assert done.returncode in (0, 3), done.stderr
    report = RateReport.model_validate_json(out.read_text())
    shape = LoadShape(arrivals="poisson", burst=16, new_flows=1000, ramp=Ramp(ms=10, least=0.5))
    assert LoadShape(**{name: getattr(report.settings, name) for name in LoadShape.model_fields}) == shape
    assert "the open loop is as in the scenario's load: poisson gaps, bursts of 16" in done.stderr
    paced = [one for one in report.trials if one.intended_pps is not None]
    assert paced and all(one.shape == shape for one in paced)
    for one in paced:
        assert one.intended_pps is not None and one.traffic.flows_begun is not None
        assert abs(one.traffic.flows_begun - one.traffic.sent * 1000 / one.intended_pps) <= 2


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["rate", "HEAD", "--mode", "mrr"], marks=pytest.mark.nightly),
        pytest.param(["rate", "HEAD", "--mode", "sweep"], marks=pytest.mark.nightly),
        ["soak", "HEAD", "--hours", "0.0001", "--pps", "1000", "--out", "{tmp}/soak.jsonl"],
    ],
)
def test_an_nf_that_is_offered_a_load_is_set_up_before(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path, command: list[str]
) -> None:
    toml = (traffic_repository.path / "nalm.toml").read_text()
    setup = toml.replace("[run]", '[run]\nsetup = ["sh", "-c", "echo no such port; exit 3"]')
    traffic_repository.commit("set up", nalm__toml=setup)
    done = nalm.run(*(one.format(tmp=tmp_path) for one in command), cwd=traffic_repository.path)
    assert done.returncode not in (0, 1, 3), done.stdout
    assert "run.setup ended with exit code 3" in done.stdout + done.stderr
    assert "no such port" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--ramp", "ten"], "--ramp 'ten' is not MS or MS:LEAST"),
        (["--ramp", "10:2"], "--ramp '10:2' is not MS or MS:LEAST"),
        (["--ramp", "300"], "a trial of 1 s has no whole number of ramps of 300 ms"),
        (["--preset", "vcpe", "--burst", "8"], "--preset and --burst exclude each other"),
    ],
)
def test_shapes_that_cannot_be(options: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        CliRunner().invoke(app, ["rate", *options], catch_exceptions=False)


def test_the_json_goes_to_standard_output(traffic_repository: NfRepository, nalm: Nalm) -> None:
    done = nalm.run(
        "rate", "--mode", "mrr", "--duration", "0.05", "--launches", "1", "--json", "-", "--quiet",
        cwd=traffic_repository.path,
    )  # fmt: skip
    document = json.loads(done.stdout)
    assert document["schema"] == "nalm.rate-report/1"
    assert document["generator"] == {"name": "inside", "kind": "inside"}
    assert done.stderr == ""


def test_an_nf_that_does_not_build_is_broken(traffic_repository: NfRepository, nalm: Nalm) -> None:
    traffic_repository.write("traffic_nf.c", "int main(void) { return }\n")
    done = nalm.run("rate", "--mode", "mrr", cwd=traffic_repository.path)
    assert done.returncode == 4
    assert "broken" in done.stdout
    assert "build command failed" in done.stdout


@pytest.mark.parametrize("text", ["10,200", "0", "half", ""])
def test_shares_that_are_none(text: str) -> None:
    found = CliRunner().invoke(app, ["rate", "--shares", text]).exception
    assert isinstance(found, UsageError)
    assert "--shares" in found.message


@pytest.mark.parametrize("command", ["rate", "soak"])
def test_help_has_examples(command: str) -> None:
    assert f"nalm {command} " in CliRunner().invoke(app, [command, "--help"]).output
