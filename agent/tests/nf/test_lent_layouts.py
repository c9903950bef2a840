# SPDX-License-Identifier: Apache-2.0
"""The lent probe on every layout that rte_eth_fp_ops had, and on unknown ones: stand-ins for DPDK."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from nalm_agent.config.stage_functions import StageFunctions
from nalm_agent.counters import simulated
from nalm_agent.native.library import library
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.probe import lcore_counters, lcore_turns, stage_counters
from nalm_agent.nf.run_plan import LENT_PROBE
from nalm_agent.nf.start import NfStart
from nalm_agent.runtime.errors import NfError
from nalm_agent.store.home import Home, WorkDir
from nalm_core.report.run_report import Arm
from tiny import NF_SOURCE

FIRST, SINCE_23_11 = (0, 3), (2, 0)
"""Words of a line: the burst function, the queues."""
RELEASES = {
    2111: FIRST,
    2203: FIRST,
    2207: FIRST,
    2211: FIRST,
    2303: FIRST,
    2307: FIRST,
    2311: SINCE_23_11,
    2403: SINCE_23_11,
    2407: SINCE_23_11,
    2411: SINCE_23_11,
    2503: SINCE_23_11,
    2507: SINCE_23_11,
    2511: SINCE_23_11,
    2603: SINCE_23_11,
    2607: SINCE_23_11,
}
BY_DAY = (2111, 2307, 2311, 2607)
"""The first and the last release of each layout."""


@pytest.fixture
def lent(home: Home) -> dict[str, str]:
    return {"LD_PRELOAD": str(library(home, LENT_PROBE))}


def program(folder: Path, release: int, words: tuple[int, int]) -> Path:
    """A program linked with a stand-in for that release, with that layout."""
    burst, queues = words
    reported = [f"-DRELEASE={release}", f"-DBURST={burst}", f"-DQUEUES={queues}"]
    made, sources = folder / "standin_nf", NF_SOURCE.parent
    shared = ["-shared", "-fPIC", "-o", str(folder / "libstandin.so"), str(sources / "standin_dpdk.c")]
    linked = ["-o", str(made), str(sources / "standin_nf.c"), "-L.", "-lstandin", "-Wl,-rpath,$ORIGIN"]
    subprocess.run(["gcc", "-O2", *reported, *shared], cwd=folder, check=True)
    subprocess.run(["gcc", "-O2", *linked], cwd=folder, check=True)
    return made


def static_program(folder: Path, *, stripped: bool) -> Path:
    """A program that the stand-in for 24.11 is linked into."""
    burst, queues = SINCE_23_11
    made, sources = folder / "standin_nf", NF_SOURCE.parent
    reported = ["-DRELEASE=2411", f"-DBURST={burst}", f"-DQUEUES={queues}", "-o", str(folder / "standin.o")]
    linked = ["-o", str(made), str(sources / "standin_nf.c"), str(folder / "standin.o")]
    subprocess.run(["gcc", "-O2", *reported, "-c", str(sources / "standin_dpdk.c")], check=True)
    subprocess.run(["gcc", "-O2", *linked, *(["-s"] if stripped else [])], check=True)
    return made


def host_and_plugin(folder: Path, *, dpdk_inside: bool) -> list[str]:
    """The command of a program that opens a plugin with the stand-in for 24.11 in it, or linked with it."""
    burst, queues = SINCE_23_11
    host, opened, sources = folder / "host", folder / "plugin.so", NF_SOURCE.parent
    standin = folder / ("standin.o" if dpdk_inside else "libstandin.so")
    reported = ["-DRELEASE=2411", f"-DBURST={burst}", f"-DQUEUES={queues}", str(sources / "standin_dpdk.c")]
    made = ["-fPIC", "-c" if dpdk_inside else "-shared", "-o", str(standin)]
    shared = ["-shared", "-fPIC", "-Dmain=nf_main", "-o", str(opened), str(sources / "standin_nf.c")]
    subprocess.run(["gcc", "-O2", *reported, *made], check=True)
    subprocess.run(["gcc", "-O2", *shared, str(standin)], check=True)
    subprocess.run(["gcc", "-O2", "-o", str(host), str(sources / "plugin_host.c")], check=True)
    return [str(host), str(opened)]


def measured(command: list[str], work: WorkDir, lent: dict[str, str]) -> dict[str, dict[str, int]]:
    """Outcomes by stage of one turn of 3200 packets."""
    with RunningNf(NfStart(command, ready_seconds=60, environment=lent), work, seed=0) as nf:
        nf.wait_ready()
        before = nf.snapshot()
        nf.turn(packets=3200)
        counters = stage_counters(nf.probe.stages, before, nf.snapshot())
        nf.finish()
        return {name: dict(one.outcomes) for name, one in counters.items()}


@pytest.mark.parametrize(
    "release",
    [pytest.param(one, marks=[] if one in BY_DAY else pytest.mark.nightly) for one in RELEASES],
)
def test_each_release_is_measured_in_its_own_layout(
    tmp_path: Path, lent: dict[str, str], work: WorkDir, release: int
) -> None:
    outcomes = measured([str(program(tmp_path, release, RELEASES[release]))], work, lent)
    assert outcomes == {
        "rx": {"pass": 3200},
        "app": {"pass": 3200, "not_sent": 0},
        "tx": {"sent": 3200},
    }


@pytest.mark.parametrize(
    ("standin", "said"),
    [
        ((2611, SINCE_23_11), r"DPDK 26\.11: the layout .* is not known .*21\.11 to 26\.07"),
        ((2108, FIRST), r"DPDK 21\.08: the layout .* is not known"),
        ((0, FIRST), "has no rte_version_year"),
        ((2411, FIRST), r"port 0: rte_eth_fp_ops does not hold a receive function .*23\.11 to 26\.07"),
        ((2211, SINCE_23_11), r"port 0: rte_eth_fp_ops does not hold a receive function .*21\.11 to 23\.07"),
    ],
    ids=["newer", "older", "untold", "new number, old layout", "old number, new layout"],
)
def test_what_is_not_known_is_refused_in_words(
    tmp_path: Path, lent: dict[str, str], work: WorkDir, standin: tuple[int, tuple[int, int]], said: str
) -> None:
    with pytest.raises(NfError, match=f"the probe lent to it gave up: .*{said}") as raised:
        measured([str(program(tmp_path, *standin))], work, lent)
    assert "nalm_probe.h" in (raised.value.hint or "")


def test_a_port_that_is_started_twice_is_lent_one_probe(
    tmp_path: Path, lent: dict[str, str], work: WorkDir
) -> None:
    """DPDK answers the second start with success and sets nothing up: the probe must not call itself."""
    command = [str(program(tmp_path, 2411, SINCE_23_11)), "2"]
    assert measured(command, work, lent)["tx"] == {"sent": 3200}


@pytest.mark.parametrize(
    ("ports", "each"),
    [(1, 1), (20, 0), (20, 1)],
    ids=["65 outcomes an iteration", "80 marks", "1,320 marks"],
)
def test_no_packet_or_cycle_of_a_long_iteration_is_lost(
    tmp_path: Path, lent: dict[str, str], work: WorkDir, ports: int, each: int
) -> None:
    """Bursts of 32, sent one packet a call; an lcore that polls 20 ports."""
    command = [str(program(tmp_path, 2411, SINCE_23_11)), "1", str(ports), str(each)]
    packets = 32 * 20 * 50
    with RunningNf(NfStart(command, ready_seconds=60, environment=lent), work, seed=0) as nf:
        nf.wait_ready()
        before = nf.snapshot()
        nf.turn(packets=packets)
        after = nf.snapshot()
        counters = stage_counters(nf.probe.stages, before, after)
        (lcore,) = lcore_counters(before, after)
        assert {name: dict(one.outcomes) for name, one in counters.items()} == {
            "rx": {"pass": packets},
            "app": {"pass": packets, "not_sent": 0},
            "tx": {"sent": packets},
        }
        assert {one.packets for one in counters.values()} == {packets}
        assert sum(one.cycles for one in counters.values()) == lcore.busy_cycles
        sends, marks = packets // (each or 32), ports * (2 + 2 * (32 // (each or 32)))
        said = nf.long_iterations(counters)
        assert (said is None) == (marks <= 256), "the probe keeps 256 marks apart"
        if said is None:
            assert counters["tx"].batches == sends
        else:
            assert "of the marks are counted in another batch" in said and "nalm_probe.h" not in said
        nf.finish()


def test_a_crash_under_the_lent_probe_says_how_to_run_without_it(
    tmp_path: Path, lent: dict[str, str], work: WorkDir
) -> None:
    made = program(tmp_path, 2411, SINCE_23_11)
    with pytest.raises(NfError, match=r"ended with signal 6 \(SIGABRT\)") as raised:
        measured([str(made), "0"], work, lent)
    hint = raised.value.hint or ""
    assert "has a lent probe" in hint and "may be the cause" in hint
    assert f"{made} 0" in hint


def test_a_crash_says_how_to_run_the_program_by_itself(work: WorkDir) -> None:
    command = ["sh", "-c", "kill -SEGV $$", "{run_dir}/x", "a b"]
    with (
        RunningNf(NfStart(command, ready_seconds=60), work, seed=0) as nf,
        pytest.raises(
            NfError, match=r"did not open its probe: it ended with signal 11 \(SIGSEGV\)"
        ) as raised,
    ):
        nf.wait_ready()
    hint = raised.value.hint or ""
    assert "sh -c 'kill -SEGV $$' ./x 'a b'" in hint and "lent" not in hint


@pytest.mark.parametrize("release", [2211, 2411])
def test_turns_without_marks_only_count_packets(
    tmp_path: Path, lent: dict[str, str], work: WorkDir, release: int
) -> None:
    """Turns of both kinds alternate: those with marks count as if there were no others."""
    command = [str(program(tmp_path, release, RELEASES[release]))]
    with RunningNf(NfStart(command, ready_seconds=60, environment=lent), work, seed=0) as nf:
        nf.wait_ready()
        assert nf.has_bare_turns
        for _ in range(3):
            before = nf.snapshot()
            (bare,) = nf.bare_turn(5)
            after = nf.snapshot()
            assert bare.packets > 0 and bare.turn_tsc_cycles
            assert all(one.cycles == 0 for one in stage_counters(nf.probe.stages, before, after).values())
            before = nf.snapshot()
            nf.turn(packets=3200)
            counters = stage_counters(nf.probe.stages, before, nf.snapshot())
            assert counters["rx"].outcomes == {"pass": 3200}
            assert counters["tx"].outcomes == {"sent": 3200}
        nf.finish()


def test_turns_without_marks_count_every_port(tmp_path: Path, lent: dict[str, str], work: WorkDir) -> None:
    """A packet costs about the same with one port and with eight."""
    made, cost = program(tmp_path, 2411, SINCE_23_11), {}
    for ports in (1, 8):
        command = [str(made), "1", str(ports)]
        with RunningNf(NfStart(command, ready_seconds=60, environment=lent), work, seed=0) as nf:
            nf.wait_ready()
            turns = [nf.bare_turn(5)[0] for _ in range(10)]
            cost[ports] = min(one.turn_cpu_ns / one.packets for one in turns if one.packets)
            nf.finish()
    assert 1 / 4 < cost[1] / cost[8] < 4


def test_turns_without_marks_count_from_when_caches_are_warm(
    tmp_path: Path, lent: dict[str, str], work: WorkDir
) -> None:
    """The lcore is in its turn for longer than the context lasts, but measured for less. That shows only in
    turns that no other program delays."""
    command = [str(program(tmp_path, 2411, SINCE_23_11))]
    with RunningNf(NfStart(command, ready_seconds=60, environment=lent), work, seed=0) as nf:
        nf.wait_ready()

        def measured_for_less() -> bool:
            before = nf.snapshot()
            with nf.opened(bare=True):
                begin = time.monotonic_ns()
                while (lasted := time.monotonic_ns() - begin) < 2_000_000:
                    pass
            (lcore,) = lcore_turns(before, nf.snapshot())
            return lcore.turn_wall_ns < lasted - 100_000

        assert any(measured_for_less() for _ in range(1000))
        nf.finish()


def test_a_dpdk_that_is_linked_into_the_program_is_measured(
    tmp_path: Path, lent: dict[str, str], work: WorkDir
) -> None:
    """Also if a port is started twice: the jump that leads to the probe is removed and written again."""
    command = [str(static_program(tmp_path, stripped=False)), "2"]
    assert measured(command, work, lent)["tx"] == {"sent": 3200}


@pytest.mark.parametrize("dpdk_inside", [True, False], ids=["linked into it", "shared"])
def test_a_dpdk_that_a_plugin_brings_is_measured(
    tmp_path: Path, lent: dict[str, str], work: WorkDir, dpdk_inside: bool
) -> None:
    """As in VPP: only the plugin finds DPDK's symbols."""
    command = [*host_and_plugin(tmp_path, dpdk_inside=dpdk_inside), "2"]
    assert measured(command, work, lent)["tx"] == {"sent": 3200}


def test_instructions_of_a_program_that_dpdk_is_linked_into(
    tmp_path: Path, lent: dict[str, str], work: WorkDir
) -> None:
    functions = StageFunctions({"rx": ["rx_process_*"], "app": ["main"], "tx": ["tx_process_*"]})
    command = [str(static_program(tmp_path, stripped=False))]
    run = simulated.Simulation(NfStart(command, ready_seconds=60, environment=lent), work, functions)
    counted = simulated.count(Arm.HEAD, run, packets=3200)
    assert counted.packets == 3200 and set(counted.stages) == {"rx", "app", "tx"}


@pytest.mark.nightly
def test_a_stripped_static_program_gets_what_it_lacks(
    tmp_path: Path, lent: dict[str, str], work: WorkDir
) -> None:
    command = [str(static_program(tmp_path, stripped=True))]
    with (
        RunningNf(NfStart(command, ready_seconds=1, environment=lent), work, seed=0) as nf,
        pytest.raises(NfError, match="did not open its probe") as raised,
    ):
        nf.wait_ready()
    assert "not stripped" in (raised.value.hint or "")
