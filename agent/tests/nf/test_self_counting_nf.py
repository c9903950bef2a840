# SPDX-License-Identifier: Apache-2.0
"""NFs that count for themselves: asked, stopped and continued; judged as every other."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from nalm_agent.config.nalm_toml import parse
from nalm_agent.doctor import noise
from nalm_agent.host.cores import choose
from nalm_agent.measure.rounds import ArmRun, start_arm
from nalm_agent.nf.polling_thread import Scheduled
from nalm_agent.nf.self_counting_nf import SelfCountingNf, thread_of
from nalm_agent.nf.start import NfStart
from nalm_agent.runtime.errors import ConfigError, NfError
from nalm_agent.self_counting.commands import CounterCommands, counter_commands
from nalm_agent.self_counting.reported import ReportedLcore
from nalm_agent.store.home import Home, WorkDir
from nalm_core.report.counters import cur, packets_by_kind
from nalm_core.report.run_report import Arm, OutcomeKind, Source
from nalm_core.report.serialization import parse_report
from nalm_core.verdict.verdict import judge
from tiny import NF_SOURCE, Nalm, NfRepository
from waiting import until

SOURCE = NF_SOURCE.with_name("own_nf.c")
TOML = """version = 1
[project]
name = "own"
[build]
commands = [["gcc", "-O2", "-g", "-pthread", "-o", "{build}/own_nf", "{source}/own_nf.c"]]
artifacts = ["own_nf"]
[run]
command = ["{build}/own_nf", "ctl", "{cpus}"]
counts = "ovs-pmd-perf"
clear = ["{build}/own_nf", "{run_dir}/ctl", "clear"]
show = ["{build}/own_nf", "{run_dir}/ctl", "show"]
ready_seconds = 10
[scenarios.own]
traffic = "nalm.toml"
[judge]
margin = 0.1
looks = 1
turn_ms = 100
turns_per_launch = 8
max_launches = 5
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    return built(tmp_path_factory.mktemp("own"), 300)


def built(folder: Path, work: int) -> str:
    """work: microseconds for each batch."""
    (folder / "own_work.h").write_text(f"#define WORK {work}\n")
    target = folder / "own_nf"
    subprocess.run(["gcc", "-O2", "-pthread", f"-I{folder}", "-o", target, SOURCE], check=True)
    return str(target)


def requested_of(program: str) -> CounterCommands:
    requested = counter_commands(parse(TOML).run)
    assert requested is not None
    return requested.at({"{build}": str(Path(program).parent)})


def started(program: str, work: WorkDir, ready_seconds: float = 10, lcores: int = 1) -> SelfCountingNf:
    command = [program, "ctl", str(choose(1).cpus[0])]
    return SelfCountingNf(
        NfStart(command, lcores=lcores, ready_seconds=ready_seconds), work, requested_of(program)
    )


