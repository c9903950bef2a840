# SPDX-License-Identifier: Apache-2.0
"""Resolution of a host from an A/A run: the size of change that it detects in a given time."""

from __future__ import annotations

from nalm_core.report.defaults import CONFIDENCE
from nalm_core.report.rounds import launches_done
from nalm_core.report.run_report import Arm
from nalm_core.stats.resolution import POWER, LaunchNoise, Resolution, resolutions, spread
from nalm_core.stats.sequential import chain_estimate
from nalm_core.text.percents import margin_percent, share_percent

from nalm_agent.doctor.finding import Finding, note, ok
from nalm_agent.doctor.noise import AaRun
from nalm_agent.runtime.errors import HostError

MARGIN_WITHIN_S = 60.0
"""A host that needs longer to detect a change of the margin is too noisy for it."""


def noise(run: AaRun) -> Finding:
    """The finding of an A/A run. Raises HostError if too few of its launches are usable."""
    report = run.report
    estimate = chain_estimate(report, Arm.BASE, Arm.HEAD)
    launches = launches_done(report)
    if estimate is None:
        raise HostError(
            f"none of {launches} launches could be used: other programs disturbed all of them",
            hint="stop other programs, or allow more time with --seconds",
        )
    found = spread(estimate, run.seconds / estimate.launches)
    seen = resolutions(found, report.settings)
    at_most = f"at most {share_percent(found.ln_sd_high, 2)} at {share_percent(CONFIDENCE, 0)}"
    value = (
        f"a change of {', '.join(_text(one) for one in seen)} is found with {share_percent(POWER, 0)} power; "
        f"A/A ratio {estimate.ratio:.4f} over {found.launches} of {launches} launches, which differ by "
        f"{share_percent(found.ln_sd, 2)} ({at_most})"
    )
    figures = _figures(found, seen) | {"margin": report.settings.margin}
    margin, minute = report.settings.margin, next(one for one in seen if one.seconds == MARGIN_WITHIN_S)
    if minute.change is not None and minute.change <= margin:
        return ok("noise", value, **figures)
    return note(
        "noise",
        value,
        f"changes of the margin ({margin_percent(margin)}) stay inconclusive unless a run takes longer than "
        "a minute",
        "stop other programs, nalm doctor --tune (as root), or judge with more launches or a wider margin",
        **figures,
    )


def _text(one: Resolution) -> str:
    size = "nothing" if one.change is None else share_percent(one.change)
    length = f"{one.seconds / 60:g} min" if one.seconds >= 60 else f"{one.seconds:g} s"
    return f"{size} in {length}"


def _figures(found: LaunchNoise, seen: list[Resolution]) -> dict[str, float]:
    changes = {f"change_in_{one.seconds:g}_s": one.change for one in seen if one.change is not None}
    return changes | {
        "ln_sd": found.ln_sd,
        "ln_sd_high": found.ln_sd_high,
        "ln_ratio": found.ln_ratio,
        "launches": found.launches,
        "seconds_per_launch": found.seconds_per_launch,
    }
