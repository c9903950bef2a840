# SPDX-License-Identifier: Apache-2.0
"""The code of two sides: cost per packet of each function and source line, its place and its text."""

from __future__ import annotations

from dataclasses import replace

from nalm_core.functions.judge import judge_functions
from nalm_core.functions.model import FunctionJudgement
from nalm_core.profiles.flame import CallTree, counted_paths, flame_of, sampled_paths
from nalm_core.profiles.function_costs import Key, SideOf, function_costs, side_of
from nalm_core.profiles.source_view import FunctionSource, function_source
from nalm_core.report.host_match import comparable, differences
from nalm_core.report.judged_arm import judged_arm
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.verdict.function_change import function_side, margins
from nalm_core.verdict.verdict import Verdict
from pydantic_core import to_json
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.answer_cache import cache_of
from nalm_server.notify.forges.source_link import source_link
from nalm_server.notify.integrations import repository as integrations
from nalm_server.results.repository import JudgedRun
from nalm_server.views.compare.compared_runs import Apart, PairRequest, Together, found, key_of, read_report
from nalm_server.views.compare.schemas import CodeComparison


def compare_code(session: Session, project: ProjectRow, request: PairRequest) -> bytes:
    """CodeComparison as JSON. Raises NotFoundError for sides without a measurement, ReportExpiredError
    without a report."""
    pair = found(session, project, request)
    link = source_link(project.repository, integrations.enabled(session, project.id))

    def make() -> bytes:
        base, head = _sides(session, pair)
        code = CodeComparison(
            base_sha=pair.old.sha,
            head_sha=pair.new.sha,
            functions=function_costs(base, head),
            judged=judged_functions(base, head),
            instruction_flame=flame_of(*(counted_paths(one.report, one.arm) for one in (base, head))),
            cycle_flame=flame_of(*(_sampled(one) for one in (base, head))),
            source_link=link,
        )
        return to_json(code)

    return cache_of(session).get(("compare code", *key_of(session, pair), link), make)


def compare_source(session: Session, project: ProjectRow, request: PairRequest, key: Key) -> FunctionSource:
    """One function's text, without files if it has no lines. Raises as `compare_code`."""
    base, head = _sides(session, found(session, project, request))
    return function_source(base, head, key)


def judged_functions(base: SideOf, head: SideOf) -> list[FunctionJudgement]:
    """All functions of two sides of one scenario with their outcome; none of different scenarios, whose
    functions do other work."""
    if base.report.scenario.name != head.report.scenario.name:
        return []
    changed = head.report.changed_functions if base.report is head.report else None
    before, after = (function_side(one.report, one.arm, one.cpp) for one in (base, head))
    return judge_functions(before, after, margins(head.report), changed)


def _sides(session: Session, pair: Together | Apart) -> tuple[SideOf, SideOf]:
    return _together(session, pair) if isinstance(pair, Together) else _apart(session, pair)


def _sampled(side: SideOf) -> CallTree | None:
    return None if side.cpp is None else sampled_paths(side.report, side.arm, side.cpp)


def _together(session: Session, pair: Together) -> tuple[SideOf, SideOf]:
    return side_by_side(read_report(session, pair.judged), pair.judged)


def side_by_side(report: RunReport, judged: JudgedRun) -> tuple[SideOf, SideOf]:
    """Base, and the arm that is judged against it. Cycles are shared out by samples as in the verdict."""
    verdict = Verdict.model_validate(judged.verdict.document)
    arm = verdict.judged_arm or judged_arm(report) or Arm.HEAD
    base, head = side_of(report, Arm.BASE), side_of(report, arm)
    chain = verdict.chain
    if chain is None or chain.base is None or chain.head is None:
        return base, head
    return replace(base, cpp=chain.base.cpp), replace(head, cpp=chain.head.cpp)


def _apart(session: Session, pair: Apart) -> tuple[SideOf, SideOf]:
    """Omits samples of hosts that cannot be compared, but compares instructions."""
    before, after = (side_of(read_report(session, one.judged), one.arm) for one in (pair.before, pair.after))
    if comparable(differences(before.report.host, after.report.host)):
        return before, after
    return replace(before, cpp=None), replace(after, cpp=None)