def thread_states(pid: int) -> set[str]:
    status = (path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/status"))
    return {re.findall(r"State:\s+(\S)", text)[0] for text in status}


def test_between_its_turns_it_stands_still(program: str, work: WorkDir) -> None:
    with started(program, work) as nf:
        nf.wait_ready()
        assert until(lambda: thread_states(nf.pid) == {"T"})
        turn = nf.counted_turn(100)
        assert until(lambda: thread_states(nf.pid) == {"T"})
        nf.finish()
    (lcore,) = turn.lcores
    assert lcore.turn_wall_ns == pytest.approx(lcore.packets / 32 * 300e3, abs=1e6)  # shown in milliseconds
    assert 0 < lcore.turn_cpu_ns <= lcore.turn_wall_ns
    assert lcore.idle_cycles == 0 and lcore.turn_tsc_cycles is None
    stage = turn.stages["datapath"]
    assert stage.cycles == lcore.busy_cycles > 0 and stage.batches is None
    assert sum(stage.outcomes.values()) == stage.packets == lcore.packets
    assert stage.outcomes["not_sent"] == pytest.approx(stage.packets / 4, abs=3)


def test_a_turn_without_a_batch_is_repeated(work: WorkDir, tmp_path: Path) -> None:
    """As on a host that gives it no CPU for a while: of turns this short, few see the end of a batch."""
    with started(built(tmp_path, 300_000), work) as nf:
        nf.wait_ready()
        (lcore,) = nf.counted_turn(1).lcores
        nf.finish()
    assert lcore.packets > 0


def test_it_gets_the_variables_of_nalm_toml(program: str, work: WorkDir) -> None:
    how = NfStart(
        [program, "ctl", str(choose(1).cpus[0])],
        ready_seconds=60,
        environment={"OWN_STATE": "{run_dir}/state"},
    )
    run = ArmRun(Arm.HEAD, how, counter_commands=requested_of(program))
    with start_arm(run, work, seed=0) as nf:
        nf.wait_ready()
        variables = Path(f"/proc/{nf.pid}/environ").read_text().split("\0")
        nf.finish()
    assert [f"OWN_STATE={one}/state" for one in work.disk.glob("run*")] == [
        one for one in variables if one.startswith("OWN_STATE=")
    ]


def test_the_tenth_worker_is_not_taken_for_the_first() -> None:
    one, ten = (Scheduled(waited, 0, 0, 0, 0) for waited in (1, 10))
    replied = ReportedLcore(0, "vpp_wk_1", 1.0, 0, 0, None)
    assert thread_of(replied, {"vpp_wk_10": ten, "vpp_wk_1": one}) is one
    with pytest.raises(NfError, match="no thread vpp_wk_1 is below"):
        thread_of(replied, {"vpp_wk_10": ten})


def test_one_that_does_not_answer_is_late_with_what_was_commands(program: str, work: WorkDir) -> None:
    said = "did not show figures of 2 lcore"
    with (
        started(program, work, ready_seconds=0.3, lcores=2) as nf,
        pytest.raises(NfError, match=said) as late,
    ):
        nf.wait_ready()
    assert late.value.hint is not None and "last output of the command for its figures" in late.value.hint


def test_one_that_dies_is_reported(program: str, work: WorkDir) -> None:
    with started(program, work) as nf:
        nf.wait_ready()
        nf._process.send_signal(signal.SIGKILL)
        nf._process.wait()
        with pytest.raises(NfError, match="ended with signal 9"):
            nf.counted_turn(100)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("clear = [", "#", "needs the commands clear and show"),
        ('"ovs-pmd-perf"', '"probe"', "clear and show are for NFs with own counters"),
        ("turn_ms = 100", "turn_ms = 10", "judge.turn_ms of 10 is too short"),
        ("{run_dir}/ctl", "{traffic}", "unknown placeholder {traffic}"),
        ("[run]", '[run]\nsetup = ["ctl", "{cpus}"]', "setup is for NFs with a probe"),
        ("[run]", '[run]\nsetup = ["ctl", "{eal}"]', "unknown placeholder {eal}"),
    ],
)
def test_a_mistake_is_named(old: str, new: str, said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        parse(TOML.replace(old, new))


def test_its_noise_is_measured_by_asking_too(nf_repository: NfRepository, home: Home, work: WorkDir) -> None:
    shutil.copy(SOURCE, nf_repository.path)
    nf_repository.write("own_work.h", "#define WORK 300\n")
    nf_repository.commit("counts for itself", nalm__toml=TOML)
    requested = noise._subject(home, work, nf_repository.path, None).run.counter_commands
    assert requested is not None and requested.show[0].startswith("/")


@pytest.mark.timed
def test_a_slower_head_is_judged_by_its_own_figures(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    shutil.copy(SOURCE, nf_repository.path)
    nf_repository.write("own_work.h", "#define WORK 300\n")
    nf_repository.commit("counts for itself", nalm__toml=TOML)
    nf_repository.write("own_work.h", "#define WORK 900\n")
    done = nalm.run("check", "--json", str(tmp_path / "run.json"), cwd=nf_repository.path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "regressed" in done.stdout and "datapath" in done.stdout
    report = parse_report((tmp_path / "run.json").read_bytes())
    verdict = judge(report)
    assert verdict.chain is not None
    assert report.sources[Source.TSC] is None and report.arms[Arm.HEAD].run.counts == "ovs-pmd-perf"
    assert "this NF has its own counters" in (report.sources[Source.SIMULATED] or "")
    assert {check.name for check in report.checks} >= {
        "eq6_closes",
        "generator_honest",
        "same_share_forwarded",
    }
    assert not {"stages_add_up", "packets_conserved"} & {check.name for check in report.checks}
    assert sum("was not checked" in note for note in report.notes) == 3
    first = report.rounds[0]
    kinds = packets_by_kind(first, report.arms[first.arm])
    assert kinds[OutcomeKind.SENT] > kinds[OutcomeKind.POLICY] > 0
    assert cur(first) == 1.0
