# SPDX-License-Identifier: Apache-2.0
"""Compares two commits: by a run with both, or by each one's own."""

from __future__ import annotations

from collections.abc import Mapping

from nalm_core.features.decompose_run import decompose_summaries, with_chain
from nalm_core.report.host_match import differences
from nalm_core.report.run_report import Arm
from nalm_core.report.summary import summarise
from nalm_core.verdict.change import inverted, inverted_stage
from nalm_core.verdict.compare import compose
from nalm_core.verdict.wording import interval_note, stage_notes
from pydantic_core import to_json
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.answer_cache import cache_of
from nalm_server.base.errors import ReportExpiredError
from nalm_server.git.commits import service as commits
from nalm_server.results import repository as runs
from nalm_server.results import verdicts
from nalm_server.results.extracts import service as extracts
from nalm_server.results.extracts.rounds import kept_points
from nalm_server.results.extracts.schemas import Rounds
from nalm_server.results.series import repository as history
from nalm_server.results.series.models import ScenarioRow
from nalm_server.results.summary import of_stored
from nalm_server.views.compare.comparable import measured
from nalm_server.views.compare.compared_runs import Apart, PairRequest, Together, found, key_of, read_report
from nalm_server.views.compare.linked import linked_changes
from nalm_server.views.compare.schemas import Comparison, LinkedChange, SideBySide
from nalm_server.views.compare.sides import Side

AGED_OUT = "The raw rounds have aged out by the project's rules."
INVERTED = "One run measured both, with the other one as base: these are its figures, inverted."


def compare(session: Session, project: ProjectRow, request: PairRequest) -> bytes:
    """Comparison as JSON. Raises NotFoundError for sides without a measurement."""
    pair = found(session, project, request)
    scenarios = {row.name: row for row in history.list_scenarios(session, project.id)}

    def make() -> bytes:
        if isinstance(pair, Together):
            return to_json(_paired(session, pair, scenarios))
        return to_json(_composed(session, pair, scenarios))

    traffic = tuple((one.name, one.model, one.traffic) for one in scenarios.values())
    return cache_of(session).get(("compare", *key_of(session, pair), traffic), make)


def _paired(session: Session, pair: Together, scenarios: Mapping[str, ScenarioRow]) -> Comparison:
    judged = pair.judged
    stored = runs.report(session, judged.run.id)
    extract = None if stored.expired_at else extracts.of_run(session, judged)
    shown = of_stored(stored) if extract is None else extract.remains
    split = extract and extract.decomposition
    verdict = verdicts.full(judged.verdict)
    return Comparison(
        scenario=judged.scenario,
        base=commits.ref(pair.old),
        head=commits.ref(pair.new),
        sides=SideBySide(
            base=measured(Side(judged, Arm.BASE), scenarios), head=measured(Side(judged, Arm.HEAD), scenarios)
        ),
        paired=True,
        run_ids=[judged.run.run_id],
        verdict=verdict,
        chain=verdict.chain,
        stages=verdict.stages,
        linked=linked_changes(session, pair.judged, pair.old.sha, pair.new.sha),
        stage_notes=verdict.stage_notes,
        interval_note=verdict.interval_note,
        decomposition=split and with_chain(split, verdict.chain),
        rounds=Rounds(base=[], head=[], head_as_base=[]) if extract is None else extract.rounds,
        checks=shown.checks,
        host=shown.fingerprint,
        notes=[
            *shown.notes,
            *(note for note in verdict.notes if note not in shown.notes),
            *([] if extract else [AGED_OUT]),
        ],
    )


