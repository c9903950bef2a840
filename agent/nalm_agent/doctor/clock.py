# SPDX-License-Identifier: Apache-2.0
"""TSC, core clock and what moves it: governor, turbo, idle states."""

from __future__ import annotations

from nalm_core.text.percents import share_percent

from nalm_agent.doctor.finding import Finding, Level, note, ok, unknown
from nalm_agent.doctor.look import Look
from nalm_agent.host import tsc as source
from nalm_agent.host.facts import BOOST, CPU
from nalm_agent.host.facts import turbo as turbo_state

SWING_LIMIT = 0.02
"""Of the core clock, 5th to 95th percentile; beyond it a turn may differ from its neighbour by that much."""
SLOW_WAKE_US = 10
"""An idle state that takes longer to leave is deep: clock and caches are not as they were."""
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
        "use a host with a constant TSC",
    )


def core_clock(look: Look) -> Finding:
    """How steadily the measuring core runs, from chains of one addition per cycle."""
    found = look.latencies
    if found is None:
        return unknown(
            "core clock",
            f"not measured: {look.unmeasured}",
            "the TSC does not see a change of the core's clock: it would look like a change of the NF",
            "install a compiler, or run `nalm doctor` again when nothing is measured",
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
        "stop other programs; governor performance and turbo off where the host lets you (--tune)",
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
            "ask whoever runs the host; the swing of the core clock above shows what is left of it",
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
            "ask whoever runs the host; base and head share what is left of it, turn by turn",
        )
    if not on:
        return ok("turbo", "off")
    return note(
        "turbo",
        "on",
        "the clock depends on temperature and on how many cores work: cycles of the TSC move with it",
        TUNE,
    )


def idle_states(look: Look) -> Finding:
    """Idle states of the measuring CPUs that are slow to leave."""
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
        return ok("idle states", f"none slower than {SLOW_WAKE_US} us to leave")
    return note(
        "idle states",
        ", ".join(sorted(deep)),
        "a core that slept comes back late and with cold caches: the start of a turn is slower",
        TUNE,
    )
