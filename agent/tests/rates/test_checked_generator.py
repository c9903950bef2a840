# SPDX-License-Identifier: Apache-2.0
"""The check of a generator, on a real NF whose generator is right, or wrong."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from nalm_agent.host.cores import Cores
from nalm_agent.rates.generator_check import check_generator
from nalm_agent.report.progress import Silent
from nalm_agent.store.home import WorkDir
from nalm_agent.trials.trial_nf import NfRun
from nalm_core.rates.generator_check import OfferOutcome
from nalm_core.report.run_report import Build, RunDefinition
from tiny import PROBE_HEADER, TRAFFIC_NF, Nalm, NfRepository

pytestmark = pytest.mark.timed


def run_of(program: Path, work: WorkDir, *options: str) -> NfRun:
    return NfRun(
        command=[str(program), *options],
        cores=Cores((0,)),
        work=work,
        lcores=1,
        ready_seconds=10,
        pin=(),
        urgent=False,
        build=Build(commit="a" * 40, tree="t", code_digest="c", compiler="gcc"),
        definition=RunDefinition(features=[], command=["nf"], traffic="made"),
    )


@pytest.fixture(scope="module")
def traffic_nf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("traffic") / "traffic_nf"
    subprocess.run(
        ["gcc", "-O2", f"-I{PROBE_HEADER.parent}", str(TRAFFIC_NF), "-o", str(program)], check=True
    )
    return program


def test_a_right_generator_is_trusted(traffic_nf: Path, work: WorkDir) -> None:
    found = check_generator(run_of(traffic_nf, work), Silent(), shares=(0.01, 0.05))
    assert [one.pps is None for one in found.rates] == [True, False, False]
    offered = [one for one in found.rates if one.outcome is OfferOutcome.OFFERED and one.pps is not None]
    assert found.trusted_pps is not None, found
    assert all(one.sent == pytest.approx(one.due, rel=0.01, abs=256) for one in offered)


def test_a_lying_generator_is_not(traffic_nf: Path, work: WorkDir) -> None:
    found = check_generator(run_of(traffic_nf, work, "--lie"), Silent(), shares=(0.01,))
    assert found.trusted_pps is None
    assert "packets sent, the NF took in" in (found.reason or "")


def test_the_command_shows_a_table_of_rates(traffic_repository: NfRepository, nalm: Nalm) -> None:
    done = nalm.run("doctor", "--generator", "inside", cwd=traffic_repository.path)
    assert done.returncode == 0, done.stderr
    assert "NF waited" in done.stdout and "full (" in done.stdout
    assert "generator inside offers what it is asked for, within 1 %, up to" in " ".join(done.stdout.split())


def test_the_command_as_json(traffic_repository: NfRepository, nalm: Nalm) -> None:
    done = nalm.run("doctor", "--generator", "inside", "--json", cwd=traffic_repository.path)
    (one,) = json.loads(done.stdout)
    assert one["name"] == "generator inside"
    assert one["figures"]["trusted_pps"] > 0
    shares = [value for name, value in one["figures"].items() if name.startswith("sent_of_due_at_")]
    assert len(shares) == 7 and min(shares) > 0


def test_an_unknown_generator_is_named(traffic_repository: NfRepository, nalm: Nalm) -> None:
    done = nalm.run("doctor", "--generator", "lab", cwd=traffic_repository.path)
    assert done.returncode == 2
    assert "there is no generator 'lab'; there is: inside" in done.stderr
