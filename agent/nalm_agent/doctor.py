# SPDX-License-Identifier: Apache-2.0
"""`nalm doctor`: what this host can measure; each problem with its effect and its cure."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from nalm_agent.errors import ExitCode
from nalm_agent.home import Home
from nalm_agent.host import HUGE_PAGE_BYTES_WANTED, cpu_model, huge_page_bytes, is_virtual
from nalm_agent.sources import pmu, simulated, tsc
from nalm_agent.toolchain import toolchain

MIN_MEMORY_BYTES = 2 << 30
MIN_DISK_BYTES = 2 << 30
BUSY_SHARE = 0.5
"""Load per CPU from which other programs take a noticeable share of the measurement."""


class Level(StrEnum):
    OK = "ok"
    NOTE = "note"
    """Works, with less: the effect says how."""
    FATAL = "fatal"
    """Nothing can be measured."""


@dataclass(frozen=True)
class Finding:
    name: str
    level: Level
    value: str
    effect: str | None = None
    cure: str | None = None


def examine(home: Home) -> list[Finding]:
    """Looks at everything a measurement needs, in the order it needs it."""
    looks: Sequence[Callable[[], Finding]] = (
        _cores, _virtual, _tsc, _pmu, _valgrind, _huge_pages, _dpdk, _compiler, _ccache, _git, _setpriv,
        _memory, lambda: _disk(home), _load,
    )  # fmt: skip
    return [look() for look in looks]


def severity(findings: Sequence[Finding]) -> ExitCode:
    """0 if this host can measure, else 4."""
    fatal = any(finding.level is Level.FATAL for finding in findings)
    return ExitCode.NOT_MEASURED if fatal else ExitCode.OK


def print_findings(findings: Sequence[Finding], *, as_json: bool) -> None:
    """One line each; a problem also with effect and cure."""
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings]))
        return
    console = Console(highlight=False, soft_wrap=True)
    colours = {Level.OK: "green", Level.NOTE: "yellow", Level.FATAL: "red"}
    for finding in findings:
        colour = colours[finding.level]
        console.print(f"[{colour}]{finding.level:<5}[/] {finding.name:<15} {escape(finding.value)}")
        if finding.effect:
            console.print(f"      effect: {escape(finding.effect)}")
        if finding.cure:
            console.print(f"      cure:   {escape(finding.cure)}")


def _cores() -> Finding:
    count = len(os.sched_getaffinity(0))
    value = f"{count} for nalm, {cpu_model()}"
    if count > 1:
        return Finding("cores", Level.OK, value)
    return Finding(
        "cores",
        Level.NOTE,
        value,
        "the agent and the NF share one core: rounds are noisier",
        "give the host or container a second core",
    )


def _virtual() -> Finding:
    if not is_virtual():
        return Finding("virtualisation", Level.OK, "bare metal")
    return Finding(
        "virtualisation",
        Level.NOTE,
        "virtual machine",
        "other guests may take time; steal is recorded with every round",
        "none needed; a bare-metal host decides in fewer launches",
    )


def _tsc() -> Finding:
    reason, rate = tsc.available(), tsc.frequency_hz()
    if reason is None and rate is not None:
        return Finding("tsc", Level.OK, f"constant, {rate / 1e9:.3f} GHz")
    return Finding(
        "tsc",
        Level.FATAL,
        reason or "rate unknown",
        "cycles cannot be measured",
        "use a host with a constant TSC",
    )


def _pmu() -> Finding:
    reason = pmu.kernel_reason()
    if reason is None:
        return Finding("pmu", Level.OK, "the kernel gives hardware counters")
    return Finding(
        "pmu",
        Level.NOTE,
        reason,
        "cycles come from the TSC, instructions from callgrind; eIPC is labelled as mixed",
        "none needed; on a host of your own, expose the PMU to the guest or lower kernel.perf_event_paranoid",
    )


def _valgrind() -> Finding:
    version = simulated.valgrind_version()
    if version is not None:
        return Finding("valgrind", Level.OK, version)
    return Finding(
        "valgrind",
        Level.NOTE,
        "not installed",
        "instructions are not counted: no IPP, no eIPC, no cause",
        "apt-get install valgrind",
    )


def _huge_pages() -> Finding:
    free, total, wanted = (
        size >> 20 for size in (huge_page_bytes("Free"), huge_page_bytes("Total"), HUGE_PAGE_BYTES_WANTED)
    )
    if free >= wanted:
        return Finding("huge pages", Level.OK, f"{free} MiB free")
    if total >= wanted:
        return Finding(
            "huge pages",
            Level.NOTE,
            f"{free} of {total} MiB free, {wanted} wanted",
            "a measurement that starts now could not have them and ends without a result",
            "end the program that holds them",
        )
    return Finding(
        "huge pages",
        Level.NOTE,
        f"{total} MiB reserved, {wanted} wanted",
        "the NF runs with --no-huge: more TLB misses, and a host class of its own",
        f"sysctl -w vm.nr_hugepages={wanted // 2}",
    )


def _dpdk() -> Finding:
    version = toolchain().dpdk
    if version is not None:
        return Finding("dpdk", Level.OK, version)
    return Finding(
        "dpdk",
        Level.NOTE,
        "not found by pkg-config",
        "NFs on DPDK cannot be built",
        "apt-get install dpdk-dev",
    )


def _compiler() -> Finding:
    name = toolchain().compiler
    if shutil.which(os.environ.get("CC", "cc")):
        return Finding("compiler", Level.OK, name)
    return Finding(
        "compiler", Level.FATAL, "none found", "nothing can be built", "apt-get install build-essential"
    )


def _ccache() -> Finding:
    if toolchain().ccache:
        return Finding("ccache", Level.OK, toolchain().ccache or "")
    return Finding(
        "ccache", Level.NOTE, "not installed", "every build compiles every file", "apt-get install ccache"
    )


def _git() -> Finding:
    if shutil.which("git"):
        return Finding("git", Level.OK, "installed")
    return Finding("git", Level.FATAL, "not installed", "no commit can be read", "apt-get install git")


def _setpriv() -> Finding:
    if shutil.which("setpriv"):
        return Finding("setpriv", Level.OK, "installed")
    return Finding(
        "setpriv",
        Level.NOTE,
        "not installed",
        "an NF outlives an agent that is killed with SIGKILL",
        "apt-get install util-linux",
    )


def _memory() -> Finding:
    fields = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    available = int(fields["MemAvailable"].split()[0]) << 10
    value = f"{available / 2**30:.1f} GiB available"
    if available >= MIN_MEMORY_BYTES:
        return Finding("memory", Level.OK, value)
    return Finding(
        "memory",
        Level.NOTE,
        value,
        "builds and valgrind may be killed by the kernel",
        "free 2 GiB or add memory",
    )


def _disk(home: Home) -> Finding:
    home.root.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(home.root).free
    value = f"{free / 2**30:.1f} GiB free at NALM_HOME"
    if free >= MIN_DISK_BYTES:
        return Finding("disk", Level.OK, value)
    return Finding(
        "disk", Level.NOTE, value, "builds may not fit", "free space, or set NALM_HOME to a larger disk"
    )


def _load() -> Finding:
    one_minute = os.getloadavg()[0] / (os.cpu_count() or 1)
    value = f"{one_minute:.2f} per CPU over a minute"
    if one_minute < BUSY_SHARE:
        return Finding("load", Level.OK, value)
    return Finding(
        "load",
        Level.NOTE,
        value,
        "rounds are disturbed: more launches are needed, or the verdict stays inconclusive",
        "stop other programs, or leave nalm a CPU of its own",
    )
