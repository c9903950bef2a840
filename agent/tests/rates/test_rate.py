# SPDX-License-Identifier: Apache-2.0
"""`nalm rate` as a complete command, on a real NF of known capacity."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from nalm_agent.runtime.errors import UsageError
from nalm_agent.shell.app import app
from nalm_core.rates.rate_report import Ended, RateReport
from nalm_core.rates.rate_result import RateVerdict, judge_rates
from tiny import Nalm, NfRepository
from typer.testing import CliRunner

pytestmark = pytest.mark.timed

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
