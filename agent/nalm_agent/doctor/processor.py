# SPDX-License-Identifier: Apache-2.0
"""Cores, hardware threads, NUMA nodes, caches and their latencies, microcode, mitigations."""

from __future__ import annotations

from nalm_agent.doctor.finding import Finding, note, ok, unknown
from nalm_agent.doctor.look import Look
from nalm_agent.host import facts, fingerprint
from nalm_agent.host.kernel_files import as_cpu_list
from nalm_agent.host.latency import Latencies

CPUINFO = "/proc/cpuinfo"
SHARING_RATIO = 1.1
"""Slow-down by a busy neighbour from which the CPUs share execution units; it is 1.0 if they share none."""


def cores(look: Look) -> Finding:
    value = (
        f"{len(look.allowed)} for nalm, {fingerprint.cpu_model()}; a run measures on {_cpus(look.measuring)}"
    )
    if len(look.allowed) > 1:
        return ok("cores", value)
    return note(
        "cores",
        value,
        "the agent and the NF share one core, which makes rounds noisier",
        "give the host or container a second core",
    )


def virtualisation(look: Look) -> Finding:
    if not look.system.text(CPUINFO):
        return unknown(
            "virtualisation",
            look.hidden(CPUINFO),
            "other guests may take time; every round records the stolen time",
            "mount /proc of the host",
        )
    if not look.virtual:
        return ok("virtualisation", "bare metal")
    return note(
        "virtualisation",
        "virtual machine",
        "other guests may take time; every round records the stolen time",
        "none needed; a bare-metal host needs fewer launches",
    )


def smt(look: Look) -> Finding:
    shared = facts.smt(look.system)
    if shared is None:
        return unknown(
            "smt",
            look.hidden(f"{facts.CPU}/smt/active"),
            "a neighbour on the same core may take up to half of its speed unnoticed",
            "ask the host's operator for whole cores per guest",
        )
    if not shared:
        return ok("smt", "one thread per core, as far as this machine shows")
    beside = {one for cpu in look.measuring for one in facts.siblings(look.system, cpu) or [] if one != cpu}
    return note(
        "smt",
        f"on; {as_cpu_list(sorted(beside)) or 'none'} beside the measuring CPUs",
        "a program on the other thread of a measuring core slows some turns by tens of per cent",
        f"switch SMT off (echo off > {facts.CPU}/smt/control), or keep those CPUs idle",
    )


def numa(look: Look) -> Finding:
    nodes = facts.numa_nodes(look.system)
    if nodes is None:
        return unknown(
            "numa",
            look.hidden("/sys/devices/system/node"),
            "memory of another node costs about twice as much, and a launch may get either",
            "mount /sys, or ask the host's operator",
        )
    used = {facts.node_of(look.system, cpu) for cpu in look.measuring}
    if nodes == 1 or len(used) == 1:
        return ok("numa", f"{nodes} node(s), the measuring CPUs on one")
    return note(
        "numa",
        f"{nodes} nodes, the measuring CPUs on {len(used)} of them",
        "packets and tables cross between nodes, and their placement varies between launches",
        "start nalm with taskset on CPUs of one node",
    )


def caches(look: Look) -> Finding:
    sizes = fingerprint.caches()
    if sizes:
        return ok("caches", ", ".join(f"{name} {_size(size)}" for name, size in sizes.items()))
    return unknown(
        "caches",
        look.hidden(f"{facts.CPU}/cpu0/cache"),
        "the cache simulation assumes other caches than this machine's",
        "none in this guest; ask the host's operator to pass the cache topology through",
    )


def latencies(look: Look) -> Finding:
    """Latency of a dependent load, by level of memory (Wu et al., Table III)."""
    found = look.latencies
    if found is None or not found.ns:
        return unknown(
            "latencies",
            f"not measured: {look.unmeasured or _missing(found)}",
            "reports lack the memory latencies of this host",
            "install a compiler, or run `nalm doctor` again when no measurement runs",
        )
    parts = [
        f"{level} {ns:.1f} ns / {ns * found.core_ghz:.0f} cycles{_tlb(found, level)}"
        for level, ns in found.ns.items()
    ]
    parts += [f"{name} not measured ({why})" for name, why in found.missing.items() if name in ("L2", "L3")]
    return ok("latencies", ", ".join(parts), **{f"{level}_ns": ns for level, ns in found.ns.items()})


