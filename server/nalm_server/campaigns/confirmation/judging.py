# SPDX-License-Identifier: Apache-2.0
"""What the measurements of a finding say of it, once they are in."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.findings.confirmation import Answer, Decision, Kind, decide, overall
from nalm_core.report.defaults import MARGIN

from nalm_server.alerts.confirmation_schemas import PlanState, Wanted
from nalm_server.campaigns.bisection import repository as bisects
from nalm_server.campaigns.confirmation import answers, bisecting, evidence, queueing
from nalm_server.campaigns.confirmation.case import Case
from nalm_server.campaigns.confirmation.evidence import Seen
from nalm_server.campaigns.confirmation.models import ConfirmationRow


def note_hosts(case: Case, asked: Sequence[ConfirmationRow]) -> None:
    """Which hosts see it so far, and which do not."""
    decisions = _decisions(case, [one for one in asked if one.wanted != Wanted.BISECT]).values()
    seen = {host for one in decisions for host in one.seen_on}
    unseen = {host for one in decisions for host in one.not_seen_on} - seen
    if (sorted(seen), sorted(unseen)) != (case.plan.seen_on, case.plan.not_seen_on):
        case.plan.seen_on, case.plan.not_seen_on = sorted(seen), sorted(unseen)


def judge(case: Case, asked: Sequence[ConfirmationRow]) -> None:
    """Ends the plan, or asks once more, if all that was asked for allows it."""
    bisect = next((one for one in reversed(asked) if one.wanted == Wanted.BISECT), None)
    measured = [
        one for one in asked if one.wanted != Wanted.BISECT and (bisect is None or one.id > bisect.id)
    ]
    decisions = _decisions(case, measured, after_bisect=bisect is not None)
    answer = overall(list(decisions.values()))
    if answer is Answer.WAITING:
        return
    if answer is Answer.AGAIN:
        _again(case, decisions, measured)
    elif bisect is not None and (row := bisects.find(case.session, bisect.bisect_id or 0)) is not None:
        # Undecided: the bisect's own measurements, of the culprit and of its parent, told them apart.
        bisecting.settle(case, row, alone=answer is not Answer.DISMISSED)
    else:
        _end(case, decisions, answer)


def _decisions(
    case: Case, measured: Sequence[ConfirmationRow], *, after_bisect: bool = False
) -> dict[str, Decision]:
    """By scenario. After a bisect it is another pair: the run that raised the alert says nothing of it."""
    if not measured:
        return {}
    kind: Kind = "broken" if case.alert.kind == "broken" else "regression"
    firsts = {} if after_bisect else _firsts(case)
    decisions = {}
    for scenario in dict.fromkeys(one.scenario for one in measured):
        own = [answers.measurement(one) for one in measured if one.scenario == scenario]
        first = firsts.get(scenario)
        margin = first.margin if first is not None else MARGIN
        decisions[scenario] = decide(kind, first.ratio if first else None, own, margin=margin)
    return decisions


def _firsts(case: Case) -> dict[str, Seen]:
    return {one.scenario: one for one in evidence.seen(case.session, case.alert)}


def _again(case: Case, decisions: dict[str, Decision], measured: Sequence[ConfirmationRow]) -> None:
    undecided = [name for name, one in decisions.items() if one.answer is Answer.AGAIN]
    firsts = _firsts(case)
    wanted = []
    for name in undecided:
        host = next(one.first_host for one in measured if one.scenario == name)
        needs = firsts[name].needs if name in firsts else None
        wanted.append(Seen(name, case.plan.base_sha, case.plan.head_sha, host, needs))
    times = max(sum(_same(one, name) for one in measured) for name in undecided)
    case.goes_on(PlanState.MEASURING, f"undecided, measured once more with more time: {', '.join(undecided)}")
    queueing.again(case, wanted, times)


def _same(row: ConfirmationRow, scenario: str) -> bool:
    return row.scenario == scenario and row.wanted == Wanted.SAME


def _end(case: Case, decisions: dict[str, Decision], answer: Answer) -> None:
    said = [f"{name}: {one.why}" for name, one in decisions.items() if one.answer is answer]
    rest = [f"{name}: {one.why}" for name, one in decisions.items()]
    case.ends(PlanState(answer.value), "; ".join(said or rest))
    found = evidence.seen(case.session, case.alert)
    if answer is Answer.CONFIRMED and found:
        main = evidence.main(case.alert, found)
        if evidence.lie_between(case.session, case.project.id, main):
            bisecting.begin(case, main)
