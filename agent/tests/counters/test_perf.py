# SPDX-License-Identifier: Apache-2.0
"""perf: its output of hosts with and without a PMU, and the real one on the tiny NF's threads."""

from __future__ import annotations

from pathlib import Path

import pytest
from nalm_agent.counters import perf
from nalm_agent.counters.callgrind_parse import stage_of
from nalm_agent.counters.events import COUNTERS, CYCLES, EVENTS, INSTRUCTIONS, Event, groups
from nalm_agent.counters.perf_process import PerfProcess
from nalm_agent.counters.perf_script_parse import parse_callers, parse_lines
from nalm_agent.counters.perf_stat_parse import NOT_COUNTED, NOT_SUPPORTED, EventCount, parse
from nalm_agent.host import pmu
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.start import NfStart
from nalm_agent.runtime.errors import SourceError
from nalm_agent.store.home import WorkDir
from nalm_core.report.profile import Profile, ProfiledFunction, beyond_valgrind
from nalm_core.report.run_report import Arm

RECORDED = Path(__file__).parents[1] / "recorded"
CLOCK = Event("clock", "", "cpu-clock:u", "the thread's CPU time", hardware=False)
SWITCHES = Event("switches", "", "context-switches:u", "of the thread", hardware=False)


def stat(name: str, separator: str = ",") -> dict[str, EventCount]:
    return {count.event: count for count in parse((RECORDED / name).read_text().splitlines(), separator)}


def test_counts_of_a_host_with_a_pmu() -> None:
    counts = stat("perf_stat_pmu.csv")
    assert {name: count.value for name, count in counts.items()} == {
        "cpu-clock": 8_013_480_000,
        "context-switches": 270,
        "cpu-migrations": 13,
        "page-faults": 184,
        "cycles": 20574191,
        "instructions": 10562267,
        "branches": 2019244,
        "branch-misses": 106152,
    }
    assert all(count.reason is None and count.thread is None for count in counts.values())


def test_events_that_shared_a_counter_are_refused() -> None:
    counts = stat("perf_stat_shared.csv")
    assert counts["task-clock"].value == 28_794_620_000
    for event in ("instructions", "cycles", "branch-misses", "L1-dcache-load-misses"):
        assert counts[event].value is None
        assert counts[event].reason == "it had a counter only 85.00 % of the time"
        assert counts[event].lacked_counter


def test_events_that_found_no_counter() -> None:
    counts = stat("perf_stat_taken.csv")
    assert {(count.value, count.reason) for count in counts.values()} == {(None, NOT_COUNTED)}
    assert counts["cycles"].lacked_counter


def test_a_host_without_a_pmu() -> None:
    counts = stat("perf_stat_no_pmu.csv", ";")
    assert counts["cycles"] == EventCount(18421, "cycles", None, NOT_SUPPORTED)
    assert not counts["cycles"].lacked_counter
    assert counts["cpu-clock"] == EventCount(18421, "cpu-clock", 212_530_000)
    assert counts["minor-faults"].value == 0


@pytest.mark.parametrize(
    "line",
    [
        "Error: Access to performance monitoring and observability operations is limited.",
        "212,53;msec;cpu-clock;212594520;100,00;0,675;CPUs utilized",
        "12 345;;cycles;1;100.00;;",
        "100;;cycles",
    ],
)
def test_what_is_not_perf_stats_is_an_error(line: str) -> None:
    with pytest.raises(SourceError, match="unknown line"):
        parse([line])


def test_accesses_and_misses_are_counted_together() -> None:
    """A ratio of two events needs both of one launch."""
    pairs = [{event.name for event in group} for group in groups(EVENTS)]
    assert any({"l1d_accesses", "l1d_misses"} <= names for names in pairs)


def test_groups_fit_and_can_be_held_against_each_other() -> None:
    plan = groups(EVENTS)
    assert all(group[:2] == (CYCLES, INSTRUCTIONS) and len(group) <= COUNTERS for group in plan)
    assert [event for group in plan for event in group[2:]] == list(EVENTS[2:])
    assert groups([CYCLES]) == [(CYCLES, INSTRUCTIONS)]
    with pytest.raises(ValueError, match="leave none"):
        groups(EVENTS, 2)


def test_samples_with_their_callers() -> None:
    scan, fib, kernel, fill = parse_callers((RECORDED / "perf_script_callers.txt").read_text().splitlines())
    assert scan.key == (27232, "2399.547374")
    assert (scan.chain[0], scan.object) == ("libhs.so.5.4.0+0x6487b6", "libhs.so.5.4.0")
    assert scan.chain[3:5] == ("avx2_hs_scan", "dpi_process")
    assert fib.chain[:2] == ("librte_fib.so.23.0+0x4a18", "rte_fib_lookup_bulk")
    assert (kernel.chain[0], kernel.object) == ("__do_sys_getrusage", "[kernel]")
    assert fill.chain[-1] == "_start"


