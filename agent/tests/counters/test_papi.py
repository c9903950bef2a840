# SPDX-License-Identifier: Apache-2.0
"""Events per stage through PAPI: real counts by software-defined events, reasons, and the arithmetic."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path

import pytest
from nalm_agent.counters import papi
from nalm_agent.counters.events import CYCLES, INSTRUCTIONS, Event, data_stalls, groups
from nalm_agent.host import pmu
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.start import NfStart
from nalm_agent.store.home import WorkDir
from nalm_core.report.event_counts import EventCount, figures
from nalm_core.report.terms import Arm
from tiny import build_tiny

STEPS = Event("steps", "sde:::tiny::steps", None, "the tiny NF's own count", hardware=False)
MISTAKE = Event("mistake", "PAPI_NO_SUCH", None, "no event", hardware=False)


def launcher(command: list[str], work: WorkDir) -> papi.Launch:
    def launch(events: Sequence[str]) -> RunningNf:
        return RunningNf(NfStart(command, ready_seconds=60), work, seed=0, events=events)

    return launch


@pytest.fixture
def launch(tmp_path: Path, work: WorkDir) -> papi.Launch:
    return launcher(build_tiny(tmp_path, "", "-DWITH_PAPI", libraries=["-lpapi", "-lsde", "-pthread"]), work)


def test_every_step_falls_to_its_stage(launch: papi.Launch) -> None:
    found = papi.count_group(Arm.HEAD, launch, [MISTAKE, STEPS], turn_ms=10, turns=2)
    # alpha: 40 steps a packet; one in sixteen is denied there; beta: 30 steps for the others
    assert found.stages["alpha"]["steps"] == 40 * found.packets
    assert found.stages["beta"]["steps"] * 16 == 30 * 15 * found.packets
    assert {stage: found.stages[stage]["steps"] for stage in ("gen", "rx", "tx")} == dict.fromkeys(
        ("gen", "rx", "tx"), 0
    )
    assert found.readings["alpha"] == {"steps": 0}
    assert list(found.reasons) == ["mistake"] and "mistake" not in found.stages["alpha"]
    assert figures(found, apart=["gen"])[None].per_packet["steps"] == pytest.approx(40 + 30 * 15 / 16)


def test_hardware_is_counted_or_has_a_reason(launch: papi.Launch) -> None:
    counts = papi.count(Arm.BASE, launch, turn_ms=10, turns=1)
    assert [one.launch for one in counts] == list(range(len(counts)))
    for one in counts:
        if pmu.kernel_reason():
            assert set(one.reasons.values()) == {pmu.kernel_reason()}
            assert figures(one)[None].cpp is None
        else:
            assert figures(one)[None].cpp


NO_PMU, FORBIDDEN = pmu.REASONS[errno.ENOENT], pmu.REASONS[errno.EACCES]
INTEL_BARE = "Component containing event is disabled: Unknown libpfm4 related error"
AMD_BARE = "Event does not exist"
NO_ROOM = "Event exists, but cannot be counted due to hardware resource limits"


@pytest.mark.parametrize(
    ("event", "papi_says", "kernel_says", "reported"),
    [
        (CYCLES, INTEL_BARE, NO_PMU, NO_PMU),
        (CYCLES, AMD_BARE, NO_PMU, NO_PMU),
        (CYCLES, AMD_BARE, FORBIDDEN, FORBIDDEN),
        (CYCLES, NO_ROOM, None, NO_ROOM),
        (CYCLES, AMD_BARE, None, AMD_BARE),
        (CYCLES, None, None, None),
        (STEPS, None, NO_PMU, None),
        (MISTAKE, AMD_BARE, NO_PMU, AMD_BARE),
    ],
)
def test_where_the_kernel_gives_no_counters_its_reason_is_reported(
    event: Event, papi_says: str | None, kernel_says: str | None, reported: str | None
) -> None:
    assert papi.reason(event, papi_says, kernel_says) == reported


@pytest.mark.parametrize(
    ("code", "sources", "reported"),
    [
        # The error of perf_event_open and what the kernel lists: guests without a PMU, then hosts with one.
        (errno.ENOENT, ["breakpoint", "msr", "software", "tracepoint", "uprobe"], NO_PMU),
        (errno.ENOENT, ["breakpoint", "kprobe", "msr", "power", "software", "tracepoint"], NO_PMU),
        (errno.EOPNOTSUPP, ["breakpoint", "software"], NO_PMU),
        (errno.EACCES, ["breakpoint", "software"], NO_PMU),
        (errno.EACCES, ["amd_df", "amd_l3", "cpu", "ibs_fetch", "ibs_op", "software"], FORBIDDEN),
        (errno.EACCES, ["cpu_atom", "cpu_core", "intel_pt", "software"], FORBIDDEN),
        (errno.EOPNOTSUPP, ["cpu", "software"], pmu.REASONS[errno.EOPNOTSUPP]),
        (errno.ENOENT, None, NO_PMU),
        (errno.EPERM, None, pmu.REASONS[errno.EPERM]),
        (errno.EBUSY, ["cpu"], "perf_event_open: Device or resource busy"),
    ],
)
def test_the_kernels_refusal(code: int, sources: list[str] | None, reported: str) -> None:
    assert pmu.refusal_text(code, sources) == reported


def test_an_nf_that_reads_no_events(tiny_nf: list[str], work: WorkDir) -> None:
    found = papi.count_group(Arm.HEAD, launcher(tiny_nf, work), [STEPS], turn_ms=5, turns=1)
    assert found.reasons == {"steps": papi.NOT_READ}
    assert found.stages["alpha"] == {}


def test_availability_is_papis_and_the_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    assert papi.available() == pmu.kernel_reason()
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    assert papi.available() == papi.NOT_INSTALLED


@pytest.mark.parametrize(
    ("cpuinfo", "name"),
    [
        ("processor\t: 0\nvendor_id\t: GenuineIntel\n", "CYCLE_ACTIVITY:STALLS_L1D_MISS"),
        ("processor\t: 0\nvendor_id\t: AuthenticAMD\n", "CYCLES_NO_RETIRE:NOT_COMPLETE_MISSING_LOAD"),
        ("processor\t: 0\nvendor_id\t: HygonGenuine\n", None),
        ("processor\t: 0\nBogoMIPS\t: 50.00\n", None),
    ],
)
def test_stalls_are_the_vendors_event(cpuinfo: str, name: str | None) -> None:
    found = data_stalls(cpuinfo)
    assert (found and found.papi) == name
    if found is not None:
        assert groups((CYCLES, INSTRUCTIONS, found)) == [(CYCLES, INSTRUCTIONS, found)]


def test_figures_of_a_host_with_a_pmu() -> None:
    count = EventCount(
        arm=Arm.HEAD,
        launch=0,
        packets=1000,
        stages={
            "generator": {"cycles": 9_000_000, "instructions": 9_000_000},
            "nat": {"cycles": 220_000, "instructions": 310_000, "l1d_misses": 5_000, "data_stalls": 90_000},
            "dpi": {"cycles": 820_000, "instructions": 2_010_000, "l1d_misses": 1_000},
        },
        readings={
            "nat": {"cycles": 20_000, "instructions": 10_000, "l1d_misses": 0},
            "dpi": {"cycles": 20_000, "instructions": 10_000, "l1d_misses": 2_000},
        },
    )
    found = figures(count, apart=["generator"])
    assert (found["nat"].cpp, found["nat"].ipp, found["nat"].eipc) == (200, 300, 1.5)
    assert found["dpi"].per_packet == {"cycles": 800, "instructions": 2000, "l1d_misses": 0}
    assert (found[None].cpp, found[None].ipp, found[None].eipc) == (1000, 2300, 2.3)
    assert found[None].per_packet["l1d_misses"] == 5
    assert found["nat"].per_packet["data_stalls"] == 90
    assert "generator" not in found
