# SPDX-License-Identifier: Apache-2.0
"""Figures of findings: delays until their confirmation, and decisions of people and measurements."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.findings import detection_quality
from nalm_core.findings.detection_quality import Rate, false_discoveries, rate_of, spread
from nalm_core.text.amounts import amount
from nalm_core.text.percents import rate_percent

from nalm_server.alerts.states import AlertState
from nalm_server.self_test.finding_repository import ListedFinding
from nalm_server.self_test.repository import Ended
from nalm_server.self_test.schemas import Delay, FalseDiscoveries, Findings, Proportion, Spread
from nalm_server.self_test.trial_figures import proportion

ACCEPTED = (AlertState.ACKNOWLEDGED, AlertState.EXPECTED, AlertState.FIXED)
REFUSED = (AlertState.FALSE_ALARM,)
NOBODY = "nobody has decided on a finding yet"
NOT_AGAIN = "no finding was measured again yet"
NO_FINDING = "no finding was confirmed yet"
NONE_YET = "no finding yet"


def accepted(ended: Sequence[Ended]) -> Proportion:
    """Acceptance of findings that people decided; measurements do not count."""
    yes = sum(one.decision in ACCEPTED for one in ended)
    no = sum(one.decision in REFUSED for one in ended)
    return proportion(yes, yes + no, NOBODY)


def findings(found: Sequence[ListedFinding], ended: Sequence[Ended]) -> Findings:
    gone = sum(one.state == AlertState.DISMISSED and not one.merged for one in found)
    seen = sum(one.confirmed_at is not None and one.state != AlertState.DISMISSED for one in found)
    real = [one for one in ended if not one.dismissed]
    return Findings(
        accepted=accepted(ended),
        confirmed=proportion(seen, gone + seen, NOT_AGAIN),
        dismissed=proportion(gone, gone + seen, NOT_AGAIN),
        fix_measured=proportion(sum(one.fix_measured for one in real), len(real), NONE_YET),
    )


def delay(found: Sequence[ListedFinding]) -> Delay:
    """Delays of confirmed findings."""
    confirmed = [one for one in found if one.confirmed_at is not None]
    commits = spread([float(one.commits) for one in confirmed])
    minutes = spread(
        [
            (one.confirmed_at - one.begun_at).total_seconds() / 60
            for one in confirmed
            if one.confirmed_at is not None and one.begun_at is not None
        ]
    )
    return Delay(commits=_shown(commits), minutes=_shown(minutes), sentence=_sentence(commits, minutes))


def _shown(one: detection_quality.Spread | None) -> Spread | None:
    return None if one is None else Spread.model_validate(one)


def _sentence(commits: detection_quality.Spread | None, minutes: detection_quality.Spread | None) -> str:
    if commits is None:
        return NO_FINDING
    words = f"{amount(commits.count, 'alert')} confirmed; {_of_several(commits)}{_measured(commits.median)}"
    if commits.count > 1:
        words += f", longest {commits.longest:g}"
    if minutes is None:
        return words
    known = f" ({minutes.count} of {commits.count} known)" if minutes.count < commits.count else ""
    return f"{words}; {_of_several(minutes)}{amount(round(minutes.median), 'minute')}{known}"


def _of_several(one: detection_quality.Spread) -> str:
    return "median delay " if one.count > 1 else "delay "


def _measured(commits: float) -> str:
    """In words; a median may end in a half."""
    return (
        amount(int(commits), "measured commit") if commits.is_integer() else f"{commits:g} measured commits"
    )


def discoveries(alarms: Proportion, judged: int, changed: int) -> FalseDiscoveries:
    """False-alarm rate relative to the share of runs with a change."""
    found = false_discoveries(_rate(alarms), judged, changed)
    if found is None:
        why = alarms.sentence if alarms.rate is None else f"nothing was called changed in {judged} runs"
        return FalseDiscoveries(share=None, at_most=None, judged=judged, found=changed, sentence=why)
    share, at_most = (rate_percent(one) for one in (found.share, found.at_most))
    sentence = (
        f"{changed} of {judged} runs were called changed; {share} of them by mistake, "
        f"{at_most} at most at {100 * detection_quality.QUALITY_LEVEL:g} %"
    )
    return FalseDiscoveries(
        share=found.share, at_most=found.at_most, judged=judged, found=changed, sentence=sentence
    )


def _rate(one: Proportion) -> Rate:
    return rate_of(one.hits, one.trials)
