# SPDX-License-Identifier: Apache-2.0
"""Two commits side by side: from the run that measured them together, or from each one's own."""

from __future__ import annotations

from dataclasses import dataclass

from nalm_core.compare import compose
from nalm_core.counters import totals
from nalm_core.decompose_run import decompose_run, decompose_summaries
from nalm_core.host_match import differences
from nalm_core.report import Arm, RunReport
from nalm_core.report_io import parse_report
from nalm_core.rounds import kept_rounds
from nalm_core.summary import summarise
from sqlalchemy.orm import Session

from nalm_server.commits import service as commits
from nalm_server.commits.models import CommitRow
from nalm_server.compare.schemas import Comparison, RoundPoint, Rounds
from nalm_server.errors import NotFoundError
from nalm_server.projects.models import ProjectRow
from nalm_server.runs import repository as runs
from nalm_server.runs import verdicts
from nalm_server.runs.repository import JudgedRun
from nalm_server.runs.service import remains_of, report_of


@dataclass(frozen=True)
class Side:
    """One commit's own run, and the arm in it that is the commit."""

    judged: JudgedRun
    arm: Arm


def compare(
    session: Session, project: ProjectRow, *, base: str, head: str, scenario: str | None
) -> Comparison:
    old, new = commits.resolve(session, project.id, base), commits.resolve(session, project.id, head)
    of_new = _sides(session, new)
    together = [
        side
        for side in of_new
        if side.arm is Arm.HEAD
        and side.judged.run.base_sha == old.sha
        and scenario in (None, side.judged.scenario)
    ]
    if together:
        return _paired(session, old, new, together[0].judged)
    return _composed(session, (old, new), _sides(session, old), of_new, scenario)


def _sides(session: Session, commit: CommitRow) -> list[Side]:
    """The commit's own runs, then those in which it was the base; by scenario's name, newest first."""
    own = [Side(one, Arm.HEAD) for one in runs.of_commits(session, [commit.id], None)]
    as_base = [Side(one, Arm.BASE) for one in runs.with_base(session, commit.project_id, commit.sha)]
    return sorted(
        (one for one in own + as_base if not one.judged.run.beside), key=lambda side: side.judged.scenario
    )


def _paired(session: Session, old: CommitRow, new: CommitRow, judged: JudgedRun) -> Comparison:
    stored = runs.report(session, judged.run.id)
    shown = remains_of(stored)
    report = None if stored.expired_at else parse_report(stored.json)
    verdict = verdicts.full(judged.verdict)
    return Comparison(
        scenario=judged.scenario,
        base=commits.ref(old),
        head=commits.ref(new),
        paired=True,
        run_ids=[judged.run.run_id],
        verdict=verdict,
        chain=verdict.chain,
        stages=verdict.stages,
        decomposition=decompose_run(report) if report and verdict.chain else None,
        rounds=Rounds(
            base=_points(report, Arm.BASE),
            head=_points(report, Arm.HEAD),
            head_as_base=_points(report, Arm.HEAD_AS_BASE),
        ),
        checks=shown.checks,
        host=shown.fingerprint,
        notes=[
            *shown.notes,
            *(note for note in verdict.notes if note not in shown.notes),
            *([] if report else ["The raw rounds have aged out by the project's rules."]),
        ],
    )


def _composed(
    session: Session,
    pair: tuple[CommitRow, CommitRow],
    of_old: list[Side],
    of_new: list[Side],
    scenario: str | None,
) -> Comparison:
    """From two runs: of one scenario, and of one host class where that is possible."""
    old, new = pair
    pairs = [
        (before, after)
        for before in of_old
        for after in of_new
        if before.judged.scenario == after.judged.scenario
        and scenario in (None, before.judged.scenario)
        and _measured(before)
        and _measured(after)
    ]
    if not pairs:
        asked = f"scenario {scenario!r}" if scenario else "any scenario"
        raise NotFoundError(
            f"{old.sha[:7]} and {new.sha[:7]} have not both been measured in {asked}: wait for the jobs, or "
            f"run `nalm check --base {old.sha[:7]} --head {new.sha[:7]}`."
        )
    pairs.sort(key=lambda pair: pair[0].judged.run.host_class != pair[1].judged.run.host_class)
    before, after = pairs[0]
    first, second = _report(session, before.judged), _report(session, after.judged)
    hosts = first.host, second.host
    summaries = summarise(first, before.arm), summarise(second, after.arm)
    composed = compose(*summaries, hosts)
    notes = list(composed.notes) if composed else ["One of the two runs has no cycles to compare."]
    return Comparison(
        scenario=before.judged.scenario,
        base=commits.ref(old),
        head=commits.ref(new),
        paired=False,
        run_ids=[before.judged.run.run_id, after.judged.run.run_id],
        verdict=None,
        chain=composed.chain if composed else None,
        stages=composed.stages if composed else [],
        decomposition=decompose_summaries(*summaries, hosts),
        rounds=Rounds(base=_points(first, before.arm), head=_points(second, after.arm), head_as_base=[]),
        checks=[],
        host=None if differences(*hosts) else second.host,
        notes=notes,
    )


def _measured(side: Side) -> bool:
    """A run of broken or invalid numbers is not put beside another."""
    return side.judged.verdict.outcome not in ("broken", "invalid") and not side.judged.verdict.unchanged


def _report(session: Session, judged: JudgedRun) -> RunReport:
    """Raises ReportExpiredError: what was not measured together can only be put together from the rounds."""
    return parse_report(report_of(session, judged).json)


def _points(report: RunReport | None, arm: Arm) -> list[RoundPoint]:
    """Kept rounds with the chain's cycles per packet."""
    if report is None or arm not in report.arms:
        return []
    info = report.arms[arm]
    return [
        RoundPoint(launch=one.launch, turn=one.turn, cpp=cpp)
        for one in kept_rounds(report, arm)
        if (cpp := totals(one, info).cpp) is not None
    ]
