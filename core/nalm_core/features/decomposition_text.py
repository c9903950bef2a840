# SPDX-License-Identifier: Apache-2.0
"""Texts of a decomposition. Figures are rounded so that the shown ones add up, too."""

from __future__ import annotations

from nalm_core.features.decomposition import Decomposition
from nalm_core.text.percents import change_percent, interval_percent

PARTS = ("efficiency", "mix", "features", "model")
DIGITS = 1


def one_line(found: Decomposition) -> str:
    """`CPP 260 to 690: efficiency +30.0 (+11.5 %, +10.9 .. +12.1 % at 95 %), mix +400.0 cycles/packet`."""
    parts = {name: _rounded(getattr(found, f"{name}_cycles")) for name in PARTS}
    base = _rounded(found.base_cycles)
    shown = [_part(name, cycles, found) for name, cycles in parts.items() if cycles or name == "efficiency"]
    head = base + sum(parts.values())
    return f"CPP {base:.{DIGITS}f} to {head:.{DIGITS}f}: {', '.join(shown)} cycles/packet"


def stage_lines(found: Decomposition) -> list[str]:
    """A line for each stage with a part, in pass order."""
    lines = []
    for stage in found.stages:
        parts = {name: _rounded(getattr(stage, f"{name}_cycles")) for name in PARTS}
        shown = ", ".join(f"{name} {cycles:+.{DIGITS}f}" for name, cycles in parts.items() if cycles)
        if shown:
            lines.append(f"{stage.stage}: {shown}")
    return lines


def is_shown(found: Decomposition) -> bool:
    """True if a part other than efficiency changed, so that it says more than the total change."""
    return any(_rounded(getattr(found, f"{name}_cycles")) for name in PARTS if name != "efficiency")


def _rounded(value: float) -> float:
    return round(value, DIGITS) + 0.0


def _part(name: str, cycles: float, found: Decomposition) -> str:
    text = f"{name} {cycles:+.{DIGITS}f}"
    if name != "efficiency" or found.efficiency_ratio is None:
        return text
    interval = ""
    if found.low is not None and found.high is not None:
        interval = f", {interval_percent(found.low - 1, found.high - 1)} at {100 * found.level:.4g} %"
    return f"{text} ({change_percent(found.efficiency_ratio - 1)}{interval})"
