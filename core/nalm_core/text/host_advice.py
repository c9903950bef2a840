# SPDX-License-Identifier: Apache-2.0
"""What to do about a property of hosts that moves measurements."""

from __future__ import annotations

LABELS = {
    "host": "host",
    "kernel": "kernel",
    "microcode": "microcode",
    "compiler": "compiler",
    "governor": "frequency governor",
    "thp": "transparent huge pages",
    "huge_pages": "huge pages",
    "smt": "hardware threads",
    "turbo": "turbo",
    "mitigations": "mitigations",
    "cmdline": "kernel command line",
    "libraries": "libraries",
    "hour": "hour of the day (UTC)",
    "weekend": "weekend",
    "load": "load average",
    "steal": "share of CPU time stolen by other guests",
    "temperature": "temperature, degrees Celsius",
    "frequency": "clock, MHz",
}
"""By property."""

ADVICE = {
    "host": "Keep a scenario on one host, or let hosts take turns: nalm then subtracts the offset of each.",
    "kernel": "Update kernels of a pool on one day, and let `nalm-server links --measure` bridge the change.",
    "microcode": "Pin the microcode package, or update it together with the kernel, on one day for the pool.",
    "compiler": "Pin the compiler in nalm.toml's build image; a new one is a change of environment.",
    "governor": "Set the governor to `performance`: `nalm doctor --tune`.",
    "thp": "Set transparent huge pages to `madvise` or `never`: `nalm doctor --tune`.",
    "huge_pages": "Reserve huge pages at boot (`hugepagesz=1G hugepages=N`), so that none are taken from "
    "fragmented memory.",
    "smt": "Leave the sibling of a measured core idle, or switch hardware threads off.",
    "turbo": "Switch turbo off (`nalm doctor --tune`), so that neither heat nor neighbours move the clock.",
    "mitigations": "Give all hosts of a pool the same mitigations on the kernel's command line.",
    "cmdline": "Give all hosts of a pool the same kernel command line, with isolated CPUs.",
    "libraries": "Pin the versions of DPDK and libc on the hosts of a pool.",
    "hour": "Let scheduled jobs begin in quiet hours, and move the host's backups and updates out of them.",
    "weekend": "Let backfills and scheduled jobs run on the quieter days.",
    "load": "Run nothing else on the host, and isolate the measured CPUs at boot (`isolcpus`).",
    "steal": "Use a dedicated machine or dedicated vCPUs: other guests take the CPU while nalm measures.",
    "temperature": "Improve the cooling, or limit the clock below the point at which heat throttles it.",
    "frequency": "Fix the clock: turbo off and governor `performance`, by `nalm doctor --tune`.",
}
"""By property, one or two sentences."""


def label(name: str) -> str:
    """The property as people name it."""
    return LABELS.get(name, name.replace("_", " "))


def advice(name: str) -> str:
    """What to do about it."""
    return ADVICE.get(name, f"Keep {label(name)} the same on all hosts of the pool.")
