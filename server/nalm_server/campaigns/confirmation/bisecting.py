# SPDX-License-Identifier: Apache-2.0
"""Which of several commits it was: a bisect between the last good commit and the one in which it was seen.

Its first step compares the ends, so it confirms the finding, too.
"""

from __future__ import annotations

from nalm_core.text.commit_name import short

from nalm_server.alerts import lifecycle
from nalm_server.alerts.confirmation_schemas import PlanState, Wanted
from nalm_server.campaigns.bisection import repository as bisects
from nalm_server.campaigns.bisection import service as bisect_service
from nalm_server.campaigns.bisection.models import BisectRow
from nalm_server.campaigns.bisection.schemas import BisectState
from nalm_server.campaigns.confirmation import queueing, repository
from nalm_server.campaigns.confirmation.case import Case
from nalm_server.campaigns.confirmation.evidence import Seen
from nalm_server.campaigns.confirmation.models import ConfirmationRow
from nalm_server.git.commits import repository as commits

MOST_OPEN = 2
"""Bisects of a project that alerts asked for, at once."""


def begin(case: Case, one: Seen, who: str | None = None) -> bool:
    """Starts it; False if too many are open, unless a person asks."""
    if who is None and repository.open_bisects(case.session, case.project.id) >= MOST_OPEN:
        return False
    made = bisect_service.start(
        case.session,
        case.project.id,
        one.scenario,
        good=one.base_sha,
        bad=one.head_sha,
        requested_by=who or f"alert {case.alert.id}",
        now=case.now,
    )
    row = ConfirmationRow(alert_id=case.alert.id, scenario=one.scenario, wanted=Wanted.BISECT)
    row.bisect_id, row.first_host, row.asked_at = made.id, one.host, case.now
    repository.add(case.session, row)
    case.goes_on(PlanState.BISECTING, f"bisect {made.id} looks for the commit")
    return True


def ended(case: Case, row: ConfirmationRow) -> None:
    """Says of the alert what the bisect came to."""
    bisect = bisects.find(case.session, row.bisect_id) if row.bisect_id is not None else None
    why = row.why or f"its bisect is {row.outcome}"
    if bisect is not None and bisect.direction == "regressed" and row.outcome == BisectState.FOUND:
        _found(case, row, bisect)
    elif bisect is not None and bisect.direction == "regressed" and row.outcome == BisectState.RANGE:
        case.ends(PlanState.CONFIRMED, why)
    elif case.alert.confirmed_at is not None:
        case.ends(PlanState.CONFIRMED, f"{case.alert.reason}; which commit it was is not known: {why}")
    elif row.outcome == BisectState.NO_CHANGE or (bisect is not None and bisect.direction == "improved"):
        case.ends(PlanState.DISMISSED, why)
    else:
        case.ends(PlanState.INCONCLUSIVE, f"not confirmed: {why}")


def _found(case: Case, row: ConfirmationRow, bisect: BisectRow) -> None:
    """Candidates were compared with good, and so even a slow drift has a first one that is far enough from
    it: the culprit must show it against its own parent."""
    shas = bisect.commits or []
    culprit = bisect.high_sha or bisect.bad_sha
    parent = shas[shas.index(culprit) - 1]
    case.plan.base_sha, case.plan.head_sha = parent, culprit
    outcome = repository.pair_outcome(case.session, case.project.id, row.scenario, parent, culprit)
    if outcome is not None:
        settle(case, bisect, alone=outcome == "regressed")
        return
    case.goes_on(
        PlanState.MEASURING, f"bisect {bisect.id} found {short(culprit)}: measured against its parent"
    )
    queueing.first(case, [Seen(row.scenario, parent, culprit, row.first_host)])


def settle(case: Case, bisect: BisectRow, *, alone: bool) -> None:
    """The pair of culprit and parent is known: it did it `alone`, or nobody did."""
    culprit = commits.find(case.session, case.project.id, case.plan.head_sha)
    if alone and culprit is not None:
        why = f"bisect {bisect.id} found {short(culprit.sha)}"
        alert = lifecycle.move_culprit(case.session, case.alert, culprit.id, why, case.now)
        case.ends(PlanState.CONFIRMED, why, alert)
        return
    case.plan.base_sha, case.plan.head_sha = bisect.good_sha, bisect.bad_sha
    case.plan.gradual = True
    case.ends(
        PlanState.CONFIRMED,
        f"gradual: {short(bisect.bad_sha)} regressed against {short(bisect.good_sha)}, but no commit between "
        f"them did alone (bisect {bisect.id})",
    )
