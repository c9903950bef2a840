# SPDX-License-Identifier: Apache-2.0
"""Time that other guests and programs take on this host now."""

from __future__ import annotations

from nalm_core.text.percents import share_percent

from nalm_agent.doctor.finding import Finding, note, ok, unknown
from nalm_agent.doctor.look import Look

BUSY_SHARE = 0.5
"""Load per CPU from which other programs disturb a measurement noticeably."""
STOLEN_SHARE = 0.01
SHORTEST_LOOK_S = 0.2
"""Least duration of an examination: the kernel counts in hundredths of a second."""


def steal(look: Look) -> Finding:
    """CPU time that other guests took during the examination."""
    stolen, seconds = look.disturbed.stolen, look.disturbed.seconds
    if stolen is None or seconds < SHORTEST_LOOK_S:
        if look.system.text("/proc/stat") is None:
            reason = look.hidden("/proc/stat")
        elif stolen is None:
            reason = "the kernel does not count it"
        else:
            reason = f"the examination of {seconds:.1f} s was too short"
        return unknown(
            "steal",
            reason,
            "other guests may take time unnoticed",
            "run `nalm doctor --noise`, which shows the remaining effect",
        )
    value = f"{share_percent(stolen)} over {seconds:.1f} s"
    if stolen < STOLEN_SHARE:
        return ok("steal", value, share=stolen)
    return note(
        "steal",
        value,
        "rounds that lose time are less precise: more launches are needed",
        "ask for dedicated CPUs, or measure at another time",
        share=stolen,
    )


def load(look: Look) -> Finding:
    text = look.system.text("/proc/loadavg")
    if text is None:
        return unknown(
            "load", look.hidden("/proc/loadavg"), "other programs may disturb rounds", "mount /proc"
        )
    one_minute = float(text.split()[0]) / len(look.online)
    value = f"{one_minute:.2f} per CPU over a minute"
    if one_minute < BUSY_SHARE:
        return ok("load", value)
    return note(
        "load",
        value,
        "rounds are disturbed: more launches are needed, or the verdict stays inconclusive",
        "stop other programs, or reserve a CPU for nalm",
    )
