# SPDX-License-Identifier: Apache-2.0
"""testpmd (Debian: dpdk-dev) as a generator outside of the reference NF, over memif."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from shutil import copy2, copytree

import pytest
from nalm_agent.config.generators import GeneratorConfig
from nalm_agent.generators.testpmd import TestpmdGenerator
from nalm_agent.host.cores import Cores
from nalm_agent.measure.request import Request
from nalm_agent.nf.run_plan import eal_options
from nalm_agent.nf.start import NfStart
from nalm_agent.rates.generator_check import check_generator
from nalm_agent.rates.rate_run import measure_under_load
from nalm_agent.report.progress import Silent
from nalm_agent.runtime.errors import GeneratorError
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.trials.trial_nf import Ask, NfRun, TrialNf
from nalm_core.rates.rate_report import Phase
from nalm_core.rates.run_view import rates_of
from nalm_core.rates.trials import NOT_TAKEN_IN, forwarded, losses, taken_in
from nalm_core.report.run_report import Arm, Build, RunDefinition
from nalm_core.report.serialization import dump_report, parse_report
from nalm_core.report.trials.kinds import RunKind

NF = Path(__file__).parents[2] / "reference-nf"
CORES = Cores((0,))
BESIDE = min(os.sched_getaffinity(0))
"""A CPU that nalm gives to no NF of one lcore, on a host with two."""
MEMORY = ["--no-huge", "-m", "256", "--no-pci", "--no-shconf", "--no-telemetry"]


def lab(socket: Path, lcores: str = "0,1", **more: object) -> GeneratorConfig:
    device = f"net_memif0,role=client,socket={socket},socket-abstract=no"
    command = [
        "dpdk-testpmd",
        f"--lcores={lcores}",
        *MEMORY,
        f"--file-prefix=own{os.getpid()}",
        f"--vdev={device}",
    ]
    table = {
        "kind": "testpmd",
        "command": [*command, "--", "-i", "--nb-cores=1", "--total-num-mbufs=8192", "--no-mlockall"],
        "ports": [0],
        "devices": [f"net_memif0,role=server,socket={socket},socket-abstract=no"],
    }
    return GeneratorConfig.model_validate(table | more)


def run_of(tmp_path: Path, generator: TestpmdGenerator) -> NfRun:
    devices = generator.config.eal_devices()
    own = ["--config", str(NF / "conf" / "sfc_a.conf"), "--set", "io.port=eal", "--set", "chain.stages=nop"]
    eal = eal_options(CORES, huge_pages=False, devices=devices)
    return NfRun(
        NfStart([str(NF / "build" / "nalm-nf"), *eal, "--", *own], ready_seconds=60),
        cores=CORES,
        work=WorkDir(tmp_path, tmp_path),
        build=Build(commit="0" * 40, tree="", code_digest="", compiler=""),
        definition=RunDefinition(features=[], command=[], traffic=""),
        generator=generator,
    )


def test_full_load_of_testpmd(tmp_path: Path) -> None:
    generator = TestpmdGenerator("lab", lab(tmp_path / "memif"))
    with TrialNf(run_of(tmp_path, generator), launch=0) as nf:
        trials = [nf.trial(Ask(Phase.MRR, 0.3)) for _ in range(2)]
        nf.finish()
    for trial in trials:
        taken, traffic = taken_in(trial, nf.info), trial.traffic
        print(trial.invalid, traffic, taken, losses(trial, nf.info))
        assert trial.outside
        assert taken > 10_000
        assert taken <= traffic.sent
        assert traffic.queue_full is not None
        assert forwarded(trial, nf.info) <= taken
        assert traffic.received is not None and traffic.received <= forwarded(trial, nf.info)
        assert traffic.sending_ns == pytest.approx(0.3e9, rel=0.5)
        lost = {one.cause: one.packets for one in losses(trial, nf.info)}
        assert lost.get(NOT_TAKEN_IN, 0) == traffic.sent - taken


def test_a_job_of_rates(tmp_path: Path) -> None:
    """Of two equal builds: one launch of each after the other, since the far end serves one NF at a time."""
    repository = committed(tmp_path)
    home_path = tmp_path / "home"
    home_path.mkdir()
    home = Home(home_path)
    with home.work() as work:
        one = Repository(repository, work.fresh("git"))
        head = one.resolve("HEAD")
        request = Request(one, head, head, "sfc_a", force=True)
        report = measure_under_load(request, RunKind.RATE, home, work, Silent())
    assert report.rates is not None, report.failure
    assert report.rates.load is None
    assert report.rates.generator.startswith("lab (testpmd")
    order = [(one.trial.launch, one.arm) for one in report.rates.trials]
    base, head_arm = (Arm.BASE,) * 2, (Arm.HEAD,) * 2
    assert [arm for _, arm in order] == [*base, *head_arm, *head_arm, *base]
    assert all(one.trial.outside for one in report.rates.trials)
    assert all(one.trial.lcores[0].packets > 10_000 for one in report.rates.trials)
    (rate,) = report.own_metrics
    slow = "the generator is the bottleneck"
    assert rate.name == "mrr_pps" and (rate.values or slow in rate.missing[Arm.HEAD])
    assert "generator_checked" in {one.name for one in report.checks}
    assert parse_report(dump_report(report)) == report
    shown = rates_of(report)
    assert shown is not None and shown.load is None


def committed(tmp_path: Path) -> Path:
    """A repository whose build copies the reference NF, with testpmd as the generator of jobs."""
    nf, made = tmp_path / "nf", lab(tmp_path / "memif", lcores=f"0@{BESIDE},1@{BESIDE}")
    nf.mkdir()
    copy2(NF / "build" / "nalm-nf", nf)
    copytree(NF / "conf", nf / "conf")
    text = f"""
