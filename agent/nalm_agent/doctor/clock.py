# SPDX-License-Identifier: Apache-2.0
"""TSC, core clock and what changes it: governor, turbo, idle states."""

from __future__ import annotations

from nalm_core.text.percents import share_percent

from nalm_agent.doctor.finding import Finding, Level, note, ok, unknown
from nalm_agent.doctor.look import Look
from nalm_agent.host import tsc as source
from nalm_agent.host.facts import BOOST, CPU
from nalm_agent.host.facts import turbo as turbo_state
from nalm_agent.host.tunables import SLOW_WAKE_US

SWING_LIMIT = 0.02
"""Largest harmless swing of the core clock, relative, from its 5th to its 95th percentile. Neighbouring turns
may differ by the swing."""
TUNE = "nalm doctor --tune (as root)"


def tsc(look: Look) -> Finding:
    reason, rate = source.available(), source.frequency_hz()
    if reason is None and rate is not None:
        return ok("tsc", f"constant, {rate / 1e9:.3f} GHz")
    return Finding(
        "tsc",
        Level.FATAL,
        reason or "rate unknown",
        "cycles cannot be measured",
        "use a host with a constant TSC" if look.system.text("/proc/cpuinfo") else "mount /proc",
    )


def core_clock(look: Look) -> Finding:
    """Steadiness of the measuring core's clock, from chains of one addition per cycle."""
    found = look.latencies
    if found is None:
        return unknown(
            "core clock",
            f"not measured: {look.unmeasured}",
            "the TSC does not show a change of the core's clock, which would look like a change of the NF",
            "install a compiler, or run `nalm doctor` again when no measurement runs",
        )
    swing = found.swing()
    between = f"{share_percent(swing)} between its 5th and 95th percentile"
    value = f"{found.core_ghz:.2f} GHz on CPU {found.cpu}, {between}"
    figures = {"core_ghz": found.core_ghz, "swing": swing}
    if swing <= SWING_LIMIT:
        return ok("core clock", value, **figures)
    return note(
        "core clock",
        value,
        "single turns differ by that much: more launches are needed",
        "stop other programs; set governor performance and turbo off where the host allows it (--tune)",
        **figures,
    )


def governor(look: Look) -> Finding:
    paths = [f"{CPU}/cpu{cpu}/cpufreq/scaling_governor" for cpu in look.measuring]
    found = {text for path in paths if (text := look.system.text(path))}
    if not found:
        return unknown(
            "governor",
            look.hidden(paths[0]),
            "the clock may rise in the first turns after an idle time",
            "ask the host's operator; the swing of the core clock above shows the remaining effect",
        )
    if found == {"performance"}:
        return ok("governor", "performance")
    return note(
        "governor",
        ", ".join(sorted(found)),
        "the clock follows the load: a waiting NF starts its turn slowly",
        TUNE,
    )


def turbo(look: Look) -> Finding:
    on = turbo_state(look.system)
    if on is None:
        return unknown(
            "turbo",
            look.hidden(BOOST),
            "the clock may depend on how warm the host is and what its other cores do",
            "ask the host's operator; base and head share the remaining effect, turn by turn",
        )
    if not on:
        return ok("turbo", "off")
    return note(
        "turbo",
        "on",
        "the clock depends on temperature and on the number of busy cores; TSC cycles change with it",
        TUNE,
    )


def idle_states(look: Look) -> Finding:
    """Idle states of the measuring CPUs with a long wake-up latency."""
    deep, seen = set[str](), False
    for cpu in look.measuring:
        for state in look.system.names(f"{CPU}/cpu{cpu}/cpuidle/state[0-9]*"):
            seen = True
            latency = look.system.text(f"{state}/latency") or "0"
            enabled = look.system.text(f"{state}/disable") == "0"
            if enabled and latency.isdigit() and int(latency) > SLOW_WAKE_US:
                deep.add(f"{look.system.text(f'{state}/name')} ({latency} us)")
    if not seen:
        return unknown(
            "idle states",
            look.hidden(f"{CPU}/cpu{look.measuring[0]}/cpuidle"),
            "the first packets after a wait may be slower",
            "none in this guest; the first turn of a launch is not recorded",
        )
    if not deep:
        return ok("idle states", f"none with a wake-up latency above {SLOW_WAKE_US} us")
    return note(
        "idle states",
        ", ".join(sorted(deep)),
        "a core wakes late and with cold caches: the start of a turn is slower",
        TUNE,
    )
