# SPDX-License-Identifier: Apache-2.0
"""Replays report within seconds lost, kept and no longer forwarded packets; harmless changes pass."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from nalm_agent.measure.replay import replay_arms
from nalm_agent.measure.rounds import ArmFailedError, ArmRun
from nalm_agent.nf.launch import RunningNf, SlowTurnError
from nalm_agent.nf.start import NfStart
from nalm_agent.store.home import WorkDir
from nalm_core.report.run_report import Arm, ArmInfo, Build, RunDefinition, RunReport, StageInfo
from nalm_core.report.serialization import parse_report
from nalm_core.verdict.checks import checks_of
from nalm_core.verdict.packet_outcomes import outcome_changes
from nalm_core.verdict.verdict import judge
from tiers import by_night
from tiny import FEW_LAUNCHES, NALM_TOML, Nalm, NfRepository, build_tiny

PACKETS = 40_960


def run(arm: Arm, command: list[str]) -> ArmRun:
    return ArmRun(arm, NfStart(command, ready_seconds=60))


def info(stages: list[StageInfo]) -> ArmInfo:
    build = Build(commit="0" * 40, tree="t", code_digest="c", compiler="gcc")
    return ArmInfo(build=build, run=RunDefinition(features=[], command=[], traffic="t"), stages=stages)


def stages_of(command: list[str], work: WorkDir) -> list[StageInfo]:
    with RunningNf(NfStart(command, ready_seconds=60), work, seed=0) as nf:
        nf.wait_ready()
        return nf.stages


def lost(tiny_nf: list[str], folder: Path, work: WorkDir, work_h: str) -> list[str]:
    """Returns the lost outcomes that are reported for a head with this work.h against the plain NF."""
    folder.mkdir(exist_ok=True)
    head = build_tiny(folder, work_h)
    arms = {arm: info(stages_of(tiny_nf, work)) for arm in (Arm.BASE, Arm.HEAD)}
    runs = {Arm.BASE: run(Arm.BASE, tiny_nf), Arm.HEAD: run(Arm.HEAD, head)}
    replays = [one.replay for one in replay_arms(runs, arms, work, PACKETS)]
    return [one.text() for one in outcome_changes(arms, replays, []) if one.lost]


@pytest.mark.parametrize(
    ("work_h", "said"),
    [
        ("#define DROP_ONE_BATCH_IN 312\n", "tx: 4 of 40,960 packets `full` on head, 0 on base"),
        *by_night(("#define DROP_ONE_BATCH_IN 12\n", "tx: 106 of 40,960 packets `full` on head, 0 on base")),
        ("#define FORGET_ONE_BATCH_IN 12\n", "tx: 106 of 40,960 packets without an outcome on head"),
    ],
)
def test_planted_losses_are_counted(
    tiny_nf: list[str], tmp_path: Path, work: WorkDir, *, work_h: str, said: str
) -> None:
    (found,) = lost(tiny_nf, tmp_path / "head", work, work_h)
    assert found.startswith(said)


@pytest.mark.parametrize(
    "work_h", ["#define TABLE 64\n#define LEAK\n", *by_night("", "#define ALPHA_WORK 80\n")]
)
def test_what_forwards_as_base_does_loses_nothing(
    tiny_nf: list[str], tmp_path: Path, work: WorkDir, work_h: str
) -> None:
    assert lost(tiny_nf, tmp_path / "head", work, work_h) == []


def test_an_nf_that_drops_by_chance_is_not_distinguished_from_itself(tmp_path: Path, work: WorkDir) -> None:
    command = build_tiny(tmp_path, "#define DROP_BY_CHANCE 97\n")
    arms = {arm: info(stages_of(command, work)) for arm in (Arm.BASE, Arm.HEAD)}
    runs = {arm: run(arm, command) for arm in arms}
    replays = [one.replay for one in replay_arms(runs, arms, work, PACKETS)]
    assert {one.stages["tx"].outcomes["full"] for one in replays} != {0}
    assert not any(one.lost for one in outcome_changes(arms, replays, []))


def test_an_nf_that_stops_forwarding_is_reported_within_seconds(tmp_path: Path, work: WorkDir) -> None:
    command = build_tiny(tmp_path, "#define STOP_AFTER 15000\n")
    begin = time.monotonic()
    with pytest.raises(
        ArmFailedError, match=r"did not end turn 2: it stopped after .* held 32 packet buffers"
    ):
        replay_arms({Arm.HEAD: run(Arm.HEAD, command)}, {}, work, PACKETS)
    assert time.monotonic() - begin < 60


def test_a_slow_nf_is_no_broken_one(tiny_nf: list[str], work: WorkDir) -> None:
    with RunningNf(NfStart(tiny_nf, ready_seconds=60), work, seed=0) as nf:
        nf.wait_ready()
        with pytest.raises(SlowTurnError, match="continued forwarding"):
            nf.turn(packets=2**40, limit_seconds=0.5)


UNDECIDED = 3
"""What a busy host may end with; nothing here is about cycles."""


def measured(nf_repository: NfRepository, nalm: Nalm, to: Path, *, code: int) -> RunReport:
    done = nalm.run("check", "--json", str(to), cwd=nf_repository.path)
    assert done.returncode in ((code, UNDECIDED) if code == 0 else (code,)), done.stdout + done.stderr
    return parse_report(to.read_bytes())


def test_a_leak_ends_the_run(nf_repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    nf_repository.write("work.h", "#define LEAK_ONE_BATCH_IN 200\n")
    report = measured(nf_repository, nalm, tmp_path / "run.json", code=4)
    assert (
        len({one.launch for one in report.rounds}) < 8
    )  # the first, unless a busy host leaves it few packets
    (check,) = [one for one in report.checks if not one.passed]
    assert check.name == "buffers_returned" and "the stage that holds them is unknown" in check.message
    assert [look.arm for look in report.buffer_looks] == [Arm.HEAD]


def test_a_fast_leak_is_reported_before_anything_is_timed(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    nf_repository.write("work.h", "#define LEAK\n")
    report = measured(nf_repository, nalm, tmp_path / "run.json", code=4)
    assert report.rounds == [] and report.instructions == []
    (check,) = [one for one in report.checks if not one.passed]
    assert check.name == "buffers_returned" and "main" in check.message.partition("changed functions: ")[2]


@pytest.mark.nightly
def test_a_store_that_fills_up_to_its_bound_is_no_leak(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    nf_repository.write("work.h", "#define FILL_TO 1500\n")
    # its division moves the loops of other stages, which may cost them a quarter
    nf_repository.write("nalm.toml", NALM_TOML.replace("margin = 0.1", "margin = 0.9"))
    report = measured(nf_repository, nalm, tmp_path / "run.json", code=0)
    assert {one.name: one.passed for one in checks_of(report)}["buffers_returned"]
    assert judge(report).outcome != "broken"


def test_a_declared_loss_is_named_and_the_cycles_are_judged(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    nf_repository.write("work.h", "#define DROP_ONE_BATCH_IN 12\n")
    nf_repository.commit(
        "tx: smaller queue\n\nNalm-Expect: tiny tx:full +0.3% a smaller queue", nalm__toml=FEW_LAUNCHES
    )
    report = measured(nf_repository, nalm, tmp_path / "run.json", code=0)
    verdict = judge(report)
    assert "`full` on head, 0 on base (expected: a smaller queue)" in verdict.reason
    assert report.rounds and report.instructions
    nf_repository.git("commit", "--amend", "-q", "-m", "tx: smaller queue")
    report = measured(nf_repository, nalm, tmp_path / "run.json", code=4)
    assert report.rounds == [] and "packets that base forwards are lost" in judge(report).reason
