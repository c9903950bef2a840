# SPDX-License-Identifier: Apache-2.0
"""What the host delivers per second, its power, and what a line costs that another CPU had."""

from __future__ import annotations

from collections.abc import Mapping

from nalm_core.models.host_costs import line_costs
from nalm_core.report.host_supply import HostSupply

from nalm_agent.doctor.finding import Finding, ok, unknown
from nalm_agent.doctor.look import Look
from nalm_agent.host.supply import INSTRUCTIONS, WATTS

AGAIN = "run `nalm doctor` again when no measurement runs"


def supply(look: Look) -> Finding:
    """Instructions and lines per second (Pongrácz, Section 3)."""
    found = _supply(look)
    if found is None or not found.one:
        why = look.unmeasured or _reasons(found, (INSTRUCTIONS, "L1d", "L2", "L3", "memory"))
        return unknown("supply", f"not measured: {why}", "`nalm model capacity` needs figures by hand", AGAIN)
    value = f"one CPU {_rates(found.one)}"
    if found.cpus > 1 and found.together:
        value += f"; {found.cpus} CPUs together {_rates(found.together)}"
    figures = {f"{name}_per_s": rate for name, rate in found.one.items()}
    figures |= {f"together_{name}_per_s": rate for name, rate in found.together.items()}
    return ok("supply", value, **figures)


def cache_lines(look: Look) -> Finding:
    """One dependent load of a line that another CPU had (Wu et al., Table VI)."""
    found = _supply(look)
    if found is None or not found.line_ns:
        why = look.unmeasured or _reasons(found, ("clean", "dirty", "memory"))
        return unknown(
            "cache lines",
            f"not measured: {why}",
            "the cost of a hand-over between lcores is unknown on this host",
            f"give nalm a second CPU, and {AGAIN}",
        )
    parts = []
    for one in line_costs(found.line_ns, found.core_hz, found.missing):
        name = one.name.replace("_", " ")
        if one.ns is None or one.cycles is None:
            parts.append(f"{name} not measured ({one.missing})")
        else:
            parts.append(
                f"{name} {one.ns:.0f} ns / {one.cycles:.0f} cycles (Wu et al. {one.published_cycles:.0f})"
            )
    return ok("cache lines", ", ".join(parts), **{f"{name}_ns": ns for name, ns in found.line_ns.items()})


def power(look: Look) -> Finding:
    """Watts while all CPUs work, by RAPL."""
    found = _supply(look)
    if found is None or found.watts is None:
        why = look.unmeasured or _reasons(found, (WATTS,))
        return unknown(
            "power",
            f"not measured: {why}",
            "rates per watt are missing",
            "run as root on bare metal, whose kernel shows powercap",
        )
    return ok("power", f"{found.watts:.1f} W while all CPUs work", watts=found.watts)


def _supply(look: Look) -> HostSupply | None:
    return None if look.latencies is None else look.latencies.supply


def _reasons(found: HostSupply | None, names: tuple[str, ...]) -> str:
    reasons = {} if found is None else found.missing
    return "; ".join(dict.fromkeys(reasons[name] for name in names if name in reasons)) or "it was not tried"


def _rates(rates: Mapping[str, float]) -> str:
    unit = {INSTRUCTIONS: "instructions/s"}
    return ", ".join(
        f"{rate / 1e9:.2f} G {unit.get(name, f'lines/s from {name}')}" for name, rate in rates.items()
    )
