# SPDX-License-Identifier: Apache-2.0
"""Judges a finding from its second measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nalm_core.findings.confirmation import Answer, Decision, Kind, decide, overall
from nalm_core.findings.figure import Figure
from nalm_core.report.catalogue import title_of
from nalm_core.report.defaults import MARGIN
from nalm_core.report.outcome import WORST_FIRST, Outcome

from nalm_server.alerts.confirmation_schemas import PlanState, Remeasurement
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.confirmation import answers, bisecting, evidence, queueing
from nalm_server.campaigns.confirmation.case import Case
from nalm_server.campaigns.confirmation.evidence import Seen
from nalm_server.campaigns.confirmation.steps import detail_of, is_bisect, scenario_of
from nalm_server.campaigns.models import StepRow
from nalm_server.results.summary import settings_of


def note_hosts(case: Case, steps: Sequence[StepRow]) -> None:
    """Stores which hosts reproduce the change so far, and which do not."""
    decisions = _decisions(case, [step for step in steps if not is_bisect(step)]).values()
    seen = {host for decision in decisions for host in decision.seen_on}
    unseen = {host for decision in decisions for host in decision.not_seen_on} - seen
    if (sorted(seen), sorted(unseen)) != (case.result.reproduced_on, case.result.not_reproduced_on):
        case.note(reproduced_on=sorted(seen), not_reproduced_on=sorted(unseen))


def judge(case: Case, steps: Sequence[StepRow]) -> None:
    """Ends the confirmation, or measures once more, if all results needed for that are in."""
    search = next((step for step in reversed(steps) if is_bisect(step)), None)
    measured = [
        step for step in steps if not is_bisect(step) and (search is None or step.ordinal > search.ordinal)
    ]
    decisions = _decisions(case, measured, after_bisect=search is not None)
    answer = overall(list(decisions.values()))
    if answer is Answer.WAITING:
        return
    bisect = campaigns.get(case.session, search.child_id) if search and search.child_id else None
    if answer is Answer.AGAIN:
        _again(case, decisions, measured)
    elif bisect is not None:
        # Undecided: the bisect's own measurements of the culprit and its parent distinguished them.
        bisecting.settle(case, bisect, alone=answer is not Answer.DISMISSED)
    else:
        _end(case, measured, decisions, answer)


def _decisions(case: Case, measured: Sequence[StepRow], *, after_bisect: bool = False) -> dict[str, Decision]:
    """By scenario. After a bisect the pair is another one: the run that raised the alert does not count."""
    if not measured:
        return {}
    kind: Kind = "broken" if case.alert.kind == "broken" else "regression"
    firsts = {} if after_bisect else _firsts(case)
    decisions = {}
    for scenario in dict.fromkeys(scenario_of(step) for step in measured):
        own = [answers.measurement(step) for step in measured if step.scenario == scenario]
        first = firsts.get(scenario)
        margin = first.margin if first is not None else MARGIN
        decisions[scenario] = decide(kind, first.ratio if first else None, own, margin=margin)
    return decisions


def _firsts(case: Case) -> dict[str, Seen]:
    return {seen.scenario: seen for seen in case.evidence}


def _again(case: Case, decisions: dict[str, Decision], measured: Sequence[StepRow]) -> None:
    undecided = [name for name, decision in decisions.items() if decision.answer is Answer.AGAIN]
    firsts, result = _firsts(case), case.result
    repeated = []
    for name in undecided:
        detail = next(detail_of(step) for step in measured if step.scenario == name)
        needs = firsts[name].needs if name in firsts else None
        repeated.append(
            Seen(name, result.base_sha, result.head_sha, detail.first_host, needs, figures=detail.figures)
        )
    case.goes_on(PlanState.MEASURING, f"undecided: measuring again with more time: {', '.join(undecided)}")
    queueing.again(case, repeated, _given(case, [step for step in measured if step.scenario in undecided]))


def _given(case: Case, measured: Sequence[StepRow]) -> float | None:
    """Most seconds that one of the first host's runs was given; None: unknown."""
    same = [step for step in measured if detail_of(step).remeasurement is Remeasurement.SAME]
    results = [result for step in same if (result := campaigns.result_of(case.session, step)) is not None]
    given = [settings_of(case.session, one.run.id).budget_seconds for one in results]
    return max((seconds for seconds in given if seconds is not None), default=None)


def _end(case: Case, measured: Sequence[StepRow], decisions: dict[str, Decision], answer: Answer) -> None:
    decisive = [_why(name, one, measured) for name, one in decisions.items() if one.answer is answer]
    every = [_why(name, one, measured) for name, one in decisions.items()]
    case.ends(PlanState(answer.value), "; ".join(decisive or every))
    found = evidence.seen(case.session, case.alert)
    if answer is Answer.CONFIRMED and found:
        main = evidence.main(case.alert, found)
        if evidence.lie_between(case.session, case.project.id, main):
            bisecting.begin(case, with_shown(main, measured))


def _why(scenario: str, decision: Decision, measured: Sequence[StepRow]) -> str:
    figure = _decisive(scenario, measured)
    subject = scenario if figure is None else f"{title_of(figure.metric)} of {scenario}"
    return f"{subject}: {decision.why}"


def with_shown(seen: Seen, measured: Sequence[StepRow]) -> Seen:
    """With the figure that the second measurements show."""
    figure = _decisive(seen.scenario, measured)
    return seen if figure is None else replace(seen, figures=[figure])


def _decisive(scenario: str, measured: Sequence[StepRow]) -> Figure | None:
    """The figure with the worst outcome; None: the runs' outcomes decided."""
    found = [
        (WORST_FIRST.index(Outcome(step.outcome)), Figure(metric=detail.metric, stage=detail.stage))
        for step in measured
        if step.scenario == scenario
        and (detail := detail_of(step)).metric is not None
        and step.outcome is not None
    ]
    return min(found, key=lambda one: one[0])[1] if found else None
