# SPDX-License-Identifier: Apache-2.0
"""Figures of findings: how late they were told, and what people and second measurements made of them."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core import quality
from nalm_core.quality import Rate, false_discoveries, rate_of, spread

from nalm_server.alerts.states import AlertState
from nalm_server.quality.figures import proportion
from nalm_server.quality.found import Found
from nalm_server.quality.schemas import Delay, FalseDiscoveries, Findings, Proportion, Spread

ACCEPTED = (AlertState.ACKNOWLEDGED, AlertState.EXPECTED, AlertState.FIXED)
NOBODY = "nobody has decided on a finding yet"
NOT_AGAIN = "no finding was measured again yet"
NO_FINDING = "no finding was confirmed yet"


def accepted(found: Sequence[Found]) -> Proportion:
    """Of those that were decided on. A fix decides if it was measured, or came after a confirmation."""
    yes = sum(
        one.state in ACCEPTED and (one.state != AlertState.FIXED or one.confirmed_at is not None)
        for one in found
    )
    no = sum(one.state == AlertState.FALSE_ALARM for one in found)
    return proportion(yes, yes + no, NOBODY)


def findings(found: Sequence[Found]) -> Findings:
    gone = sum(one.state == AlertState.DISMISSED and not one.merged for one in found)
    seen = sum(one.confirmed_at is not None and one.state != AlertState.DISMISSED for one in found)
    return Findings(accepted=accepted(found), dismissed=proportion(gone, gone + seen, NOT_AGAIN))


def delay(found: Sequence[Found]) -> Delay:
    """Of confirmed ones."""
    confirmed = [one for one in found if one.confirmed_at is not None]
    commits = spread([float(one.commits) for one in confirmed])
    minutes = spread(
        [
            (one.confirmed_at - one.begun_at).total_seconds() / 60
            for one in confirmed
            if one.confirmed_at is not None and one.begun_at is not None
        ]
    )
    return Delay(commits=_shown(commits), minutes=_shown(minutes), said=_said(commits, minutes))


def _shown(one: quality.Spread | None) -> Spread | None:
    return None if one is None else Spread.model_validate(one)


def _said(commits: quality.Spread | None, minutes: quality.Spread | None) -> str:
    if commits is None:
        return NO_FINDING
    words = f"{commits.count} confirmed, after {commits.median:g} commits, at most {commits.longest:g}"
    return words if minutes is None else f"{words}; after {minutes.median:.0f} minutes (medians)"


def discoveries(alarms: Proportion, judged: int, changed: int) -> FalseDiscoveries:
    """The false-alarm rate, put against how many runs were called changed."""
    found = false_discoveries(_rate(alarms), judged, changed)
    if found is None:
        why = alarms.said if alarms.rate is None else f"nothing was called changed in {judged} runs"
        return FalseDiscoveries(share=None, at_most=None, judged=judged, found=changed, said=why)
    said = (
        f"{changed} of {judged} runs were called changed; "
        f"{quality.share_text(found.share)} of them by mistake, "
        f"{quality.share_text(found.at_most)} at most at {100 * quality.QUALITY_LEVEL:g} %"
    )
    return FalseDiscoveries(share=found.share, at_most=found.at_most, judged=judged, found=changed, said=said)


def _rate(one: Proportion) -> Rate:
    return rate_of(one.hits, one.trials)
