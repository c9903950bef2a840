# SPDX-License-Identifier: Apache-2.0
"""testpmd (Debian: dpdk-dev) as a generator outside of the reference NF, over memif."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from nalm_agent.config.generators import GeneratorConfig
from nalm_agent.generators.testpmd import TestpmdGenerator
from nalm_agent.host.cores import Cores
from nalm_agent.nf.run_plan import eal_options
from nalm_agent.rates.generator_check import check_generator
from nalm_agent.report.progress import Silent
from nalm_agent.runtime.errors import GeneratorError
from nalm_agent.store.home import WorkDir
from nalm_agent.trials.trial_nf import Ask, NfRun, TrialNf
from nalm_core.rates.rate_report import Phase
from nalm_core.rates.trials import NOT_TAKEN_IN, forwarded, losses, taken_in
from nalm_core.report.run_report import Build, RunDefinition

NF = Path(__file__).parents[2] / "reference-nf"
CORES = Cores((0,))
MEMORY = ["--no-huge", "-m", "256", "--no-pci", "--no-shconf", "--no-telemetry"]


def lab(socket: Path, **more: object) -> GeneratorConfig:
    device = f"net_memif0,role=client,socket={socket},socket-abstract=no"
    command = ["dpdk-testpmd", "--lcores=0,1", *MEMORY, f"--file-prefix=own{os.getpid()}", f"--vdev={device}"]
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
    return NfRun(
        command=[
            str(NF / "build" / "nalm-nf"), *eal_options(CORES, huge_pages=False, devices=devices), "--", *own,
        ],
        cores=CORES,
        work=WorkDir(tmp_path, tmp_path),
        lcores=1,
        ready_seconds=60,
        pin=(),
        urgent=False,
        build=Build(commit="0" * 40, tree="", code_digest="", compiler=""),
        definition=RunDefinition(features=[], command=[], traffic=""),
        generator=generator,
    )  # fmt: skip


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