def _composed(session: Session, pair: Apart, scenarios: Mapping[str, ScenarioRow]) -> Comparison:
    before, after = pair.before, pair.after
    if (from_verdict := _inverted(session, pair, scenarios)) is not None:
        return from_verdict
    try:
        first, second = read_report(session, before.judged), read_report(session, after.judged)
    except ReportExpiredError as expired:
        return _without_rounds(session, pair, scenarios, [expired.message])
    hosts = first.host, second.host
    summaries = summarise(first, before.arm), summarise(second, after.arm)
    composed = compose(*summaries, hosts)
    notes = list(composed.notes) if composed else ["One of the two runs has no cycles to compare."]
    parts = decompose_summaries(*summaries, hosts)
    sides = SideBySide(base=measured(before, scenarios), head=measured(after, scenarios))
    if sides.base.traffic != sides.head.traffic:
        notes.append(f"They replay other traffic: {sides.base.traffic} and {sides.head.traffic}.")
    return Comparison(
        scenario=after.judged.scenario,
        base=commits.ref(pair.old),
        head=commits.ref(pair.new),
        sides=sides,
        paired=False,
        run_ids=_run_ids(pair),
        verdict=None,
        chain=composed.chain if composed else None,
        stages=composed.stages if composed else [],
        linked=_linked(session, pair),
        stage_notes=stage_notes(composed.stages, []) if composed else {},
        interval_note=interval_note(composed.chain, composed.stages) if composed else None,
        decomposition=parts and with_chain(parts, composed.chain if composed else None),
        rounds=Rounds(
            base=kept_points(first, before.arm), head=kept_points(second, after.arm), head_as_base=[]
        ),
        checks=[],
        host=None if differences(*hosts) else second.host,
        notes=notes,
    )


def _inverted(session: Session, pair: Apart, scenarios: Mapping[str, ScenarioRow]) -> Comparison | None:
    """The verdict's figures the other way round. None: the two sides are no head and base of one run, or its
    verdict has no figures of both as shipped."""
    before, after = pair.before, pair.after
    judged = before.judged
    if judged.run.id != after.judged.run.id or (before.arm, after.arm) != (Arm.HEAD, Arm.BASE):
        return None
    verdict = verdicts.full(judged.verdict)
    if verdict.chain is None or verdict.judged_arm is not Arm.HEAD:
        return None
    stored = runs.report(session, judged.run.id)
    chain, stages = inverted(verdict.chain), [inverted_stage(one) for one in verdict.stages]
    found = _without_rounds(session, pair, scenarios, [INVERTED]).model_copy(
        update={
            "chain": chain,
            "stages": stages,
            "stage_notes": stage_notes(stages, []),
            "interval_note": interval_note(chain, stages),
            "host": of_stored(stored).fingerprint,
        }
    )
    if stored.expired_at is not None:
        return found.model_copy(update={"notes": [INVERTED, AGED_OUT]})
    report = read_report(session, judged)
    hosts = report.host, report.host
    parts = decompose_summaries(summarise(report, before.arm), summarise(report, after.arm), hosts)
    rounds = Rounds(
        base=kept_points(report, before.arm), head=kept_points(report, after.arm), head_as_base=[]
    )
    return found.model_copy(
        update={"decomposition": parts and with_chain(parts, chain), "rounds": rounds},
    )


def _without_rounds(
    session: Session, pair: Apart, scenarios: Mapping[str, ScenarioRow], notes: list[str]
) -> Comparison:
    """What other comparisons say of the pair."""
    before, after = pair.before, pair.after
    return Comparison(
        scenario=after.judged.scenario,
        base=commits.ref(pair.old),
        head=commits.ref(pair.new),
        sides=SideBySide(base=measured(before, scenarios), head=measured(after, scenarios)),
        paired=False,
        run_ids=_run_ids(pair),
        verdict=None,
        chain=None,
        stages=[],
        linked=_linked(session, pair),
        stage_notes={},
        interval_note=None,
        decomposition=None,
        rounds=Rounds(base=[], head=[], head_as_base=[]),
        checks=[],
        host=None,
        notes=notes,
    )


def _run_ids(pair: Apart) -> list[str]:
    """One if it measured both, the other way round."""
    return list(dict.fromkeys(side.judged.run.run_id for side in (pair.before, pair.after)))


def _linked(session: Session, pair: Apart) -> list[LinkedChange]:
    """Of one scenario: two scenarios have no link."""
    before, after = pair.before.judged, pair.after.judged
    if before.run.scenario_id != after.run.scenario_id:
        return []
    return linked_changes(session, after, pair.old.sha, pair.new.sha)
