# SPDX-License-Identifier: Apache-2.0
"""Each finding on kernel files: a server with every problem, the same put right, one that hides all."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fake_host import CPU, LATENCIES, files, look_at, metal
from nalm_agent.build import sandbox
from nalm_agent.counters import simulated
from nalm_agent.doctor import isolation, memory, tools
from nalm_agent.doctor.examine import LOOKS, examine
from nalm_agent.doctor.finding import Finding, Level, severity
from nalm_agent.doctor.look import Disturbed, device_interrupts
from nalm_agent.doctor.show import print_findings
from nalm_agent.host import tsc
from nalm_agent.host.kernel_files import System, as_cpu_list, cpu_list
from nalm_agent.runtime.errors import ExitCode
from nalm_agent.store.home import Home

OF_THIS_MACHINE = {"cores", "caches", "tsc", "disk"}


def by_name(look) -> dict[str, Finding]:
    return {finding.name: finding for finding in (one(look) for one in LOOKS)}


@pytest.fixture
def own(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def test_every_problem_is_found_and_none_is_left_when_put_right(tmp_path: Path, own: Home) -> None:
    system = metal(tmp_path)
    busy = Disturbed(seconds=2.0, stolen=0.2, interrupts={0: 0.0, 3: 900.0})
    swinging = LATENCIES.model_copy(update={"ghz": [1.0] * 10 + [3.0] * 90})
    found = by_name(look_at(system, own, disturbed=busy, latencies=swinging, measuring=(3, 1)))
    problems = {name for name, one in found.items() if one.level is Level.NOTE}
    assert problems - OF_THIS_MACHINE == {
        "smt", "numa", "microcode", "core clock", "governor", "turbo", "idle states", "isolation",
        "interrupts", "watchdog", "huge pages", "thp", "numa balancing", "layout", "steal", "load",
    }  # fmt: skip
    assert "C6 (133 us)" in found["idle states"].value and "POLL" not in found["idle states"].value
    assert found["interrupts"].value.startswith("2 of 3") and found["interrupts"].figures["per_second"] == 900
    assert found["smt"].value.endswith("0,2 beside the measuring CPUs")

    for cpu in range(4):
        core = f"{CPU}/cpu{cpu}"
        files(tmp_path, {f"{core}/cpufreq/scaling_governor": "performance"})
        files(tmp_path, {f"{core}/cpuidle/state2/disable": "1"})
    files(
        tmp_path,
        {
            f"{CPU}/smt/active": "0",
            f"{CPU}/isolated": "3",
            f"{CPU}/intel_pstate/no_turbo": "1",
            "proc/cpuinfo": "microcode\t: 0xa",
            "proc/loadavg": "0.00 0.00 0.00 1/200 4711",
            "proc/meminfo": "MemAvailable: 16777216 kB\nHugePages_Total: 384\nHugePages_Free: 384\n"
            "Hugepagesize: 2048 kB",
            "proc/irq/24/smp_affinity_list": "0-2",
            "proc/irq/25/smp_affinity_list": "0",
            "proc/sys/kernel/numa_balancing": "0",
            "proc/sys/kernel/randomize_va_space": "2",
            "proc/sys/kernel/watchdog": "0",
            "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
        },
    )
    right = by_name(look_at(system, own))
    assert {name for name, one in right.items() if one.level is not Level.OK} <= OF_THIS_MACHINE


def test_what_cannot_be_read_is_unknown_with_a_reason(tmp_path: Path, own: Home) -> None:
    bare = look_at(
        System(tmp_path),
        own,
        disturbed=Disturbed(2.0, None, None),
        latencies=None,
        unmeasured="cc is missing",
        virtual=True,
    )
    found = by_name(bare)
    unsure = {name for name, one in found.items() if one.level is Level.UNKNOWN}
    assert unsure >= {
        "virtualisation", "smt", "numa", "latencies", "transfer", "supply", "cache lines", "power",
        "shared units", "microcode", "mitigations", "core clock",
        "governor", "turbo", "idle states", "isolation", "interrupts", "watchdog", "huge pages", "thp",
        "layout", "memory", "steal", "load",
    }  # fmt: skip
    assert "the hypervisor decides" in found["governor"].value
    assert "cc is missing" in found["latencies"].value
    for one in found.values():
        assert (one.level is Level.OK) == (one.effect is None and one.cure is None), one


def test_a_missing_numa_balancing_file_is_only_open_with_several_nodes(tmp_path: Path, own: Home) -> None:
    system = metal(tmp_path)
    (tmp_path / "proc/sys/kernel/numa_balancing").unlink()
    assert memory.numa_balancing(look_at(system, own)).level is Level.UNKNOWN


def test_isolated_cpus_that_nalm_may_not_use(tmp_path: Path, own: Home) -> None:
    system = metal(tmp_path)
    files(tmp_path, {f"{CPU}/isolated": "2-3"})
    found = isolation.isolation(look_at(system, own, allowed=(0, 1), measuring=(1,)))
    assert found.level is Level.NOTE and "taskset --cpu-list 0,2,3" in (found.cure or "")
    assert isolation.cpuset(look_at(system, own, allowed=(0, 1))).level is Level.NOTE


def test_hidden_hyperthreads_are_reported_by_what_they_cost(tmp_path: Path, own: Home) -> None:
    system = metal(tmp_path)
    apart = by_name(look_at(system, own))["shared units"]
    assert apart.level is Level.OK and apart.figures == {"3-2_ratio": 1.0}
    together = LATENCIES.model_copy(update={"sharing": {"3-2": 1.45, "3-1": 1.0}})
    shared = by_name(look_at(system, own, latencies=together))["shared units"]
    assert shared.level is Level.NOTE and "CPU 3 beside a busy CPU 2: 1.45x" in shared.value
    assert "without stolen time" in (shared.effect or "")


def test_latencies_and_transfers_are_given_in_ns_and_cycles(tmp_path: Path, own: Home) -> None:
    found = by_name(look_at(metal(tmp_path), own))
    assert found["latencies"].value == (
        "L1d 1.5 ns / 4 cycles, L2 5.0 ns / 15 cycles, L3 20.0 ns / 60 cycles, "
        "memory 90.0 ns / 270 cycles with misses of the TLB"
    )
    assert found["transfer"].value == (
        "2-3 12 ns / 36 cycles (one core), 1-3 50 ns / 150 cycles (two nodes), "
        "0-3 130 ns / 390 cycles (two nodes)"
    )
    assert found["transfer"].figures["0-3_ns"] == 130


def test_supply_lines_and_power_stand_beside_the_papers_figures(tmp_path: Path, own: Home) -> None:
    found = by_name(look_at(metal(tmp_path), own))
    assert found["supply"].value == (
        "one CPU 9.00 G instructions/s, 0.60 G lines/s from L2, 0.06 G lines/s from memory; "
        "4 CPUs together 16.00 G instructions/s, 1.20 G lines/s from L2, 0.09 G lines/s from memory"
    )
    assert found["cache lines"].value.startswith("clean 20 ns / 60 cycles (Wu et al. 50), dirty 30 ns")
    assert "memory other node not measured (one node)" in found["cache lines"].value
    assert found["power"].value == "41.2 W while all CPUs work" and found["power"].figures["watts"] == 41.25
    assert LATENCIES.supply is not None
    bare = LATENCIES.supply.model_copy(update={"watts": None, "missing": {"watts": "no powercap"}})
    without = by_name(look_at(metal(tmp_path), own, latencies=LATENCIES.model_copy(update={"supply": bare})))
    assert without["power"].level is Level.UNKNOWN and without["power"].value == "not measured: no powercap"


def test_device_interrupts_leave_the_processors_own_out() -> None:
    text = "           CPU0       CPU1\n 24:  5  7  IO-APIC  ACPI\nLOC:  100  200  Local timer\n 25:  1  0  x"
    assert device_interrupts(text) == {0: 6, 1: 7}
    assert device_interrupts(None) is None


def test_cpu_lists() -> None:
    assert cpu_list("0-2,7\n") == [0, 1, 2, 7] and cpu_list("") == [] and cpu_list("(null)") == []
    assert as_cpu_list([0, 2]) == "0,2"


def test_tools_and_exit_code(tmp_path: Path, own: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    system = metal(tmp_path)
    monkeypatch.setattr(memory, "MIN_MEMORY_BYTES", 1 << 60)
    monkeypatch.setattr(memory, "MIN_DISK_BYTES", 1 << 60)
    monkeypatch.setattr(simulated, "valgrind_version", lambda: None)
    monkeypatch.setattr(tools.shutil, "which", lambda name: None if name == "bwrap" else f"/bin/{name}")
    monkeypatch.setattr(sandbox, "available", sandbox.available.__wrapped__)  # what is found is not kept
    findings = examine(look_at(system, own))
    problems = {finding.name for finding in findings if finding.level is not Level.OK}
    assert problems >= {"memory", "disk", "valgrind", "bubblewrap", "builds"} and "setpriv" not in problems
    for finding in findings:
        assert (finding.level is Level.OK) == (finding.effect is None and finding.cure is None)
    assert severity(findings) is ExitCode.OK
    monkeypatch.setattr(tsc, "available", lambda: "the processor lacks nonstop_tsc")
    assert severity(examine(look_at(system, own))) is ExitCode.NOT_MEASURED


@pytest.mark.parametrize(
    ("printed", "level", "value"),
    [
        ("git version 2.39.5", Level.OK, "2.39.5"),
        ("git version 2.30.0.windows.1", Level.OK, "2.30.0"),
        ("git version 2.25.1", Level.FATAL, "2.25.1, older than 2.30"),
        ("git, of no version", Level.NOTE, "its version is unknown"),
    ],
)
def test_git_must_be_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, printed: str, level: Level, value: str
) -> None:
    program = tmp_path / "git"
    program.write_text(f"#!/bin/sh\necho '{printed}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (found,) = (one for one in tools.findings() if one.name == "git")
    assert (found.level, found.value) == (level, value)


def test_findings_print_with_effect_and_cure(
    tmp_path: Path, own: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = examine(look_at(metal(tmp_path), own))
    print_findings(findings)
    shown = capsys.readouterr().out
    assert "governor" in shown and "effect: the clock follows the load" in shown
    print_findings(findings, "-")
    assert {one["name"] for one in json.loads(capsys.readouterr().out)} >= {"governor", "perf", "git"}


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_a_system_without_proc_has_a_line_for_each_fact(tmp_path: Path) -> None:
    nalm = Path(sys.executable).with_name("nalm")
    bare = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/proc", "--setenv", "NALM_HOME", str(tmp_path)]
    done = subprocess.run([*bare, str(nalm), "doctor"], capture_output=True, text=True, check=False)
    assert done.returncode == ExitCode.NOT_MEASURED and "Traceback" not in done.stderr, done.stderr
    value = {line[8:23].strip(): line[24:] for line in done.stdout.splitlines() if not line.startswith(" ")}
    assert value["tsc"].startswith("/proc/cpuinfo cannot be read")
    for name, file in {
        "virtualisation": "cpuinfo",
        "steal": "stat",
        "memory": "meminfo",
        "load": "loadavg",
    }.items():
        assert f"the kernel shows no /proc/{file} here" in value[name]
