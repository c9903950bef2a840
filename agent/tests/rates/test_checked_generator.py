# SPDX-License-Identifier: Apache-2.0
"""The check of a generator, on a real NF whose generator is right, or wrong."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from nalm_agent.host.cores import Cores
from nalm_agent.nf.start import NfStart
from nalm_agent.rates.generator_check import check_generator
from nalm_agent.rates.rate import search_loads
from nalm_agent.report.progress import Silent
from nalm_agent.store.home import WorkDir
from nalm_agent.trials.search import Loads
from nalm_agent.trials.trial_nf import NfRun
from nalm_core.rates.generator_check import OfferOutcome
from nalm_core.report.run_report import Build, RunDefinition
from tiny import PROBE_HEADER, RATES_TOML, TRAFFIC_NF, Nalm, NfRepository
from trex_server import TrexServer


def run_of(program: Path, work: WorkDir, *options: str) -> NfRun:
    return NfRun(
        NfStart([str(program), *options], ready_seconds=60),
        cores=Cores((0,)),
        work=work,
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


@pytest.mark.timed
def test_a_right_generator_is_trusted(traffic_nf: Path, work: WorkDir) -> None:
    found = check_generator(run_of(traffic_nf, work), Silent(), shares=(0.01, 0.05))
    assert [one.pps is None for one in found.rates] == [True, False, False]
    offered = [one for one in found.rates if one.outcome is OfferOutcome.OFFERED and one.pps is not None]
    assert found.trusted_pps is not None, found
    assert all(one.sent == pytest.approx(one.due, rel=0.01, abs=256) for one in offered)


@pytest.mark.timed
def test_a_lying_generator_is_not(traffic_nf: Path, work: WorkDir) -> None:
    found = check_generator(run_of(traffic_nf, work, "--lie"), Silent(), shares=(0.01,))
    assert found.trusted_pps is None
    assert "packets sent, the NF took in" in (found.reason or "")


@pytest.mark.timed
def test_the_command_shows_a_table_of_rates(traffic_repository: NfRepository, nalm: Nalm) -> None:
    done = nalm.run("doctor", "--generator", "inside", cwd=traffic_repository.path)
    assert done.returncode == 0, done.stderr
    assert "NF waited" in done.stdout and "full (" in done.stdout
    assert "generator inside offers what it is asked for, within 1 %, up to" in " ".join(done.stdout.split())


@pytest.mark.nightly
@pytest.mark.timed
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
    assert "has no generator 'lab'; there are: inside" in done.stderr


@pytest.mark.nightly
@pytest.mark.timed
def test_a_generator_outside_that_contradicts_the_nf_is_refused(
    traffic_repository: NfRepository, nalm: Nalm
) -> None:
    """This NF has packets of its own, which the server did not send."""
    with TrexServer() as server:
        add_lab(traffic_repository, server.port)
        done = nalm.run("rate", "--mode", "mrr", "--generator", "lab", cwd=traffic_repository.path)
    assert done.returncode == 4
    assert "generator lab is not trusted: at full load: it reports" in done.stderr
    assert "nalm doctor --generator lab" in done.stderr
    assert server.methods().count("release") == 1


def test_a_search_ends_below_the_line_of_a_generator_outside() -> None:
    assert search_loads(1_000_000, None).greatest == 1_200_000
    assert search_loads(1_000_000, 2_000_000).greatest == 1_200_000
    assert search_loads(1_000_000, 1_000_000) == Loads(10_000, 990_000)


def test_what_a_generator_cannot_do_is_said_before_anything_runs(
    traffic_repository: NfRepository, nalm: Nalm
) -> None:
    add_lab(traffic_repository, 1)
    for options, said in (
        (["--mode", "latency"], "generator lab (trex) measures no latency, which --mode latency needs"),
        (["--mode", "ndr", "--arrivals", "poisson"], "generator lab has gaps and flows of its own"),
        (["--base", "HEAD", "--mode", "latency"], "measures no latency, which --mode latency needs"),
        (["--base", "HEAD", "--burst", "4"], "generator lab has gaps and flows of its own"),
        (["--preset", "vcpe"], 'cannot send 64 B both ways at once: directions = "both" needs pairs'),
    ):
        done = nalm.run("rate", "--generator", "lab", *options, cwd=traffic_repository.path)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def add_lab(repository: NfRepository, port: int) -> None:
    lab = f'[generator.lab]\nkind = "trex"\nhost = "127.0.0.1"\nport = {port}\nports = [0]\n'
    repository.write("nalm.toml", RATES_TOML + lab)