version = 1
project = {{ name = "outside" }}
[build]
commands = [["cp", "{{source}}/nalm-nf", "{{build}}/nalm-nf"]]
artifacts = ["nalm-nf"]
[run]
command = [
    "{{build}}/nalm-nf", "{{eal}}", "--",
    "--config", "{{source}}/conf/sfc_a.conf", "--set", "chain.stages={{features}}",
]
ready_seconds = 60
[rates]
generator = "lab"
modes = ["mrr"]
launches = 2
trial_s = 0.3
[generator.lab]
kind = "testpmd"
command = {json.dumps(made.command)}
ports = [0]
devices = {json.dumps(made.devices)}
arguments = ["--set", "io.port=eal"]
[scenarios.sfc_a]
features = ["nat", "dpi", "l3fwd"]
lcores = 1
"""
    (nf / "nalm.toml").write_text(text)
    git = ["git", "-C", str(nf), "-c", "user.name=test", "-c", "user.email=test@example.org"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "reference NF"]):
        subprocess.run([*git, *command], check=True)
    return nf


def test_testpmd_is_checked(tmp_path: Path) -> None:
    generator = TestpmdGenerator("lab", lab(tmp_path / "memif", frames={"128": 1}))
    found = check_generator(run_of(tmp_path, generator), Silent())
    print(found)
    assert [one.pps for one in found.rates] == [None]
    assert found.trusted_pps == found.rates[0].sent_pps > 0


def test_a_port_that_testpmd_does_not_have(tmp_path: Path) -> None:
    generator = TestpmdGenerator("lab", lab(tmp_path / "memif", ports=[7]))
    with pytest.raises(GeneratorError) as caught, TrialNf(run_of(tmp_path, generator), launch=0) as nf:
        nf.trial(Ask(Phase.MRR, 0.1))
    print(caught.value.full_text())
    assert "lab" in caught.value.message


def test_a_far_end_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nalm_agent.generators.testpmd.LINK_S", 0.5)
    generator = TestpmdGenerator("lab", lab(tmp_path / "nowhere"))
    with pytest.raises(GeneratorError, match="port 0 of testpmd has no link"):
        generator.connect()
    generator.close()