def transfer(look: Look) -> Finding:
    """Latency of a cache line's transfer between two CPUs (Wu et al., Table VI)."""
    found = look.latencies
    if found is None or not found.transfer_ns:
        why = "one CPU: nothing to measure between" if len(look.allowed) < 2 else look.unmeasured
        return unknown(
            "transfer",
            f"not measured: {why or _missing(found)}",
            "the cost of a hand-over between lcores is unknown on this host",
            "give nalm a second CPU, and run `nalm doctor` again when no measurement runs",
        )
    parts = [
        f"{pair} {ns:.0f} ns / {ns * found.core_ghz:.0f} cycles{_kind(look, pair)}"
        for pair, ns in found.transfer_ns.items()
    ]
    shown = parts if len(parts) <= 6 else [*_extremes(look), f"{len(parts)} pairs in all"]
    return ok("transfer", ", ".join(shown), **{f"{pair}_ns": ns for pair, ns in found.transfer_ns.items()})


def sharing(look: Look) -> Finding:
    """Slow-down of the measuring CPU by a busy CPU, which reveals hidden hyperthreads."""
    found = look.latencies
    if found is None or not found.sharing:
        return unknown(
            "shared units",
            f"not measured: {look.unmeasured or _missing(found) or 'there is no other CPU'}",
            "a neighbour may slow the measuring CPU",
            "run `nalm doctor` when no measurement runs",
        )
    worst = max(found.sharing.values())
    figures = {f"{pair}_ratio": ratio for pair, ratio in found.sharing.items()}
    shown = ", ".join(
        f"CPU {pair.replace('-', ' beside a busy CPU ')}: {ratio:.2f}x"
        for pair, ratio in found.sharing.items()
    )
    value = f"time for the same work, {shown}"
    if worst < SHARING_RATIO:
        return ok("shared units", value, **figures)
    return note(
        "shared units",
        value,
        "they are threads of one core: a program there slows the measuring CPU without stolen time",
        "keep the other CPU idle while nalm measures, or ask for whole cores",
        **figures,
    )


def microcode(look: Look) -> Finding:
    revisions = facts.microcodes(look.system)
    if not revisions:
        return unknown(
            "microcode",
            "/proc/cpuinfo names no revision" if look.system.text(CPUINFO) else look.hidden(CPUINFO),
            "an update that changes the figures goes unnoticed",
            "ask the host's operator",
        )
    if len(revisions) == 1:
        return ok("microcode", revisions[0])
    return note(
        "microcode",
        ", ".join(revisions),
        "cores differ: the same NF costs different cycles on them",
        "load one revision on all cores at boot",
    )


def mitigations(look: Look) -> Finding:
    found = facts.mitigations(look.system)
    if found is None:
        return unknown(
            "mitigations",
            look.hidden(f"{facts.CPU}/vulnerabilities"),
            "a change of mitigations changes the figures unnoticed",
            "mount /sys",
        )
    return ok("mitigations", ", ".join(sorted(found)) or "none concern this processor")


def _missing(found: Latencies | None) -> str:
    return "; ".join(f"{name}: {why}" for name, why in found.missing.items()) if found else ""


def _tlb(found: Latencies, level: str) -> str:
    return " with misses of the TLB" if level in found.tlb else ""


def _kind(look: Look, pair: str) -> str:
    one, other = (int(cpu) for cpu in pair.split("-"))
    if other in (facts.siblings(look.system, one) or []):
        return " (one core)"
    nodes = {facts.node_of(look.system, cpu) for cpu in (one, other)}
    return " (two nodes)" if len(nodes) == 2 else ""


def _extremes(look: Look) -> list[str]:
    assert look.latencies is not None
    ordered = sorted(look.latencies.transfer_ns.items(), key=lambda item: item[1])
    return [
        f"{word} {pair} {ns:.0f} ns{_kind(look, pair)}"
        for word, (pair, ns) in zip(("nearest", "farthest"), (ordered[0], ordered[-1]), strict=True)
    ]


def _cpus(cpus: tuple[int, ...]) -> str:
    return f"CPU {as_cpu_list(sorted(cpus))}"


def _size(size: int) -> str:
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"
