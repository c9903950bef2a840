# SPDX-License-Identifier: Apache-2.0
"""What else the kernel may run on the measuring CPUs: programs, interrupts, watchdogs."""

from __future__ import annotations

from nalm_agent.doctor.clock import TUNE
from nalm_agent.doctor.finding import Finding, note, ok, unknown
from nalm_agent.doctor.look import Look
from nalm_agent.host.facts import ISOLATED, NOHZ_FULL, isolated_cpus
from nalm_agent.host.kernel_files import as_cpu_list, cpu_list
from nalm_agent.host.tunables import WATCHDOG

MANY_INTERRUPTS_PER_S = 100.0
"""Rate of device interrupts on a measuring CPU from which they disturb turns noticeably."""


def isolation(look: Look) -> Finding:
    """Checks isolcpus and nohz_full."""
    isolated = isolated_cpus(look.system)
    cpus = as_cpu_list(sorted(look.measuring))
    if isolated is None:
        return unknown(
            "isolation",
            look.hidden(ISOLATED),
            "the scheduler may place other programs on the measuring CPUs",
            "mount /sys",
        )
    unused = sorted(set(isolated) - set(look.allowed))
    if unused and not set(isolated) & set(look.allowed):
        return note(
            "isolation",
            f"CPU {as_cpu_list(unused)} isolated, but not for nalm",
            "the NF runs on a CPU on which the scheduler also places other programs",
            f"start nalm with taskset --cpu-list {as_cpu_list([look.allowed[0], *unused])}",
        )
    ticks = look.system.text(NOHZ_FULL)
    tickless = "" if ticks is None else f", without ticks: {ticks if cpu_list(ticks) else 'none'}"
    if set(look.measuring) <= set(isolated):
        return ok("isolation", f"measuring CPUs {cpus} isolated{tickless}")
    return note(
        "isolation",
        f"measuring CPUs {cpus} not isolated{tickless}",
        "the scheduler may place other programs there: involuntary switches, rounds set aside",
        f"boot with isolcpus={cpus} nohz_full={cpus} rcu_nocbs={cpus}, start nalm with taskset on all CPUs",
    )


def cpuset(look: Look) -> Finding:
    online, allowed = set(look.online), set(look.allowed)
    if online <= allowed:
        return ok("cpuset", "all CPUs of the machine")
    return note(
        "cpuset",
        f"{len(allowed)} of {len(online)} CPUs: {as_cpu_list(sorted(allowed))}",
        "other programs may use the same CPUs and caches unnoticed",
        "give the container an exclusive cpuset; a CPU quota (cpu.max) does not replace it",
    )


def interrupts(look: Look) -> Finding:
    """Device interrupts that may reach the measuring CPUs, and how many did during the examination."""
    rates = look.disturbed.interrupts
    paths = look.system.names("/proc/irq/[0-9]*/smp_affinity_list")
    if rates is None or not paths:
        return unknown(
            "interrupts",
            look.hidden("/proc/interrupts" if rates is None else "/proc/irq"),
            "device interrupts on a measuring CPU count as the NF's cycles",
            "mount /proc of the host",
        )
    allowed = sum(bool(set(cpu_list(look.system.text(path) or "")) & set(look.measuring)) for path in paths)
    worst = max((rates.get(cpu, 0.0) for cpu in look.measuring), default=0.0)
    value = f"{allowed} of {len(paths)} may reach the measuring CPUs; {worst:.0f} per second did"
    if allowed == 0 or len(look.online) == 1:
        return ok("interrupts", value, per_second=worst)
    often = worst > MANY_INTERRUPTS_PER_S
    return note(
        "interrupts",
        value,
        "their time counts as the NF's cycles, in one arm and not in the other"
        if often
        else "few now; a busy device would add its time to the NF's cycles",
        TUNE,
        per_second=worst,
    )


def watchdog(look: Look) -> Finding:
    state = look.system.text(WATCHDOG)
    if state is None:
        return unknown(
            "watchdog",
            look.hidden(WATCHDOG),
            "it wakes on every CPU every few seconds",
            "mount /proc of the host",
        )
    if state == "0":
        return ok("watchdog", "off")
    return note("watchdog", "on", "it wakes on every CPU and takes one PMU counter", TUNE)
