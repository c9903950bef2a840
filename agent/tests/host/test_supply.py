# SPDX-License-Identifier: Apache-2.0
"""What this very host delivers per second, lines that another CPU had, and power from files of the kernel."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fake_host import CPU, files, metal
from nalm_agent.host import supply
from nalm_agent.host.bench import run_bench
from nalm_agent.host.kernel_files import System
from nalm_agent.host.supply import ONE_CPU, ONE_NODE, Energy, power, producers, supply_sizes
from nalm_agent.native.library import program
from nalm_agent.runtime.errors import HostError
from nalm_agent.store.home import Home

KIB, MIB = 1 << 10, 1 << 20
ALLOWED = sorted(os.sched_getaffinity(0))
PACKAGE = "sys/class/powercap/intel-rapl:0"


@pytest.mark.timed
def test_nearer_caches_deliver_more(home: Home, tmp_path: Path) -> None:
    found = supply.measure(
        home,
        System(tmp_path),
        ALLOWED[-1],
        ALLOWED[-2:],
        caches={"L1d": 32 * KIB, "L2": 512 * KIB},
        core_hz=3e9,
    )
    assert set(found.one) == set(found.together) == {"instructions", "L1d", "L2", "memory"}
    assert found.one["L1d"] > found.one["L2"] > found.one["memory"] > 1e6
    assert found.one["instructions"] > found.one["L1d"]
    assert found.cpus == len(ALLOWED[-2:]) and found.watts is None
    assert "shows no /sys/class/powercap" in found.missing["watts"]
    assert found.missing["dirty_other_node"] == "one node"
    if len(ALLOWED) > 1:
        assert set(found.line_ns) == {"clean", "dirty", "memory"}
        # A line in another cache, or in memory, is farther than one in the own first cache.
        assert all(ns > 1e9 / found.one["L1d"] for ns in found.line_ns.values())


def test_a_cpu_that_may_not_be_used_is_a_reason(home: Home) -> None:
    for arguments in (("instructions", 4000), ("lines", 65536, 4000), ("line", "dirty", 4000, ALLOWED[0])):
        with pytest.raises(HostError, match="may not be used"):
            run_bench(program(home, "host_supply"), *arguments)
    with pytest.raises(HostError, match="exit code 2"):
        run_bench(program(home, "host_supply"), "line", "cold", ALLOWED[0], ALLOWED[0])


def test_shared_levels_are_divided_and_stay_outside_of_the_own_caches() -> None:
    caches = {"L1d": 48 * KIB, "L2": 2 * MIB, "L3": 256 * MIB}
    assert supply_sizes(caches, 64 << 30, 1) == {
        "L1d": 24 * KIB, "L2": MIB, "L3": 32 * MIB, "memory": 1024 * MIB,
    }  # fmt: skip
    together = supply_sizes(caches, 64 << 30, 64)
    assert together["L2"] == MIB and together["L3"] == 4 * MIB and together["memory"] == 16 * MIB


def test_a_line_comes_from_another_core_if_there_is_one(tmp_path: Path) -> None:
    system = metal(tmp_path)
    assert producers(system, 3, (0, 1, 2, 3)) == {
        "clean": 2, "dirty": 2, "dirty_other_node": 0, "memory": 2, "memory_other_node": 0,
    }  # fmt: skip
    files(tmp_path, {f"{CPU}/cpu2/topology/thread_siblings_list": "2", f"{CPU}/cpu1/node1/x": ""})
    (tmp_path / CPU / "cpu1/node0/x").unlink()
    (tmp_path / CPU / "cpu1/node0").rmdir()
    assert producers(system, 3, (1, 2, 3))["clean"] == 1
    assert producers(system, 3, (3,)) == {
        "clean": ONE_CPU, "dirty": ONE_CPU, "dirty_other_node": ONE_NODE,
        "memory": ONE_CPU, "memory_other_node": ONE_NODE,
    }  # fmt: skip


def test_power_is_of_all_packages_and_never_0() -> None:
    before = {"0": Energy(9_000_000, 10_000_000), "1": Energy(1_000_000, 10_000_000)}
    after = {"0": Energy(1_000_000, 10_000_000), "1": Energy(4_000_000, 10_000_000)}
    assert power(before, after, 0.5) == pytest.approx(10)
    assert power(before, before, 0.5) is None and power({}, {}, 0.5) is None


def test_an_energy_counter_that_cannot_be_read_or_stands_still_is_a_reason(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supply, "POWER_SECONDS", 0.0)

    def watts() -> str:
        found = supply.measure(home, System(tmp_path), ALLOWED[0], ALLOWED[:1], caches={}, core_hz=3e9)
        assert found.watts is None
        return found.missing["watts"]

    files(tmp_path, {f"{PACKAGE}/energy_uj": "77"})
    assert "max_energy_range_uj" in watts()
    files(tmp_path, {f"{PACKAGE}/max_energy_range_uj": "262143328850"})
    assert watts() == "the energy counter does not move"
    monkeypatch.setattr(supply, "power", lambda *_: 12.5)
    assert (
        supply.measure(home, System(tmp_path), ALLOWED[0], ALLOWED[:1], caches={}, core_hz=3e9).watts == 12.5
    )