def test_samples_with_their_lines() -> None:
    lines = parse_lines((RECORDED / "perf_script_lines.txt").read_text().splitlines())
    assert lines == {(27232, "2399.541349"): ("src/io/replay.c", 85)}


def test_availability_names_the_tool_or_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    assert perf.available() == pmu.kernel_reason()
    assert perf.profile_available() is None
    monkeypatch.setenv("PATH", "/nowhere")
    assert perf.available() == perf.profile_available() == perf.NOT_INSTALLED


def test_threads_are_counted_turn_by_turn(tiny_nf: list[str], work: WorkDir) -> None:
    with RunningNf(NfStart(tiny_nf, ready_seconds=60), work, seed=0) as nf:
        nf.wait_ready()
        counts = perf.count_threads(nf, Arm.HEAD, 30, work, events=[CLOCK, SWITCHES], counters=3)
        turns = int(nf.snapshot().blocks[0][0]["turns"])
        nf.finish()
    assert [(count.turn, count.event) for count in counts] == [
        *((0, name) for name in ("cycles", "instructions", "clock")),
        *((1, name) for name in ("cycles", "instructions", "switches")),
    ]
    assert turns == 2
    clock = counts[2]
    assert clock.value is not None and 0 < clock.value < 10_000_000_000
    assert all(count.packets > 0 and (count.value is None) != (count.reason is None) for count in counts)
    for count in counts[:2]:
        assert count.reason == pmu.kernel_reason()


def test_a_profile_names_functions_lines_and_stages(tiny_nf: list[str], work: WorkDir) -> None:
    with RunningNf(NfStart(tiny_nf, ready_seconds=60), work, seed=0) as nf:
        nf.wait_ready()
        found = perf.profile(nf, Arm.HEAD, 50, 12, work)
        nf.finish()
    assert found.event == ("cpu-clock" if pmu.kernel_reason() else "cycles")
    assert found.samples == sum(found.objects.values()) > 50
    churn = {function.stage: function for function in found.functions if function.name == "churn"}
    assert {"alpha", "beta"} <= churn.keys(), "by who called it"
    assert churn["alpha"].object == "tiny_nf"
    assert (churn["alpha"].file or "").endswith("tiny_nf.c")
    assert churn["alpha"].samples >= sum(line.samples for line in churn["alpha"].lines) > 0
    assert found.stages["alpha"] >= churn["alpha"].samples


def test_threads_that_cannot_be_watched(tmp_path: Path) -> None:
    with (
        PerfProcess(
            ["stat", "-x", ";", "-o", str(tmp_path / "o"), "-e", "cpu-clock", "-t", "4194303"], tmp_path
        ) as one,
        pytest.raises(SourceError, match="cannot watch") as caught,
    ):
        one.enable()
    assert "No such process" in (caught.value.log or "") or "thread" in (caught.value.log or "")


def test_paths_that_valgrind_cannot_take_are_named() -> None:
    def ran(*names: str) -> Profile:
        functions = [ProfiledFunction(name=name, object="libhs.so.5", samples=1) for name in names]
        return Profile(arm=Arm.HEAD, event="cycles", frequency_hz=1, samples=len(names), functions=functions)

    assert beyond_valgrind(ran("avx2_hs_scan", "nat_process")) == []
    other = ran("avx512vbmi_hs_scan", "__memcpy_evex_unaligned_erms", "dpi_process")
    assert beyond_valgrind(other) == ["__memcpy_evex_unaligned_erms", "avx512vbmi_hs_scan"]


def test_code_below_a_lent_probe_is_never_the_programs() -> None:
    """perf cannot always read the probe's symbols; the drivers below it must not count as `app`."""
    functions = {"rx": ["rx_process_*"], "app": ["loop"]}
    unread = ("rte_pktmbuf_alloc_bulk", "null_rx", "dpdk_lent-0123+0x1a2b", "loop", "main")
    read = ("rte_pktmbuf_alloc_bulk", "null_rx", "rx_process_0", "loop", "main")
    assert stage_of(perf.up_to_lent(unread), functions) is None
    assert stage_of(perf.up_to_lent(read), functions) == "rx"
    assert stage_of(perf.up_to_lent(("filter", "loop", "main")), functions) == "app"
