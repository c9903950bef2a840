# SPDX-License-Identifier: Apache-2.0
"""Finds the culprit among several commits: a bisect between the last good commit and the one with the change.

Its first step compares the ends, so it also confirms the finding.
"""

from __future__ import annotations

from nalm_core.report.outcome import DECIDED, Outcome
from nalm_core.text.commit_name import short

from nalm_server.alerts import lifecycle
from nalm_server.alerts.confirmation_schemas import PlanState, Remeasurement
from nalm_server.campaigns import pair_repository
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.bisection import service as bisects
from nalm_server.campaigns.bisection.kind import BisectResult, BisectSpec
from nalm_server.campaigns.bisection.schemas import BisectState
from nalm_server.campaigns.confirmation import queueing, repository
from nalm_server.campaigns.confirmation.case import Case
from nalm_server.campaigns.confirmation.evidence import Seen
from nalm_server.campaigns.confirmation.steps import detail_of, scenario_of
from nalm_server.campaigns.models import StepRow
from nalm_server.campaigns.pair_repository import ScenarioPair
from nalm_server.git.commits import repository as commits
from nalm_server.jobs.models import CampaignRow

MOST_OPEN = 2
"""Maximum number of a project's concurrent bisects for alerts."""


def begin(case: Case, seen: Seen, who: str | None = None) -> bool:
    """Starts the bisect; False if too many are open, unless a person requests it."""
    if who is None and repository.open_bisects(case.session, case.project.id) >= MOST_OPEN:
        return False
    figure = seen.figures[0] if seen.figures else None
    bisect = bisects.start(
        case.session,
        case.project.id,
        BisectSpec(
            scenario=seen.scenario,
            metric=figure.metric if figure is not None else None,
            stage=figure.stage if figure is not None else None,
            good_sha=seen.base_sha,
            bad_sha=seen.head_sha,
        ),
        requested_by=who or f"alert {case.alert.id}",
        now=case.now,
    )
    queueing.add_step(case, seen, Remeasurement.BISECT, child_id=bisect.id)
    case.goes_on(PlanState.BISECTING, f"bisect {bisect.number} searches for the commit")
    return True


def ended(case: Case, step: StepRow) -> None:
    """Applies the bisect's result to the alert."""
    bisect = campaigns.get(case.session, step.child_id) if step.child_id is not None else None
    direction = BisectResult.model_validate(bisect.result).direction if bisect is not None else None
    why = step.why or f"its bisect ended: {step.outcome}"
    if bisect is not None and direction == "regressed" and step.outcome == BisectState.FOUND:
        _found(case, step, bisect)
    elif direction == "regressed" and step.outcome == BisectState.RANGE:
        case.ends(PlanState.CONFIRMED, why)
    elif case.alert.confirmed_at is not None:
        case.ends(PlanState.CONFIRMED, f"{case.alert.reason}; the culprit is unknown: {why}")
    elif step.outcome == BisectState.NO_CHANGE or direction == "improved":
        case.ends(PlanState.DISMISSED, why)
    else:
        case.ends(PlanState.INCONCLUSIVE, f"not confirmed: {why}")


def _found(case: Case, step: StepRow, bisect: CampaignRow) -> None:
    """Measures the culprit against its parent. The bisect compares candidates with the good commit, so in a
    slow drift it also finds a first commit that differs enough from good."""
    spec, result = BisectSpec.model_validate(bisect.spec), BisectResult.model_validate(bisect.result)
    shas, scenario = spec.commits or [], scenario_of(step)
    culprit = result.high_sha or spec.bad_sha
    parent = shas[shas.index(culprit) - 1]
    case.note(base_sha=parent, head_sha=culprit)
    pair = ScenarioPair(case.project.id, scenario, parent, culprit)
    known = pair_repository.newest(case.session, pair, spec.figures, DECIDED, beside=False)
    if known is not None:
        settle(case, bisect, alone=known[1] == Outcome.REGRESSED)
        return
    case.goes_on(
        PlanState.MEASURING, f"bisect {bisect.number} found {short(culprit)}: measuring it against its parent"
    )
    queueing.first(case, [Seen(scenario, parent, culprit, detail_of(step).first_host, figures=spec.figures)])


def settle(case: Case, bisect: CampaignRow, *, alone: bool) -> None:
    """Ends the confirmation. alone: the culprit shows the change against its parent; otherwise no single
    commit does."""
    culprit = commits.find(case.session, case.project.id, case.result.head_sha)
    if alone and culprit is not None:
        why = f"bisect {bisect.number} found {short(culprit.sha)}"
        alert = lifecycle.move_culprit(case.session, case.alert, culprit.id, why, case.now)
        case.ends(PlanState.CONFIRMED, why, alert)
        return
    spec = BisectSpec.model_validate(bisect.spec)
    case.note(base_sha=spec.good_sha, head_sha=spec.bad_sha, gradual=True)
    case.ends(
        PlanState.CONFIRMED,
        f"gradual: {short(spec.bad_sha)} regressed against {short(spec.good_sha)}, but no single "
        f"commit between them did (bisect {bisect.number})",
    )
