# SPDX-License-Identifier: Apache-2.0
"""One alert's confirmation, taken as far as it goes without an answer that is still to come. The rule itself
is nalm_core.findings.confirmation."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_server.alerts.confirmation_schemas import ACTIVE, PlanState, Wanted
from nalm_server.alerts.states import OVER
from nalm_server.campaigns.bisection import service as bisects
from nalm_server.campaigns.confirmation import (
    answers,
    bisecting,
    evidence,
    hosts,
    judging,
    queueing,
    repository,
)
from nalm_server.campaigns.confirmation.case import Case
from nalm_server.campaigns.confirmation.evidence import Seen
from nalm_server.campaigns.confirmation.models import ConfirmationRow
from nalm_server.jobs import superseding


def advance(case: Case) -> None:
    asked = repository.rows_since(case.session, case.plan)
    for row in asked:
        if row.outcome is None:
            answers.take(case, row, asked)
    judging.note_hosts(case, asked)
    if case.alert.state in OVER and case.plan.state in ACTIVE and case.plan.requested_by is None:
        _close(case, asked)
    elif case.plan.state == PlanState.WAITING:
        _begin(case)
    elif case.plan.state == PlanState.MEASURING:
        _measuring(case, asked)
    elif case.plan.state == PlanState.BISECTING:
        row = [one for one in asked if one.wanted == Wanted.BISECT][-1]
        if row.outcome is not None:
            bisecting.ended(case, row)


def _close(case: Case, asked: Sequence[ConfirmationRow]) -> None:
    """Somebody said what it is: what nobody has begun to measure is not measured."""
    why = f"alert {case.alert.id} is {case.alert.state}"
    superseding.alert_closed(case.session, case.alert.id, why, case.now)
    for row in asked:
        if row.wanted == Wanted.BISECT and row.bisect_id is not None and row.outcome is None:
            bisects.stop(case.session, row.bisect_id, why, case.now)
    case.ends(PlanState.CLOSED, why)


def _begin(case: Case) -> None:
    found = evidence.seen(case.session, case.alert)
    if any(one.under_way for one in found):
        return
    if not found:
        case.ends(PlanState.INCONCLUSIVE, "not confirmed: no earlier commit is known to compare with")
    elif not hosts.any_agent(case.session, case.project):
        why = f"as first seen: pool {case.project.pool} has no host that could measure it again"
        case.ends(PlanState.CONFIRMED, why, again=False)
    elif case.alert.source == "history" and evidence.lie_between(case.session, case.project.id, found[0]):
        if not bisecting.begin(case, evidence.main(case.alert, found)):
            case.plan.why = f"waits for one of {bisecting.MOST_OPEN} bisects of the project to end"
    elif not queueing.room(case):
        case.plan.why = f"waits for one of {queueing.MOST_OPEN} confirmations of the project to end"
    else:
        _measure(case, found)


def _measuring(case: Case, asked: Sequence[ConfirmationRow]) -> None:
    joined = _joined(case, asked)
    if not joined:
        judging.judge(case, asked)
    elif not any(one.under_way for one in joined) and queueing.room(case):
        queueing.first(case, joined)


def _joined(case: Case, asked: Sequence[ConfirmationRow]) -> list[Seen]:
    """Scenarios that became part of the alert since the others were asked about; none once its commit is
    looked for, which one scenario tells."""
    if any(one.wanted == Wanted.BISECT for one in asked):
        return []
    known = {one.scenario for one in asked}
    return [one for one in evidence.seen(case.session, case.alert) if one.scenario not in known]


def _measure(case: Case, found: Sequence[Seen]) -> None:
    case.plan.base_sha, case.plan.head_sha = found[0].base_sha, found[0].head_sha
    case.goes_on(PlanState.MEASURING, "being measured again")
    queueing.first(case, found)
