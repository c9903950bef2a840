# SPDX-License-Identifier: Apache-2.0
"""NFs that count for themselves: asked, stopped and continued; judged as every other."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from nalm_agent.asked import Asked, asked_as
from nalm_agent.asked_nf import AskedNf
from nalm_agent.config import Counts, parse
from nalm_agent.cores import choose
from nalm_agent.errors import ConfigError, NfError
from nalm_agent.home import WorkDir
from nalm_agent.sources import vpp_runtime
from nalm_agent.sources.own_figures import OWN_FIGURES
from nalm_core.counters import cur, packets_by_kind
from nalm_core.report import OutcomeKind, Source
from nalm_core.report_io import parse_report
from nalm_core.verdict import judge
from tiny import NF_SOURCE, Nalm, NfRepository

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
turns_per_launch = 5
max_launches = 5
"""
# In the format of VPP's vlib/threads_cli.c and cli.c; figures made up, so that their sums can be seen.
RUNTIME = """Thread 1 vpp_wk_0 (lcore 2)
Time .2, 10 sec internal node vector rate 256.00 loops/sec 4000.00
  vector rates in 1.0000e6, out 9.0000e5, drop 1.0000e5, punt 0.0000e0
             Name                 State      Calls       Vectors     Suspends      Clocks    Vectors/Call
acl-plugin-in-ip4-fa             active       1000        250000            0      1.00e2          250.00
dpdk-input                       polling      1000        250000            0      5.00e1          250.00
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("own")
    (folder / "own_work.h").write_text("#define WORK 20\n")
    target = folder / "own_nf"
    subprocess.run(["gcc", "-O2", "-pthread", f"-I{folder}", "-o", target, SOURCE], check=True)
    return str(target)


def asked_of(program: str) -> Asked:
    asked = asked_as(parse(TOML).run)
    assert asked is not None
    return asked.at({"{build}": str(Path(program).parent)})


def started(program: str, work: WorkDir, ready_seconds: float = 10, lcores: int = 1) -> AskedNf:
    command = [program, "ctl", str(choose(1).cpus[0])]
    return AskedNf(command, work, asked_of(program), lcores=lcores, ready_seconds=ready_seconds)


def thread_states(pid: int) -> set[str]:
    status = (path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/status"))
    return {re.findall(r"State:\s+(\S)", text)[0] for text in status}


def test_between_its_turns_it_stands_still(program: str, work: WorkDir) -> None:
    with started(program, work) as nf:
        nf.wait_ready()
        while thread_states(nf.pid) != {"T"}:
            pass
        turn = nf.counted_turn(100)
        while thread_states(nf.pid) != {"T"}:
            pass
        nf.finish()
    (lcore,) = turn.lcores
    assert lcore.turn_wall_ns >= 100e6 and 0 < lcore.turn_cpu_ns <= lcore.turn_wall_ns
    assert lcore.idle_cycles == 0 and lcore.turn_tsc_cycles is None
    stage = turn.stages["datapath"]
    assert stage.cycles == lcore.busy_cycles > 0 and stage.batches is None
    assert sum(stage.outcomes.values()) == stage.packets == lcore.packets
    assert stage.outcomes["not_sent"] == pytest.approx(stage.packets / 4, abs=3)


def test_one_that_does_not_answer_is_late_with_what_was_asked(program: str, work: WorkDir) -> None:
    said = "did not tell figures of 2 lcore"
    with (
        started(program, work, ready_seconds=0.3, lcores=2) as nf,
        pytest.raises(NfError, match=said) as late,
    ):
        nf.wait_ready()
    assert late.value.hint is not None and "asked for its figures" in late.value.hint


def test_one_that_dies_is_told(program: str, work: WorkDir) -> None:
    with started(program, work) as nf:
        nf.wait_ready()
        nf._process.kill()
        nf._process.wait()
        with pytest.raises(NfError, match="ended with signal 9"):
            nf.counted_turn(100)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("clear = [", "#", "needs the commands clear and show"),
        ('"ovs-pmd-perf"', '"probe"', "clear and show ask an NF that counts for itself"),
        ("turn_ms = 100", "turn_ms = 10", "judge.turn_ms of 10 is too short"),
        ("{run_dir}/ctl", "{traffic}", "unknown placeholder {traffic}"),
    ],
)
def test_a_mistake_is_named(old: str, new: str, said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        parse(TOML.replace(old, new))


def test_every_format_that_nalm_toml_names_can_be_read() -> None:
    assert set(OWN_FIGURES) | {"probe", "dpdk"} == set(Counts.__args__)


def test_vpps_nodes_are_stages_and_its_rates_end_them() -> None:
    told = vpp_runtime.tell(RUNTIME)
    (lcore,) = told.lcores
    assert (lcore.lcore, lcore.thread, lcore.idle_cycles) == (2, "vpp_wk_0", None)
    # 250,000 vectors at a million a second: VPP prints its own seconds to a tenth
    assert (lcore.seconds, lcore.packets, lcore.busy_cycles) == (0.25, 250_000, 37_500_000)
    assert [stage.name for stage in told.stages] == ["dpdk-input", "acl-plugin-in-ip4-fa"]
    assert told.counters["dpdk-input"].outcomes == {"out": 225_000, "drop": 25_000, "punt": 0}
    assert told.counters["acl-plugin-in-ip4-fa"].batches == 1000


def test_a_slower_head_is_judged_by_its_own_figures(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    shutil.copy(SOURCE, nf_repository.path)
    nf_repository.write("own_work.h", "#define WORK 20\n")
    nf_repository.commit("counts for itself", nalm__toml=TOML)
    nf_repository.write("own_work.h", "#define WORK 60\n")
    done = nalm.run("check", "--json", str(tmp_path / "run.json"), cwd=nf_repository.path)
    assert done.returncode == 1, done.stderr
    assert "regressed" in done.stdout and "datapath" in done.stdout
    report = parse_report((tmp_path / "run.json").read_bytes())
    verdict = judge(report)
    assert verdict.chain is not None
    assert report.sources[Source.TSC] is None
    assert "this NF counts for itself" in (report.sources[Source.SIMULATED] or "")
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
