# SPDX-License-Identifier: Apache-2.0
"""`nalm rate --preset` with a real NF of known latency in each direction."""

from __future__ import annotations

from pathlib import Path

import pytest
from nalm_agent.config.nalm_toml import parse
from nalm_agent.runtime.errors import ConfigError, UsageError
from nalm_agent.shell.app import app
from nalm_core.rates.vcpe import LOADS, VcpeReport, judge_vcpe
from tiny import RATES_TOML, Nalm, NfRepository
from typer.testing import CliRunner

VCPE = RATES_TOML.replace('["--capacity", "100000"]', '[]\nvcpe = ["--frame", "{frame}"]')
SHORT = ("rate", "--preset", "vcpe", "--duration", "0.3", "--leave-out", "0")


def test_four_loads_in_both_directions(traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    traffic_repository.write("nalm.toml", VCPE)
    out = tmp_path / "vcpe.json"
    done = nalm.run(*SHORT, "--json", str(out), cwd=traffic_repository.path)
    assert done.returncode in (0, 3), done.stderr
    report = VcpeReport.model_validate_json(out.read_text())
    assert [(one.frame, one.pps) for one in report.loads] == [(one.frame, one.pps) for one in LOADS]
    assert (report.seconds, report.leave_out_s) == (0.3, 0)
    tick_ns = 1e9 / report.host.tsc_hz
    for load in report.loads:
        assert {one.intended_pps for one in load.trials} == {2 * load.pps}
        both = load.trials[0].directions
        assert both["outbound"].latency.max_ns == pytest.approx(1000 * tick_ns, rel=0.01)
    for figure in judge_vcpe(report).loads:
        assert figure.latency is not None, "the packets to clients took longer"
        assert figure.latency.max_ns == pytest.approx(2000 * tick_ns, rel=0.01)
    assert "not the 300 s of vcpe" in " ".join(done.stdout.split())


def test_an_nf_whose_frames_nobody_named(traffic_repository: NfRepository, nalm: Nalm) -> None:
    done = nalm.run(*SHORT, cwd=traffic_repository.path)
    assert done.returncode == 2 and "[rates] vcpe" in done.stderr


def test_a_preset_leaves_no_room_for_a_modes_options() -> None:
    found = CliRunner().invoke(app, ["rate", "--preset", "vcpe", "--shares", "10"]).exception
    assert isinstance(found, UsageError) and "--shares exclude each other" in found.message


@pytest.mark.parametrize(
    ("arguments", "said"), [('["--set", "x"]', "no argument contains"), ('["{frame}{other}"]', "{other}")]
)
def test_arguments_of_the_procedure_are_checked(arguments: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(VCPE.replace('["--frame", "{frame}"]', arguments))
    assert said in caught.value.full_text()
